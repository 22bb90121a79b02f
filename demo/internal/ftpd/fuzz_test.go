package ftpd

import (
	"bytes"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A recordedConn is a control connection on which a client has sent everything. It records the
// replies.
type recordedConn struct {
	io.Reader
	replies bytes.Buffer
}

func (s *recordedConn) Write(b []byte) (int, error) { return s.replies.Write(b) }
func (s *recordedConn) Close() error                { return nil }
func (s *recordedConn) LocalAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 21}
}
func (s *recordedConn) RemoteAddr() net.Addr             { return s.LocalAddr() }
func (s *recordedConn) SetDeadline(time.Time) error      { return nil }
func (s *recordedConn) SetReadDeadline(time.Time) error  { return nil }
func (s *recordedConn) SetWriteDeadline(time.Time) error { return nil }

var replies = regexp.MustCompile(`^(\d{3} [^\r\n]*\r\n|(\d{3})-[^\r\n]*\r\n( [^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n)*$`)

// The server sends only well-formed replies, whatever the client sends, and does not log a
// password.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"USER ftp\r\nPASS x\r\nPWD\r\nCWD \r\nQUIT\r\n", "USER demo\r\nPASS demo\r\nFEAT\r\nOPTS MLST size;\r\nMLST etc/motd\r\n",
		"USER demo\r\nPASS hunter2\r\n", "HELP\r\nSTAT\r\n", "USER ftp\nPASS x\nSIZE a.txt\nMDTM a.txt\nREST 3\nRETR a.txt\nEPSV\nPASV\n",
		"\xff\xf4\xff\xf2ABOR\r\n", "\xff", "pass\thunter2\r\n", "USER ftp\r\nPASS\r\nCWD ../..\r\nCDUP\r\nLIST -la\r\nMLSD /\r\n",
	} {
		f.Add(seed)
	}
	served := files()
	noListen := func(string, string) (net.Listener, error) { return nil, errors.New("not here") }
	f.Fuzz(func(t *testing.T, text string) {
		var log strings.Builder
		c := &recordedConn{Reader: strings.NewReader(text)}
		s := &Server{Files: served, Listen: noListen, Log: func(line string) { log.WriteString(line + "\n") }}
		s.Serve(t.Context(), c)
		if got := c.replies.String(); !replies.MatchString(got) {
			t.Errorf("%q is answered %q", text, got)
		}
		for line := range strings.Lines(log.String()) {
			if rest, ok := strings.CutPrefix(strings.ToUpper(line), "PASS"); ok && rest != " XXXXX\n" {
				t.Errorf("%q is logged as %q", text, line)
			}
		}
	})
}
