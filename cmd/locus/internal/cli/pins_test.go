package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"locus/proto/pin"
)

func TestPins(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if got, err := readPins(root); len(got) != 0 || err != nil {
		t.Errorf("readPins without a file = %v, %v, want no pins", got, err)
	}
	since := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	old, current := pin.Pin{Fingerprint: "aa", Since: since, Expires: since.AddDate(1, 0, 0)}, pin.Pin{Fingerprint: "bb", Since: since, Expires: since.AddDate(2, 0, 0)}
	for _, p := range []pin.Pin{old, current} {
		if err := appendPin(root, "h:1965", p); err != nil {
			t.Errorf("appendPin(%v) = %v", p, err)
		}
	}
	if got, err := readPins(root); len(got) != 1 || got["h:1965"] != current || err != nil {
		t.Errorf("readPins = %v, %v, want %v", got, err, current)
	}
	for _, address := range []string{"h h:1965", "h\ni:1965", "h\u0085:1965", ""} {
		if err := appendPin(root, address, current); err == nil {
			t.Errorf("appendPin(%q) = nil, want an error", address)
		}
	}
	if got, err := readPins(root); len(got) != 1 || err != nil {
		t.Errorf("then readPins = %v, %v, want one pin", got, err)
	}
	info, err := os.Stat(filepath.Join(root.Name(), pinsName))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v, want 0600", info, err)
	}
}

// A gateway gets a pin for each server that a client names, so the file has a largest size.
func TestAttackManyPins(t *testing.T) {
	// attack: A client of a gateway opens very many servers that sign their own certificates, to fill the disk or to make
	// each connection read a long file | the file of pins has a largest size; then new servers get no pin, and the pins that
	// exist still count
	t.Parallel()
	state := t.TempDir()
	e := newEnv(t.TempDir(), map[string]string{"XDG_STATE_HOME": state})
	shown, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	e.Stderr = shown
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	}
	pins := e.newPins(e.StateDir(), nil)
	if err := pins.Verify("first:1965", of("a")); err != nil {
		t.Errorf("Verify of the first server = %v", err)
	}
	file := filepath.Join(e.StateDir(), pinsName)
	line := "h:1965 aa 2026-11-29T10:00:00Z 2027-11-29T10:00:00Z\n"
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	full := string(first) + strings.Repeat(line, maxPins/len(line)+1)
	if err := os.WriteFile(file, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		address, raw string
		want         bool
	}{
		{"first:1965", "a", true},
		{"first:1965", "b", false},
		{"new:1965", "a", true},
		{"new:1965", "b", true},
	} {
		if err := pins.Verify(test.address, of(test.raw)); (err == nil) != test.want {
			t.Errorf("Verify(%q, %q) with a full file = %v, want success: %v", test.address, test.raw, err, test.want)
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != full {
		t.Errorf("the full file has changed from %d to %d bytes, %v", len(full), len(after), err)
	}
	said, err := os.ReadFile(shown.Name())
	if err != nil || strings.Count(string(said), "the certificates of more servers are not remembered") != 1 {
		t.Errorf("the command says %q, %v, want one warning", said, err)
	}
}

// A person may have edited the file: its last line then may lack an end, and lines may be empty.
func TestPinsByHand(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	added := pin.Pin{Fingerprint: "bb", Since: since, Expires: since.AddDate(1, 0, 0)}
	const line = "h:1965 aa 2026-11-29T10:00:00Z 2027-11-29T10:00:00Z"
	for _, text := range []string{"", "\n", line, line + "\n", "\n" + line + "\n\n", line + "\r\n", " \n" + line} {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if err := root.WriteFile(pinsName, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := storePin(root, "i:1965", pin.Pin{}, added); err != nil {
			t.Errorf("storePin into %q = %v", text, err)
		}
		got, err := readPins(root)
		if err != nil || got["i:1965"] != added || got["h:1965"].Fingerprint != "aa" && strings.Contains(text, "aa") {
			t.Errorf("after %q readPins = %v, %v, want all pins", text, got, err)
		}
	}
}

// Two processes connect to a new server at the same instant. The second one to store its pin obeys the first one.
func TestPinsAtOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t.TempDir(), map[string]string{"XDG_STATE_HOME": t.TempDir()})
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	}
	first, second := e.newPins(e.StateDir(), nil), e.newPins(e.StateDir(), nil)
	load := second.Load
	second.Load = func() (map[string]pin.Pin, error) {
		pins, err := load()
		if err := first.Verify("h:1965", of("a")); err != nil { // just after the second process has looked
			t.Errorf("the first Verify = %v", err)
		}
		return pins, err
	}
	if _, ok := errors.AsType[*pin.ChangedError](second.Verify("h:1965", of("b"))); !ok {
		t.Error("the second process accepts another certificate than the first one")
	}
	for _, test := range []struct {
		name, raw string
		pins      *pin.Pins
		want      bool
	}{
		{"the first process", "a", first, true},
		{"the second process", "a", second, true},
		{"a third process", "b", e.newPins(e.StateDir(), nil), false},
		{"a third process", "a", e.newPins(e.StateDir(), nil), true},
	} {
		if err := test.pins.Verify("h:1965", of(test.raw)); (err == nil) != test.want {
			t.Errorf("%s: Verify(%q) = %v, want success: %v", test.name, test.raw, err, test.want)
		}
	}
}

func TestParsePin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		want bool
	}{
		{"h:1965 aa 2026-11-29T10:00:00Z 2027-11-29T10:00:00Z", true},
		{"h:1965 aa 2026-11-29T10:00:00Z", false},
		{"h:1965 aa yesterday 2027-11-29T10:00:00Z", false},
		{"h:1965 aa 2026-11-29T10:00:00Z never", false},
		{"", false},
	} {
		if _, _, err := parsePin(test.line); (err == nil) != test.want {
			t.Errorf("parsePin(%q) = %v, want success: %v", test.line, err, test.want)
		}
	}
}

func TestParseFingerprint(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("3b", 32)
	for _, test := range []struct {
		text string
		want bool
	}{
		{digits, true},
		{strings.ToUpper(digits), true},
		{strings.TrimSuffix(strings.Repeat("3B:", 32), ":"), true},
		{digits[2:], false},
		{digits + "00", false},
		{"x" + digits[1:], false},
		{"", false},
	} {
		got, err := parseFingerprint("pin", test.text)
		if (err == nil) != test.want || err == nil && got != digits {
			t.Errorf("parseFingerprint(%q) = %v, %v, want success: %v", test.text, got, err, test.want)
		}
	}
}
