package open

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
	"locus/limit"
)

// telnetd serves one session, and returns its address.
func telnetd(t *testing.T, session func(c net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			session(c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

// The lines of stdin are sent. The user and the password of the URL are not sent.
func TestSession(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--escape", "none"}} {
		typed := make(chan string, 1)
		at := telnetd(t, func(c net.Conn) {
			_, _ = io.WriteString(c, "login: ")
			line, _ := bufio.NewReader(c).ReadString('\n')
			typed <- line
			_, _ = io.WriteString(c, "\r\nbye\r\n")
		})
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: "guest\n"}, append(args, "telnet://ada:hush@"+at+"/")...)
		if line := <-typed; strings.Contains(line, "hush") || strings.Contains(line, "ada") || !strings.HasSuffix(strings.TrimRight(line, "\r\n\x00"), "guest") {
			t.Errorf("open %q sends %q to the server", args, line)
		}
		if status != 0 || !strings.Contains(stdout, "login: ") || !strings.Contains(stdout, "bye") || stderr != "locus: the URL suggests logging in as \"ada\"\n" {
			t.Errorf("%q: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
}

// If there is no server, or it closes the connection at once, the error says so. Errors do not show
// the password.
func TestSessionFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, "telnet://ada:hush@"+l.Addr().String()+"/")
	if status != 1 || stdout != "" || !strings.HasPrefix(stderr, "locus: open telnet://ada:xxxxx@127.0.0.1:") || strings.Contains(stderr, "hush") {
		t.Errorf("open without a server = %d, %q, %q", status, stdout, stderr)
	}
	at := telnetd(t, func(net.Conn) {})
	if status, stdout, stderr = clitest.Run(t, Verb(), clitest.Input{}, "telnet://"+at+"/"); status != 0 || stdout != "" || stderr != "" {
		t.Errorf("open of a server that closes at once = %d, %q, %q", status, stdout, stderr)
	}
}

// A silent session ends when the user interrupts it, and after --max-time.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	for _, maxTime := range []time.Duration{0, 20 * time.Millisecond} {
		r, w, err := os.Pipe() // no text is typed, and stdin does not end
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		out, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		ctx, cancel := context.WithCancel(t.Context())
		at := telnetd(t, func(c net.Conn) {
			if maxTime == 0 {
				cancel()
			}
			_, _ = io.Copy(io.Discard, c)
		})
		e := cli.NewEnv(r, out, out)
		e.LookupEnv = func(string) (string, bool) { return "", false }
		err = Run(ctx, e, Options{URL: []string{"telnet://" + at + "/"}, Escape: "none", Timeout: maxTime})
		cancel()
		if maxTime == 0 && !errors.Is(err, cli.ErrInterrupted) || maxTime > 0 && !limit.IsTimeout(err) {
			t.Errorf("a silent session with --max-time %v ends with %v", maxTime, err)
		}
	}
}
