package tn3270d

import (
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// served returns the other end of a connection that s serves. When the connection has ended,
// the bytes that s sent are sent to the channel.
func served(t *testing.T, s *Server) (c net.Conn, said <-chan string) {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		s.Serve(context.Background(), server)
	}()
	all := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(client)
		all <- string(text)
	}()
	t.Cleanup(func() { client.Close() })
	return client, all
}

const (
	display = "\xff\xfb\x18\xff\xfa\x18\x00IBM-3278-2\xff\xf0\xff\xfb\x19\xff\xfd\x19\xff\xfb\x00\xff\xfd\x00"
	asks    = "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00"
	leave   = "\xf3\x40\x40\xff\xef"
)

func TestSession(t *testing.T) {
	var log []string
	c, said := served(t, &Server{Log: func(line string) { log = append(log, line) }})
	for _, typed := range []string{
		display,
		"\x7d\xc2\x60\x11\xc2\x6f\xf1\xff\xef", // option 1
		"\x7d\xc3\x60\x11\xc2\x6f\xc1\x84\x81\x11\xc3\x7f\xa7\xa8\xa9\xff\xef", // Ada, xyz
		"\x6d\xff\xef", // Clear
		"\x6c\xff\xef", // PA1
		leave,
		leave,
	} {
		if _, err := io.WriteString(c, typed); err != nil {
			t.Fatalf("typing %q: %v", typed, err)
		}
	}
	text := <-said
	if !strings.HasPrefix(text, asks+"\xf5\xc3") || !strings.HasSuffix(text, "\xff\xef") {
		t.Errorf("the host says %q", text)
	}
	for _, shown := range []string{"locus demo", "Option ===>", "Name   ===>", "Hello, Ada! Your secret has 3 letters.", "PA1 does nothing here.", "Good bye."} {
		if !strings.Contains(text, string(encode(shown))) {
			t.Errorf("the host does not show %q", shown)
		}
	}
	if want := []string{"Enter option=1", "Enter name=Ada secret=xxxxx", "Clear", "PA1", "PF3", "PF3"}; !slices.Equal(log, want) {
		t.Errorf("log %q, want %q", log, want)
	}
}

func TestOthersAreSentAway(t *testing.T) {
	const is3278 = "\xff\xfb\x18\xff\xfa\x18\x00IBM-3278-2\xff\xf0"
	for _, says := range [][]string{ // each after the last was read
		{"\xff\xfc\x18"},
		{"\xff\xfb\x18\xff\xfa\x18\x00VT100\xff\xf0"},
		{"\xff\xfb\x18\xff\xfc\x18"},
		{is3278, "\xff\xfe\x19"},
		{is3278, "\xff\xfd\x19\xff\xfb\x19\xff\xfc\x00"},
		{strings.Repeat("\xff\xfb\x01", longest/3+1)},
	} {
		c, said := served(t, &Server{})
		for _, text := range says {
			_, _ = io.WriteString(c, text)
		}
		if text := <-said; !strings.Contains(text, "This is for 3270 displays") {
			t.Errorf("a client that says %q is told %q", says, text)
		}
	}
}

func TestHostileClients(t *testing.T) {
	for _, says := range []string{
		strings.Repeat("x", longest),
		"\xff\xfb\x18\xff\xfa" + strings.Repeat("x", longest),
		display + strings.Repeat("x", longest),
		display + strings.Repeat("\xff\xfa\x18\xff\xf0", 10) + strings.Repeat("x", longest),
	} {
		c, said := served(t, &Server{})
		go func() { _, _ = io.WriteString(c, says) }()
		<-said
	}
}

func TestSilentClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c, said := served(t, &Server{})
		_, _ = io.WriteString(c, display)
		<-said
		if waited := time.Since(start); waited != idle {
			t.Errorf("a silent client is left after %v, want %v", waited, idle)
		}
	})
}

func TestPanels(t *testing.T) {
	for name, p := range map[string]panel{"menu": menu("x"), "greeting": greeting("x"), "colours": colours("x")} {
		stream := p.stream()
		if !bytes.Contains(stream, encode("x")) || len(stream) > 4<<10 {
			t.Errorf("%s: a stream of %d bytes", name, len(stream))
		}
		if got, want := bytes.Count(stream, []byte{insertCursor}), min(1, len(p.fields())); got != want {
			t.Errorf("%s: %d cursors, want %d", name, got, want)
		}
	}
}

func TestEBCDIC(t *testing.T) {
	for c := byte(' '); c < 0x7F; c++ {
		if got := decode(encode(string(c))); got != string(c) {
			t.Errorf("%q comes back as %q", c, got)
		}
	}
	seen := map[byte]bool{}
	for bits := range byte(64) {
		if c := code6(bits); c&0x3F != bits || seen[c] {
			t.Errorf("code6(%#x) = %#x", bits, c)
		} else {
			seen[c] = true
		}
	}
	for a := range 1920 {
		if b := appendAddress(nil, a); address(b[0], b[1]) != a {
			t.Errorf("address %d is %x, read as %d", a, b, address(b[0], b[1]))
		}
	}
	if got := address(0x07, 0x7F); got != 1919 {
		t.Errorf("an address of 14 bits is read as %d", got)
	}
}

// The server answers any input of a display, or ends the session.
func FuzzServe(f *testing.F) {
	f.Add([]byte(display + "\x7d\xc2\x60\x11\xc2\x6f\xf1\xff\xef" + leave + leave))
	f.Add([]byte("\xff\xfb\x18\xff\xfa\x18\x00VT100\xff\xf0"))
	f.Fuzz(func(t *testing.T, says []byte) {
		client, server := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer server.Close()
			(&Server{Log: func(string) {}}).Serve(context.Background(), server)
		}()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		_, _ = client.Write(says)
		client.Close()
		<-done
	})
}
