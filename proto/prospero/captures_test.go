package prospero

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The captures of testdata were recorded for this project with the client and the
// server of release 5.3 of 1994. The requests of "goclient" and the replies of
// "fake-…" were made by hand. expected.json has the tokens of every reply.

// A datagram is one line of a capture.
type datagram struct {
	T       float64 // seconds since the first datagram
	Dir     string  // "c2s" or "s2c"
	Hex     string
	Dropped bool // recorded but not delivered

	data []byte
}

func (d datagram) at() time.Duration { return time.Duration(d.T * float64(time.Second)) }

// An expectation is the expected result of an exchange.
type expectation struct {
	ID      string `json:"cid"`
	Request string
	Bytes   *int   `json:"reply_octets"` // nil: no reply
	SHA256  string `json:"reply_sha256"`
	Packets int
	Lines   [][]any // nil: not checked
}

func expectations(t testing.TB) map[string][]expectation {
	t.Helper()
	text, err := os.ReadFile("testdata/captures/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]expectation
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func capture(t testing.TB, name string) []datagram {
	t.Helper()
	files, err := filepath.Glob("testdata/captures/" + name + ".jsonl*")
	if err != nil || len(files) != 1 {
		t.Fatalf("capture %s: files %q, %v", name, files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(files[0], ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var all []datagram
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var d datagram
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		if d.data, err = hex.DecodeString(d.Hex); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// Every datagram of every capture is parsed. Datagrams with the header that this
// client sends are encoded again without a change. Every reply is reassembled
// and split into the expected tokens.
func TestCapturesDecode(t *testing.T) {
	all := expectations(t)
	if len(all) != 95 {
		t.Errorf("%d captures, want 95", len(all))
	}
	for name, exchanges := range all {
		t.Run(name, func(t *testing.T) {
			datagrams := capture(t, name)
			for _, d := range datagrams {
				checkDatagram(t, name, d)
			}
			for _, want := range exchanges {
				checkExchange(t, datagrams, want)
			}
		})
	}
}

func checkDatagram(t *testing.T, name string, d datagram) {
	t.Helper()
	p, err := parsePacket(d.data)
	if name == "fake-v1" && d.Dir == "s2c" {
		if !errors.Is(err, errNotARDP) {
			t.Errorf("parsePacket(%q) = %v, want %v", d.data, err, errNotARDP)
		}
		return
	}
	if err != nil {
		t.Errorf("parsePacket(%x) = %v", d.data, err)
		return
	}
	if d.data[0] != endReceived {
		return
	}
	if got := p.datagram(); string(got) != string(d.data) {
		t.Errorf("datagram() = %x, want %x", got, d.data)
	}
}

func checkExchange(t *testing.T, datagrams []datagram, want expectation) {
	t.Helper()
	request, reply := message{limit: 1 << 20}, message{limit: 1 << 20}
	for _, d := range datagrams {
		p, err := parsePacket(d.data)
		if err != nil || hex.EncodeToString([]byte{byte(p.id >> 8), byte(p.id)}) != want.ID || p.number == 0 {
			continue
		}
		m := &request
		if d.Dir == "s2c" {
			m = &reply
		}
		if d.Dropped && d.Dir == "s2c" {
			continue
		}
		if _, err := m.add(p); err != nil {
			t.Fatalf("%v: %v", d, err)
		}
	}
	if got := string(request.text); got != want.Request {
		t.Errorf("request %q, want %q", got, want.Request)
	}
	if want.Bytes == nil {
		if reply.isComplete() {
			t.Errorf("the reply is complete, want none")
		}
		return
	}
	checkReply(t, reply.text, want)
	if !reply.isComplete() || reply.total != want.Packets {
		t.Errorf("the reply has %d of %d packets, want %d", reply.received, reply.total, want.Packets)
	}
}

// checkReply compares a reply with the expected one.
func checkReply(t *testing.T, text []byte, want expectation) {
	t.Helper()
	sum := sha256.Sum256(text)
	if len(text) != *want.Bytes || hex.EncodeToString(sum[:]) != want.SHA256 {
		t.Errorf("the reply has %d bytes, SHA-256 %x, want %d, %s", len(text), sum, *want.Bytes, want.SHA256)
	}
	got, err := allTokens(text)
	if err != nil {
		t.Fatalf("next() = %v", err)
	}
	if want.Lines == nil {
		return
	}
	if len(got) != len(want.Lines) {
		t.Fatalf("%d lines, want %d", len(got), len(want.Lines))
	}
	for i, tokens := range got {
		if !slices.EqualFunc(tokens, want.Lines[i], isToken) {
			t.Errorf("line %d: tokens %q, want %q", i, tokens, want.Lines[i])
		}
	}
}

// allTokens returns the tokens of each line of a message.
func allTokens(text []byte) ([][]string, error) {
	var all [][]string
	l := lexer{line: func(tokens []string) error {
		all = append(all, slices.Clone(tokens))
		return nil
	}}
	if err := l.write(text); err != nil {
		return nil, err
	}
	return all, l.end()
}

// isToken reports whether a token is the expected one. want is the token in
// Latin-1, or its length and hash.
func isToken(got string, want any) bool {
	if long, ok := want.(map[string]any); ok {
		sum := sha256.Sum256([]byte(got))
		return float64(len(got)) == long["octets"] && hex.EncodeToString(sum[:]) == long["sha256"]
	}
	var latin []rune
	for i := range len(got) {
		latin = append(latin, rune(got[i]))
	}
	return string(latin) == want
}
