package get

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
)

// get ends with a session: when the server closes the connection, and when it has been silent for --idle after its
// text. It does not read stdin. A server that sends no text is an error.
func TestSession(t *testing.T) {
	for _, test := range []struct {
		text   string // from the server
		closes bool   // the server closes the connection after the text
		status int
		stderr string
	}{
		{"login: ", false, 0, ""},
		{"login: ", true, 0, ""},
		{"", true, 0, ""},
		{"", false, 1, "locus: read telnet://HOST/: the server sent nothing for 300ms\n"},
		{"\xff\xfd\x18", false, 1, "locus: read telnet://HOST/: the server sent nothing for 300ms\n"}, // DO TERMINAL-TYPE
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() {
			defer close(served)
			conn, err := l.Accept()
			l.Close()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, test.text)
			if !test.closes {
				_, _ = io.Copy(io.Discard, conn)
			}
		}()
		host := l.Addr().String()
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: "x\n"}, "--idle", "300ms", "telnet://"+host+"/")
		<-served
		want := test.text
		if test.status != 0 {
			want = ""
		}
		if status != test.status || stdout != want || stderr != strings.Replace(test.stderr, "HOST", host, 1) {
			t.Errorf("get of a session with %q (closed: %v) = %d, %q, %q, want %d, %q, %q", test.text, test.closes, status, stdout, stderr, test.status, want, test.stderr)
		}
	}
}

// Without --idle a session ends after a minute of silence. The engines' default has no limit for a session that has
// begun.
func TestSessionIdle(t *testing.T) {
	for _, test := range []struct{ given, want time.Duration }{
		{0, time.Minute},
		{2 * time.Second, 2 * time.Second},
	} {
		o := Options{}
		o.Idle = test.given
		if got := o.withDefaults().Idle; got != test.want {
			t.Errorf("with --idle %v the limit is %v, want %v", test.given, got, test.want)
		}
	}
}
