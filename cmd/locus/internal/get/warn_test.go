package get

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// A gopher text without its final period, from a server that does not accept a second connection,
// is written. get warns unless --quiet is given.
func TestWarning(t *testing.T) {
	for _, args := range [][]string{nil, {"--quiet"}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := l.Accept()
			l.Close()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = bufio.NewReader(conn).ReadString('\n')
			_, _ = io.WriteString(conn, "one\r\n")
		}()
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, append(args, "gopher://"+l.Addr().String()+"/0a")...)
		want := "locus: warning: gopher://" + l.Addr().String() + "/0a: it has no period at its end, and the server cannot be asked whether it is whole: "
		if status != 0 || stdout != "one\r\n" || strings.HasPrefix(stderr, want) != (args == nil) || args != nil && stderr != "" {
			t.Errorf("get %q = %d, %q, %q", args, status, stdout, stderr)
		}
	}
}
