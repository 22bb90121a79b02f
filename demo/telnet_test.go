package demo

import (
	"io"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/telnet"
	"locus/terminal"
	"locus/url"
)

// A visit to the library at a terminal: log in, choose a text, resize, read,
// leave.
func TestTelnet(t *testing.T) {
	var d net.Dialer
	c := telnet.Client{Dial: d.DialContext}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(start(t, Config{}).Service("telnet").URL)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	s := r.Session
	for _, test := range []struct {
		types  string
		resize int // to so many rows of 60 columns
		line   int // of the screen
		shows  string
	}{
		{"", 0, 2, "login:"},
		{"reader\r", 0, 3, "password:"},
		{"secret\r", 0, 1, "> README.de.txt"},
		{"j\x1b[B", 0, 3, "> README.txt"},
		{"k", 0, 2, "> README.fr.txt"},
		{"", 40, 39, "arrows or j, k: choose   Enter: read   q: leave"},
		{"\x1bOB\r", 0, 0, "README.txt"},
		{"", 10, 9, "line 1 of 16   arrows, blank, b: move   q: back"},
		{" ", 0, 9, "line 9 of 16   arrows, blank, b: move   q: back"},
		{"q", 0, 9, "arrows or j, k: choose   Enter: read   q: leave"},
		{"q", 0, 0, ""},
	} {
		if test.resize > 0 {
			if err := s.Resize(60, test.resize); err != nil {
				t.Fatalf("%q: %v", test.types, err)
			}
		}
		if _, err := io.WriteString(s, test.types); err != nil {
			t.Fatalf("%q: %v", test.types, err)
		}
		b := make([]byte, 1000)
		for test.shows != "" && !strings.HasPrefix(lineOf(s, test.line), test.shows) {
			if _, err := r.Body.Read(b); err != nil {
				t.Fatalf("after %q: %v; the screen is %q", test.types, err, s.Screen().Lines)
			}
		}
	}
	rest, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasSuffix(string(rest), "Good bye, reader.\r\n") {
		t.Errorf("the end is %q, %v", rest, err)
	}
	if text := strings.Join(s.Screen().Lines, "\n"); strings.Contains(text, "secret") || !strings.Contains(text, "login: reader") {
		t.Errorf("the screen is %q", text)
	}
}

func lineOf(s terminal.Session, n int) string {
	lines := s.Screen().Lines
	if n >= len(lines) {
		return ""
	}
	return lines[n]
}
