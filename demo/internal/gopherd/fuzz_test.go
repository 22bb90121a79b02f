package gopherd

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

// A recordedConn is a connection on which a client has sent everything. It records the answer.
type recordedConn struct {
	io.Reader
	answer bytes.Buffer
}

func (s *recordedConn) Write(b []byte) (int, error)      { return s.answer.Write(b) }
func (s *recordedConn) Close() error                     { return nil }
func (s *recordedConn) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv6loopback, Port: 70} }
func (s *recordedConn) RemoteAddr() net.Addr             { return s.LocalAddr() }
func (s *recordedConn) SetDeadline(time.Time) error      { return nil }
func (s *recordedConn) SetReadDeadline(time.Time) error  { return nil }
func (s *recordedConn) SetWriteDeadline(time.Time) error { return nil }

// The answer to any request is empty, or ends as its header or the kind of the item requires.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"\r\n", "/sub\t$\r\n", "/sub/dots.txt\t+\r\n", "/README.txt\t!+VIEWS\r\n", "/search\tgopher\t$+VIEWS\r\n", "/none\r\n", "x\ty\tz\n",
		"/guestbook\t+\t1\r\n+-1\r\na\r\nb\r\n1\r\nc\r\n1\r\nd\r\ne\r\n.\r\n", "/guestbook\t+\t1\r\n+2\r\na\r\n", "/guestbook\t+\t1\r\n+-2\r\n",
		"URL:http://[::1]:81/\r\n", "\t+application/gopher+-menu\r\n",
	} {
		f.Add(seed)
	}
	served := files()
	index, err := library.NewIndex(served)
	if err != nil {
		f.Fatal(err)
	}
	s := &Server{Files: served, Index: index, Links: []serve.Link{{Title: "The web", Scheme: "http", Port: 81}}}
	f.Fuzz(func(t *testing.T, request string) {
		c := &recordedConn{Reader: strings.NewReader(request)}
		s.Serve(t.Context(), c)
		answer := c.answer.String()
		for _, header := range []string{"+-1\r\n", "--1\r\n", "3"} {
			if strings.HasPrefix(answer, header) && !strings.HasSuffix(answer, "\r\n.\r\n") && answer != header+".\r\n" {
				t.Errorf("%q is answered %q, without a last line", request, answer)
			}
		}
		if n := strings.Count(answer, "--1\r\n"); n > 1 || n == 1 && !strings.HasPrefix(answer, "--1\r\n") {
			t.Errorf("%q is answered %q, with an error inside", request, answer)
		}
	})
}
