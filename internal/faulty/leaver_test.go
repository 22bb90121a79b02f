package faulty

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
)

// The first request on a connection is answered, and the second is not.
func TestLeave(t *testing.T) {
	for _, test := range []struct {
		reset  bool
		second string
		lost   int64
	}{
		{false, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 0},
		{true, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 0},
		{false, "OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n", 0},
		{false, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", 0},
		{true, "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 1},
		{false, "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody", 1},
	} {
		s := Leave(t, test.reset)
		c, err := net.Dial("tcp", s.Addr)
		if err != nil {
			t.Fatalf("reset %v: %v", test.reset, err)
		}
		defer c.Close()
		io.WriteString(c, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
		in := bufio.NewReader(c)
		r, err := http.ReadResponse(in, &http.Request{Method: http.MethodHead})
		if err != nil || r.StatusCode != http.StatusOK || in.Buffered() > 0 {
			t.Fatalf("the first request: %v, %v, %d bytes more", r, err, in.Buffered())
		}
		io.WriteString(c, test.second)
		if _, err := in.ReadByte(); !errors.Is(err, io.EOF) && !test.reset || test.reset && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the second request, reset %v: %v", test.reset, err)
		}
		if a, l, lost := s.Answered.Load(), s.Left.Load(), s.Lost.Load(); a != 1 || l != 1 || lost != test.lost {
			t.Errorf("%q: %d answered, %d left, %d lost, want 1, 1, %d", test.second, a, l, lost, test.lost)
		}
	}
}
