package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestRunHandlesAndEnds(t *testing.T) {
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- Run(ctx, l, 2, func(_ context.Context, c net.Conn) { io.Copy(c, c) })
	}()
	c := dial(t, l)
	if _, err := io.WriteString(c, "hello"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(c, b); err != nil || string(b) != "hello" {
		t.Fatalf("echo = %q, %v", b, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v, want nil once its context is done", err)
	}
	if n, err := c.Read(b); err == nil {
		t.Errorf("the connection of an ended server gives %d bytes", n)
	}
}

// A reply is not lost because the client said more than was read.
func TestRunLingers(t *testing.T) {
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- Run(ctx, l, 1, func(_ context.Context, c net.Conn) { io.WriteString(c, "bye") })
	}()
	for range 20 {
		c := dial(t, l)
		if _, err := io.WriteString(c, "more than anyone asked for"); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(c); err != nil || string(b) != "bye" {
			t.Fatalf("the client reads %q, %v, want bye", b, err)
		}
		c.Close()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A late is a listener to which somebody comes as the server is ended.
type late struct {
	net.Listener
	end    func()
	closed atomic.Bool
}

func (l *late) Accept() (net.Conn, error) {
	l.end()
	c, _ := net.Pipe()
	return c, nil
}

func (l *late) Close() error {
	l.closed.Store(true)
	return nil
}

// When Run has returned, its listener is closed, however it came to its end.
func TestRunCloses(t *testing.T) {
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		l := &late{end: cancel}
		if err := Run(ctx, l, 1, func(context.Context, net.Conn) { t.Error("it handles who came too late") }); err != nil {
			t.Errorf("Run = %v, want nil once its context is done", err)
		}
		if !l.closed.Load() {
			t.Fatal("the listener is open when Run has returned")
		}
	}
}

func TestRunFailsWithItsListener(t *testing.T) {
	l := listen(t)
	l.Close()
	if err := Run(t.Context(), l, 1, func(context.Context, net.Conn) {}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Run = %v, want %v", err, net.ErrClosed)
	}
}

func TestLimitHoldsOthersBack(t *testing.T) {
	l := Limit(listen(t), 1)
	first, second := dial(t, l), dial(t, l)
	served, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	select {
	case <-accepted:
		t.Fatal("two connections are open, want one")
	default:
	}
	served.Close()
	served.Close() // frees one place only
	c := <-accepted
	defer c.Close()
	if c.RemoteAddr().String() != second.LocalAddr().String() {
		t.Errorf("accepted %v, want %v after %v", c.RemoteAddr(), second.LocalAddr(), first.LocalAddr())
	}
}

func TestLimitCloseEndsAWaitingAccept(t *testing.T) {
	l := Limit(listen(t), 1)
	dial(t, l)
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ended := make(chan error)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept = %v, want %v", err, net.ErrClosed)
	}
}

func TestWithIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		c := WithIdle(a, time.Minute)
		start := time.Now()
		for range 2 { // the deadline moves
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Read = %v, want %v", err, os.ErrDeadlineExceeded)
			}
		}
		if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write = %v, want %v", err, os.ErrDeadlineExceeded)
		}
		if took := time.Since(start); took != 3*time.Minute {
			t.Errorf("three waits took %v, want 3m", took)
		}
	})
}

func TestLine(t *testing.T) {
	for _, test := range []struct {
		in, want string
		err      error
	}{
		{"abc\r\nd", "abc", nil},
		{"abc\n", "abc", nil},
		{"\r\n", "", nil},
		{"a\r\r\n", "a\r", nil},
		{strings.Repeat("x", 15) + "\n", strings.Repeat("x", 15), nil},
		{strings.Repeat("x", 16) + "\n", "", ErrLineTooLong},
		{"abc", "", io.EOF},
		{"", "", io.EOF},
	} {
		got, err := Line(bufio.NewReaderSize(strings.NewReader(test.in), 16))
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("Line(%q) = %q, %v, want %q, %v", test.in, got, err, test.want, test.err)
		}
	}
}

func TestHost(t *testing.T) {
	for _, test := range []struct {
		addr net.Addr
		want string
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7}, "127.0.0.1"},
		{&net.TCPAddr{IP: net.IPv6loopback, Port: 7}, "::1"},
		{&net.UnixAddr{Name: "pipe"}, "pipe"},
	} {
		if got := Host(test.addr); got != test.want {
			t.Errorf("Host(%v) = %q, want %q", test.addr, got, test.want)
		}
	}
}

func TestLinkURL(t *testing.T) {
	l := Link{Title: "FTP", Scheme: "ftp", Port: 2121}
	for _, test := range []struct{ host, want string }{
		{"127.0.0.1", "ftp://127.0.0.1:2121/"},
		{"::1", "ftp://[::1]:2121/"},
	} {
		if got := l.URL(test.host); got != test.want {
			t.Errorf("URL(%q) = %q, want %q", test.host, got, test.want)
		}
	}
}
