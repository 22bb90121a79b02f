package peers

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Every server starts, serves its root, and has stopped when its test has ended.
func TestServers(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *Server
		ask   string
		want  string
	}{
		{"nginx", Nginx, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"lighttpd", Lighttpd, "GET /a.txt HTTP/1.0\r\n\r\n", "\r\nWWW-Authenticate: Digest "},
		{"lighttpd, WebDAV", LighttpdDAV, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"apache", Apache, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"rclone, WebDAV", RcloneWebDAV, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"rclone, HTTP", RcloneHTTP, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"x/net/webdav", GoWebDAV, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"Python", PythonHTTP, "GET /a.txt HTTP/1.0\r\n\r\n", "hello from a peer"},
		{"gophernicus", Gophernicus, "/a.txt\r\n", "hello from a peer"},
		{"pygopherd", Pygopherd, "/a.txt\t+\r\n", "+18\r\nhello from a peer"},
		{"vsftpd", VSFTPD, "USER anonymous\r\nPASS me@example.org\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"vsftpd, separated", VSFTPDSeparated, "USER anonymous\r\nPASS me@example.org\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"proftpd", ProFTPD, "USER alice\r\nPASS secret\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"pure-ftpd", PureFTPd, "USER alice\r\nPASS secret\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"inetutils-ftpd", InetutilsFTPD, "USER anonymous\r\nPASS me@example.org\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"pyftpdlib", func(t testing.TB, root string) *Server { return Pyftpdlib(t, root, "replace") }, "USER anonymous\r\nPASS me@example.org\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"twisted", Twisted, "USER alice\r\nPASS secret\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"goftp", GoFTP, "USER alice\r\nPASS secret\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
		{"sn", newsServer(SN), "GROUP local.test\r\nBODY <a@example.org>\r\nQUIT\r\n", "hello from a peer\r\n.\r\n"},
		{"inn", newsServer(INN), "QUIT\r\n", "(transit mode)"},
		{"proftpd, anonymous", ProFTPD, "USER anonymous\r\nPASS guest@example.org\r\nTYPE I\r\nSIZE a.txt\r\nQUIT\r\n", "213 18\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var addr string
			t.Run("runs", func(t *testing.T) {
				s := test.start(t, library(t))
				addr = s.Addr
				if got := ask(t, s.Addr, test.ask); !strings.Contains(got, test.want) {
					t.Errorf("%s answers %q with %q, want %q in it", test.name, test.ask, got, test.want)
				}
			})
			if addr == "" {
				return // skipped
			}
			if answers(addr, test.ask, test.want) {
				t.Errorf("%s still answers at %s after its test", test.name, addr)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *Server
		ask   string
		last  string
		want  []string
	}{
		{"vsftpd", VSFTPD, "USER anonymous\r\nPASS x\r\nCWD p q\r\nQUIT\r\n", "QUIT", []string{"USER anonymous", "PASS <password>", "CWD p q", "QUIT"}},
		{"proftpd", ProFTPD, "USER alice\r\nPASS secret\r\nCWD p q\r\nQUIT\r\n", "QUIT", []string{"USER alice", "PASS (hidden)", "CWD p q", "QUIT"}},
		{"nginx", Nginx, "GET /a.txt?b HTTP/1.0\r\n\r\n", "GET /a.txt?b HTTP/1.0", []string{"GET /a.txt?b HTTP/1.0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.start(t, library(t))
			for range 2 { // the same commands are not returned again
				ask(t, s.Addr, test.ask)
				if got := s.Commands(t, test.last); !slices.Equal(got, test.want) {
					t.Errorf("Commands(%q) = %q, want %q", test.last, got, test.want)
				}
			}
		})
	}
}

// Commands stops waiting for a missing command after a while. An incomplete line does not
// count as a command.
func TestCommandLogWaits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	log := commandLog{file: file, line: func(s string) (string, bool) { return s, true }}
	if got, ok := log.since("QUIT", 0); ok || len(got) != 0 {
		t.Errorf("no log yet: since = %q, %v, want none, false", got, ok)
	}
	if err := os.WriteFile(file, []byte("USER a\nQUI"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, ok := log.since("QUI", 0); ok || !slices.Equal(got, []string{"USER a"}) {
		t.Errorf("half a line: since = %q, %v, want USER a, false", got, ok)
	}
	if got, ok := log.since("", 0); !ok || len(got) != 1 {
		t.Errorf("without waiting: since = %q, %v, want one line, true", got, ok)
	}
}

func TestVsftpdCommand(t *testing.T) {
	for _, test := range []struct {
		in   string
		want string
		ok   bool
	}{
		{`Sat Nov 21 03:00:00 2026 [pid 2] [nobody] FTP command: Client "127.0.0.1", "CWD a"b"`, `CWD a"b`, true},
		{`Sat Nov 21 03:00:00 2026 [pid 2] FTP response: Client "127.0.0.1", "230 Login successful."`, "", false},
		{`Sat Nov 21 03:00:00 2026 [pid 2] CONNECT: Client "127.0.0.1"`, "", false},
		{"", "", false},
	} {
		if got, ok := vsftpdCommand(test.in); got != test.want || ok != test.ok {
			t.Errorf("vsftpdCommand(%q) = %q, %v, want %q, %v", test.in, got, ok, test.want, test.ok)
		}
	}
}

func TestSet(t *testing.T) {
	in := "port = 70\n# interface = gopher.example.com\n# The interface on which = to listen\nother = 1\n"
	want := "port = 7070\ninterface = 127.0.0.1\n# The interface on which = to listen\nother = 1\n"
	if got := setValues(in, map[string]string{"port": "7070", "interface": "127.0.0.1"}); got != want {
		t.Errorf("set = %q, want %q", got, want)
	}
}

// A test whose server is not unpacked is skipped with a hint, and fails in CI.
func TestMissing(t *testing.T) {
	for _, test := range []struct {
		ci      string
		skipped bool
	}{
		{"", true},
		{"true", false},
	} {
		empty := t.TempDir()
		t.Setenv("LOCUS_PEERS", empty)
		t.Setenv("CI", test.ci)
		r := &recorder{TB: t}
		func() {
			defer func() { _ = recover() }()
			VSFTPD(r, t.TempDir())
		}()
		if r.skipped != test.skipped || r.failed == test.skipped {
			t.Errorf("CI=%q: skipped %v, failed %v, want skipped %v", test.ci, r.skipped, r.failed, test.skipped)
		}
		for _, want := range []string{"vsftpd", empty, "make peers"} {
			if !strings.Contains(r.text, want) {
				t.Errorf("CI=%q: %q does not name %q", test.ci, r.text, want)
			}
		}
	}
}

// If a program ends before it answers, the error has its output.
func TestEndsAtOnce(t *testing.T) {
	if _, err := exec.LookPath("/bin/sh"); err != nil {
		t.Skipf("there is no shell: %v", err)
	}
	dir := t.TempDir()
	share(t, dir)
	cmd := program("/bin", "sh", "-c", "echo wrong option; exit 3")
	p, err := run(cmd, filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	nobody := fmt.Sprintf("127.0.0.1:%d", reserve(t))
	if err := p.waitReady(dialTo(nobody)); err == nil || !strings.Contains(err.Error(), "wrong option") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("ready = %v, want exit status 3 and the output of the program", err)
	}
}

// A server that greets is ready when it has greeted, not when it has accepted a connection.
func TestGreeted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var greeted atomic.Bool
	var servers sync.WaitGroup
	defer servers.Wait()
	servers.Go(func() {
		for _, greeting := range []string{"", "hello"} {
			conn, err := l.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			greeted.Store(greeting != "")
			_, _ = conn.Write([]byte(greeting))
			conn.Close()
		}
	})
	dial := greetedBy(l.Addr().String())
	if conn, err := dial(); err == nil {
		conn.Close()
		t.Error("a server that closes the connection without a greeting is ready")
	}
	conn, err := dial()
	if err != nil || !greeted.Load() {
		t.Fatalf("ready = %v, greeted %v, want a greeting", err, greeted.Load())
	}
	conn.Close()
}

// recorder is a testing.TB that records how it was ended.
type recorder struct {
	testing.TB
	skipped, failed bool
	text            string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) { r.skipped = true; r.end(format, args) }

func (r *recorder) end(format string, args []any) {
	r.text = fmt.Sprintf(format, args...)
	panic(r)
}

func (r *recorder) Fatalf(format string, args ...any) { r.failed = true; r.end(format, args) }

// library makes a folder with one text of 18 bytes.
func library(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello from a peer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "p q"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ask sends text and returns everything until the server closes.
func ask(t *testing.T, addr, text string) string {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("%q was answered with %q, then %v", text, got, err)
	}
	return string(got)
}

// answers reports whether the answer of the server contains want. Another server at its
// port gives another answer.
func answers(addr, text, want string) bool {
	conn, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second)) // it may be silent
	_, _ = io.WriteString(conn, text)
	got, _ := io.ReadAll(conn) // errors do not matter
	return strings.Contains(string(got), want)
}

// newsServer starts a server with one article.
func newsServer(start func(testing.TB, []string, ...string) *Server) func(testing.TB, string) *Server {
	return func(t testing.TB, _ string) *Server {
		return start(t, []string{"local.test"}, "From: a@example.org\nNewsgroups: local.test\nSubject: x\nMessage-ID: <a@example.org>\n\nhello from a peer\n")
	}
}
