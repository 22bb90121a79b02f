//go:build linux

package main

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
)

// A session on a terminal is shown in UTF-8. Other text is converted from Latin-1 or the character
// set of --charset, and typed text is converted to it. A session in UTF-8 is not converted.
func TestOpenCharset(t *testing.T) {
	for _, test := range []struct {
		args         []string
		says, shown  string // the server's text, and the text on the terminal
		types, heard string // the typed text, and the bytes that the server gets
	}{
		{nil, "caf\xe9", "café", "\u00e9", "\u00e9"},
		{[]string{"--charset", "ISO-8859-1"}, "caf\xe9", "café", "é€", "\xe9\x80"}, // as in browsers, ISO-8859-1 means windows-1252
		{[]string{"--charset", "KOI8-R"}, "\xcd\xc9\xd2", "мир", "да漢", "\xc4\xc1\x1a"},
		{[]string{"--charset", "KOI8-R"}, "мир", "мир", "да", "да"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan string, 1)
		go func() {
			defer close(heard)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, test.says+" ready\r\n")
			line, _ := bufio.NewReader(conn).ReadString('\r')
			heard <- line
		}()
		terminal := newTerminal(t, 80, 24)
		cmd := terminal.locus(append(append([]string{"open"}, test.args...), "telnet://"+l.Addr().String()+"/")...)
		if shown := terminal.waitFor(" ready"); !strings.HasSuffix(shown, test.shown) {
			t.Errorf("open %q shows %q, want %q", test.args, shown, test.shown)
		}
		terminal.types(test.types + "\r")
		if got := strings.TrimSuffix(<-heard, "\r"); got != test.heard {
			t.Errorf("open %q sends %q, want %q", test.args, got, test.heard)
		}
		terminal.waitFor("the session has ended")
		if err := cmd.Wait(); err != nil {
			t.Errorf("open %q: %v", test.args, err)
		}
		l.Close()
	}
}
