package telnetd

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// talk serves a client that sends text and then nothing more, and returns what it
// is sent.
func talk(t *testing.T, text string, files fstest.MapFS) (shown string, logged []string) {
	t.Helper()
	return talkTo(t, (*Server).Serve, text, files)
}

func talkTo(t *testing.T, serve func(*Server, context.Context, net.Conn), text string, files fstest.MapFS) (shown string, logged []string) {
	t.Helper()
	client, server := net.Pipe()
	s := &Server{Files: files, Log: func(line string) { logged = append(logged, line) }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serve(s, t.Context(), server)
		server.Close()
	}()
	go func() {
		for i := range len(text) {
			if _, err := io.WriteString(client, text[i:i+1]); err != nil {
				return
			}
		}
	}()
	all, err := io.ReadAll(client)
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	<-done
	return string(all), logged
}

func TestVisit(t *testing.T) {
	files := fstest.MapFS{
		"a.txt": {Data: []byte("one\r\ntwo\x1b[2J\tthree\n")}, "b.gif": {}, "c.txt": {Data: []byte(strings.Repeat("line\n", 100))},
	}
	const login, end = "x\r\n\r\x00", "Good bye, x.\r\n"
	for _, test := range []struct {
		types  string
		shows  []string
		logged string
	}{
		{login + "q", []string{"\xff\xfb\x01\xff\xfb\x03\xff\xfd\x1f", "login: x\r\npassword: \r\n", "> a.txt", "  c.txt", end}, "login x"},
		{"xy\b\x7f\x7fx\x01\r" + "secret\rq", []string{"login: xy\b \b\b \bx", end}, "login x"},
		{login + "\rqq", []string{"two.[2J    three"}, "login x,read a.txt"},
		{login + "kkjjj\r bbqq", []string{"line 23 of 101"}, "login x,read c.txt"},
		{login + "\xff\xfb\x1f\xff\xfa\x1f\x00\x0a\x00\x05\xff\xf0j\rjkqq", []string{"\x1b[5;1H\x1b[7marrows or\x1b[m", "line 2 of"}, "login x,read c.txt"},
		{login + "\xff\xfb\x1f\xff\xfa\x1f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xf0q", []string{"\x1b[24;1H"}, "login x"},
		{"\xff\xfd\x18\xff\xfd\x18\xff\xfb\x20\xff\xfd\x01\xff\xfb\x1f\xff\xf1\xff\xff" + login + "q", []string{"\xff\xfc\x18\xff\xfe\x20", end}, "login x"},
	} {
		shown, logged := talk(t, test.types, files)
		for _, want := range test.shows {
			if want == end {
				want = "Good bye, "
			}
			if !strings.Contains(shown, want) {
				t.Errorf("%q shows %q, want %q in it", test.types, shown, want)
			}
		}
		if got := strings.Join(logged, ","); got != test.logged {
			t.Errorf("%q logs %q, want %q", test.types, got, test.logged)
		}
		if strings.Contains(shown, "secret") {
			t.Errorf("%q shows the password", test.types)
		}
	}
}

// Bytes of Telnet are typed text for rlogin.
func TestRlogin(t *testing.T) {
	shown, logged := talkTo(t, (*Server).ServeRlogin, "\x00me\x00x\x00vt100/9600\x00\xff\xfd\rq", fstest.MapFS{})
	if !strings.HasPrefix(shown, "\x00The little library") || !strings.HasSuffix(shown, "Good bye, x.\r\n") || strings.Contains(shown, "\xff") {
		t.Errorf("shown %q", shown)
	}
	if want := []string{"login x"}; !slices.Equal(logged, want) {
		t.Errorf("logged %q, want %q", logged, want)
	}
}

func TestHostile(t *testing.T) {
	for _, text := range []string{
		"\xff\xfa\x1f" + strings.Repeat("x", 5000),
		strings.Repeat("x", 10_000) + "\r\rq",
		"x\r\rq",
	} {
		if shown, _ := talk(t, text, fstest.MapFS{}); len(shown) > 2000 {
			t.Errorf("%.10q… is answered with %d bytes", text, len(shown))
		}
	}
}
