//go:build linux

package main

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
)

// A session on a terminal is shown in UTF-8, from Latin-1 unless --charset says otherwise.
// What is typed is sent in that character set. A session in UTF-8 stays as it is.
func TestOpenCharset(t *testing.T) {
	for _, tt := range []struct {
		args         []string
		says, shown  string // by the other side
		types, heard string // there
	}{
		{nil, "caf\xe9", "café", "\u00e9", "\u00e9"},
		{[]string{"--charset", "ISO-8859-1"}, "caf\xe9", "café", "é€", "\xe9\x80"}, // as in browsers it is windows-1252
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
			_, _ = io.WriteString(conn, tt.says+" ready\r\n")
			line, _ := bufio.NewReader(conn).ReadString('\r')
			heard <- line
		}()
		terminal := newTerminal(t, 80, 24)
		cmd := terminal.locus(append(append([]string{"open"}, tt.args...), "telnet://"+l.Addr().String()+"/")...)
		if shown := terminal.waitFor(" ready"); !strings.HasSuffix(shown, tt.shown) {
			t.Errorf("open %q shows %q, want %q", tt.args, shown, tt.shown)
		}
		terminal.types(tt.types + "\r")
		if got := strings.TrimSuffix(<-heard, "\r"); got != tt.heard {
			t.Errorf("open %q sends %q, want %q", tt.args, got, tt.heard)
		}
		terminal.waitFor("the session has ended")
		if err := cmd.Wait(); err != nil {
			t.Errorf("open %q: %v", tt.args, err)
		}
		l.Close()
	}
}
