package pin

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"testing"
	"time"

	"locus/access"
)

func TestVerify(t *testing.T) {
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	of := func(raw string, expires time.Time) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: expires}}}
	}
	later := now.AddDate(1, 0, 0)
	var stored []string
	p := &Pins{Now: func() time.Time { return now }, Store: func(address string, _, pin Pin) (Pin, error) {
		stored = append(stored, address+" "+pin.Fingerprint[:4])
		return pin, nil
	}}
	for _, test := range []struct {
		name, address string
		state         tls.ConnectionState
		want          bool
	}{
		{"a new server", "h:1965", of("a", later), true},
		{"the same", "h:1965", of("a", later), true},
		{"another certificate", "h:1965", of("b", later), false},
		{"another server", "i:1965", of("b", now.AddDate(0, 0, -1)), true},
		{"a new certificate after the old one has expired", "i:1965", of("c", later), true},
		{"the expired one", "i:1965", of("b", later), false},
		{"no certificate", "j:1965", tls.ConnectionState{}, false},
	} {
		err := p.Verify(test.address, test.state)
		if (err == nil) != test.want || err != nil && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: Verify = %v, want success: %v", test.name, err, test.want)
		}
	}
	if len(stored) != 3 {
		t.Errorf("stored %q, want three pins", stored)
	}
}

// When Store is full, new servers get no pin, and the pins that exist still count.
func TestVerifyFull(t *testing.T) {
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: now.AddDate(1, 0, 0)}}}
	}
	p := &Pins{
		Accepted: []string{fingerprint("c")}, Now: func() time.Time { return now },
		Load: func() (map[string]Pin, error) {
			return map[string]Pin{"h:1965": {Fingerprint: fingerprint("a"), Expires: now.AddDate(1, 0, 0)}}, nil
		},
		Store: func(_ string, _, p Pin) (Pin, error) { return p, fmt.Errorf("store: %w", ErrFull) },
	}
	for _, test := range []struct {
		address, raw string
		want         bool
	}{
		{"h:1965", "a", true},
		{"h:1965", "b", false},
		{"h:1965", "c", true}, // accepted
		{"h:1965", "b", false},
		{"new:1965", "a", true},
		{"new:1965", "b", true}, // the first certificate was not pinned
	} {
		if err := p.Verify(test.address, of(test.raw)); (err == nil) != test.want {
			t.Errorf("Verify(%q, %q) = %v, want success: %v", test.address, test.raw, err, test.want)
		}
	}
	if len(p.known) != 1 {
		t.Errorf("there are %d pins in memory, want 1", len(p.known))
	}
}

// Pins in memory have a largest number, too.
func TestVerifyFullMemory(t *testing.T) {
	p := &Pins{known: make(map[string]Pin)}
	for i := range maxKnown {
		p.known[strconv.Itoa(i)] = Pin{Fingerprint: fingerprint("a"), Expires: time.Now().AddDate(1, 0, 0)}
	}
	for _, test := range []struct {
		address, raw string
		want         bool
	}{
		{"1", "a", true},
		{"1", "b", false},
		{"new:1965", "a", true},
		{"new:1965", "b", true}, // the first certificate was not pinned
	} {
		state := tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(test.raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
		if err := p.Verify(test.address, state); (err == nil) != test.want || len(p.known) > maxKnown {
			t.Errorf("Verify(%q, %q) = %v with %d pins in memory, want success: %v, and at most %d", test.address, test.raw, err, len(p.known), test.want, maxKnown)
		}
	}
}

// A certificate that is not pinned needs another proof, and is not pinned by it.
func TestVerifyOr(t *testing.T) {
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: now.AddDate(1, 0, 0)}}}
	}
	unsigned := errors.New("unsigned")
	pinned, expired := Pin{Fingerprint: fingerprint("a"), Expires: now.AddDate(1, 0, 0)}, Pin{Fingerprint: fingerprint("a"), Expires: now}
	for _, test := range []struct {
		name            string
		pin             Pin
		raw             string
		proof           error
		changed, isKept bool
		want            error
	}{
		{name: "the pin", pin: pinned, raw: "a", proof: unsigned, isKept: true},
		{name: "the expired pin", pin: expired, raw: "a", proof: unsigned, isKept: true},
		{name: "another certificate", pin: pinned, raw: "b", proof: unsigned, want: fs.ErrPermission, changed: true, isKept: true},
		{name: "another certificate with a proof", pin: pinned, raw: "b", isKept: true},
		{name: "another certificate after the pin has expired", pin: expired, raw: "b", proof: unsigned, want: unsigned, isKept: true},
		{name: "no pin", raw: "b", proof: unsigned, want: unsigned, isKept: true},
		{name: "no pin and a proof", raw: "b", isKept: true},
		{name: "an accepted certificate", pin: pinned, raw: "c", proof: unsigned},
		{name: "an accepted certificate without a pin", raw: "c", proof: unsigned},
	} {
		stored := test.pin
		p := &Pins{
			Accepted: []string{fingerprint("c")}, Now: func() time.Time { return now },
			Load:  func() (map[string]Pin, error) { return map[string]Pin{"h:70": test.pin}, nil },
			Store: func(_ string, _, p Pin) (Pin, error) { stored = p; return p, nil },
		}
		err := p.VerifyOr("h:70", of(test.raw), func() error { return test.proof })
		_, isChanged := errors.AsType[*ChangedError](err)
		if !errors.Is(err, test.want) || isChanged != test.changed || (stored == test.pin) != test.isKept {
			t.Errorf("%s: VerifyOr = %v with the pin %v, want %v", test.name, err, stored, test.want)
		}
		if remedy, _ := access.RemedyFor(err).(access.AcceptCertificate); err != nil && remedy.Fingerprint != fingerprint(test.raw) {
			t.Errorf("%s: the remedy of %v accepts %q", test.name, err, remedy.Fingerprint)
		}
	}
}

// An accepted certificate replaces the pin, which stays refused.
func TestAccepted(t *testing.T) {
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	}
	p := &Pins{Accepted: []string{fingerprint("b")}}
	for _, test := range []struct {
		raw  string
		want bool
	}{{"a", true}, {"c", false}, {"b", true}, {"b", true}, {"a", false}} {
		if err := p.Verify("h:1965", of(test.raw)); (err == nil) != test.want {
			t.Errorf("Verify(%q) = %v, want success: %v", test.raw, err, test.want)
		}
	}
}

// fingerprint returns the fingerprint of a certificate with the bytes raw.
func fingerprint(raw string) string {
	return newPin(&x509.Certificate{Raw: []byte(raw)}, time.Time{}).Fingerprint
}

// A pin that cannot be stored is not used.
func TestVerifyStore(t *testing.T) {
	full := errors.New("disk full")
	p := &Pins{Store: func(string, Pin, Pin) (Pin, error) { return Pin{}, full }}
	state := tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("a"), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	for range 2 {
		if err := p.Verify("h:1965", state); !errors.Is(err, full) {
			t.Errorf("Verify = %v, want the error of Store", err)
		}
	}
}

// A pin that another process has stored since Load counts, also while the connection is checked.
func TestStoredMeanwhile(t *testing.T) {
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	}
	other := Pin{Fingerprint: fingerprint("a"), Expires: time.Now().AddDate(1, 0, 0)}
	p := &Pins{Store: func(_ string, old, _ Pin) (Pin, error) {
		if old != (Pin{}) {
			t.Errorf("Store gets the old pin %v, want none", old)
		}
		return other, nil
	}}
	for _, test := range []struct {
		raw  string
		want bool
	}{{"b", false}, {"b", false}, {"a", true}} {
		err := p.Verify("h:1965", of(test.raw))
		changed, ok := errors.AsType[*ChangedError](err)
		if ok == test.want || (err == nil) != test.want || ok && changed.Pinned != other {
			t.Errorf("Verify(%q) = %v, want success: %v", test.raw, err, test.want)
		}
	}
}

// Pins that another process has stored since Load are obeyed, and certificates that the user has accepted there.
func TestOtherProcess(t *testing.T) {
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	}
	file := map[string]Pin{}
	process := func(accepted ...string) *Pins {
		return &Pins{
			Accepted: accepted,
			Load:     func() (map[string]Pin, error) { return maps.Clone(file), nil },
			Store:    func(address string, _, p Pin) (Pin, error) { file[address] = p; return p, nil },
		}
	}
	first, second := process(), process()
	for _, test := range []struct {
		name    string
		p       *Pins
		address string
		raw     string
		want    bool
	}{
		{"the first process reads the pins", first, "other:1965", "x", true},
		{"the second process pins the server", second, "h:1965", "a", true},
		{"another certificate", first, "h:1965", "b", false},
		{"the pin", first, "h:1965", "a", true},
		{"a process in which the user accepts another certificate", process(fingerprint("c")), "h:1965", "c", true},
		{"the accepted certificate", first, "h:1965", "c", true},
		{"the old pin", second, "h:1965", "a", true}, // known to the process, which has no reason to look
		{"a certificate that nobody knows", second, "h:1965", "b", false},
	} {
		if err := test.p.Verify(test.address, of(test.raw)); (err == nil) != test.want {
			t.Errorf("%s: Verify(%q) = %v, want success: %v", test.name, test.raw, err, test.want)
		}
	}
}

// Pins in memory that nobody stores stay valid when Load is called again.
func TestLoadAgain(t *testing.T) {
	of := func(raw string, expires time.Time) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: expires}}}
	}
	p := &Pins{Load: func() (map[string]Pin, error) {
		return map[string]Pin{"h:1965": {Fingerprint: "00", Expires: time.Now().AddDate(-1, 0, 0)}}, nil
	}}
	for _, test := range []struct {
		raw  string
		want bool
	}{{"a", true}, {"b", false}, {"a", true}} {
		if err := p.Verify("h:1965", of(test.raw, time.Now().AddDate(1, 0, 0))); (err == nil) != test.want {
			t.Errorf("Verify(%q) = %v, want success: %v", test.raw, err, test.want)
		}
	}
}

// Stored pins are obeyed. If they cannot be read, no certificate is accepted.
func TestLoad(t *testing.T) {
	broken := errors.New("unreadable")
	calls := 0
	p := &Pins{Load: func() (map[string]Pin, error) {
		if calls++; calls == 1 {
			return nil, broken
		}
		return map[string]Pin{"h:1965": {Fingerprint: "00", Expires: time.Now().AddDate(1, 0, 0)}}, nil
	}}
	state := tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("a")}}}
	if err := p.Verify("h:1965", state); !errors.Is(err, broken) {
		t.Errorf("Verify = %v, want the error of Load", err)
	}
	for range 2 {
		changed, ok := errors.AsType[*ChangedError](p.Verify("h:1965", state))
		if !ok || changed.Pinned.Fingerprint != "00" || changed.Address != "h:1965" {
			t.Errorf("Verify = %v after %d calls of Load, want a ChangedError", changed, calls)
		}
	}
}

// While the disk is slow for one server, or a proof takes long, the certificates of other servers are verified.
func TestVerifyMeanwhile(t *testing.T) {
	of := func(raw string) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	}
	p := &Pins{}
	verify := func(during, address string) {
		done := make(chan error, 1)
		go func() { done <- p.Verify(address, of("a")) }()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: Verify(%q) = %v", during, address, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: Verify(%q) waits", during, address)
		}
	}
	verify("first", "known:1965")
	p.Load = func() (map[string]Pin, error) {
		verify("during Load", "known:1965")
		return nil, nil
	}
	p.Store = func(_ string, _, p Pin) (Pin, error) {
		verify("during Store", "known:1965")
		return p, nil
	}
	if err := p.Verify("new:1965", of("a")); err != nil {
		t.Errorf("Verify of a new server = %v", err)
	}
	p.Load, p.Store = nil, nil
	if err := p.VerifyOr("signed:70", of("a"), func() error {
		verify("during a proof", "known:1965")
		verify("during a proof", "another:1965")
		return nil
	}); err != nil {
		t.Errorf("VerifyOr = %v", err)
	}
}
