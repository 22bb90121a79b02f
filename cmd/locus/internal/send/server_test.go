package send

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// An smtpServer is a server of this machine without TLS. It records the lines that it receives.
type smtpServer struct {
	addr    string
	replies map[string]string // by the command, instead of the usual ones; "-": silence

	mu    sync.Mutex
	lines []string
}

func newSMTP(t *testing.T, replies map[string]string) *smtpServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &smtpServer{addr: l.Addr().String(), replies: replies}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn) })
		}
	})
	return s
}

func (s *smtpServer) serve(conn net.Conn) {
	defer conn.Close()
	usual := map[string]string{
		"": "220 toy", "EHLO": "250-toy\r\n250 AUTH PLAIN LOGIN", "DATA": "354 go", "AUTH": "235 welcome", "QUIT": "221 bye", ".": "250 queued",
	}
	reply := func(verb string) bool {
		text, ok := s.replies[verb]
		if !ok {
			if text, ok = usual[verb]; !ok {
				text = "250 ok"
			}
		}
		if text == "-" {
			return true
		}
		_, err := fmt.Fprintf(conn, "%s\r\n", text)
		return err == nil
	}
	inData := false
	r := bufio.NewReader(conn)
	for ok := reply(""); ok; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.lines = append(s.lines, line)
		s.mu.Unlock()
		if inData && line != "." {
			continue
		}
		verb, _, _ := strings.Cut(line, " ")
		ok = reply(strings.ToUpper(verb))
		inData = verb == "DATA"
	}
}

// got returns everything that the server received, in lines.
func (s *smtpServer) got() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n") + "\n"
}

const letter = "From: ada@example.org\nTo: bob@example.org\nBcc: eve@example.org\n\nHello\n.dot\n"

// A message goes to all recipients through a server of this machine without TLS, which the flag or
// the variable names. stdout stays empty.
func TestSubmit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		env  map[string]string // SERVER stands for the address
		want []string          // lines that the server gets
	}{
		{[]string{"--smtp", "SERVER"}, nil, []string{"MAIL FROM:<ada@example.org>", "RCPT TO:<bob@example.org>", "RCPT TO:<eve@example.org>", "Hello", "..dot", "."}},
		{[]string{"--smtp", "smtp://SERVER"}, nil, []string{"."}},
		{nil, map[string]string{"SMTPSERVER": "SERVER"}, []string{"."}},
		{[]string{"--smtp", "SERVER"}, map[string]string{"SMTPSERVER": "127.0.0.1:1"}, []string{"."}},
		{[]string{"--smtp", "SERVER", "--from", "carol@example.org"}, nil, []string{"MAIL FROM:<carol@example.org>"}},
		{[]string{"--smtp", "smtp://ada@SERVER", "--smtp-no-tls"}, map[string]string{"LOCUS_PASSWORD": "sesame"}, []string{"AUTH PLAIN AGFkYQBzZXNhbWU="}},
		{[]string{"--smtp", "smtp://ada:sesame@SERVER", "--smtp-no-tls"}, nil, []string{"AUTH PLAIN AGFkYQBzZXNhbWU="}},
		{[]string{"--smtp", "SERVER", "--no-proxy"}, map[string]string{"all_proxy": "socks5://127.0.0.1:1"}, []string{"."}},
	} {
		s := newSMTP(t, nil)
		in := clitest.Input{Stdin: letter, Dir: t.TempDir(), Env: map[string]string{}}
		for name, value := range test.env {
			in.Env[name] = strings.ReplaceAll(value, "SERVER", s.addr)
		}
		args := strings.Split(strings.ReplaceAll(strings.Join(test.args, "\x00"), "SERVER", s.addr), "\x00")
		if test.args == nil {
			args = nil
		}
		status, stdout, stderr := clitest.Run(t, Verb(), in, args...)
		if status != 0 || stdout != "" || stderr != "" {
			t.Errorf("send %q = %d, %q, %q", test.args, status, stdout, stderr)
		}
		for _, line := range test.want {
			if !strings.Contains("\n"+s.got(), "\n"+line+"\n") {
				t.Errorf("send %q: the server did not receive the line %q, but\n%s", test.args, line, s.got())
			}
		}
		if strings.Contains(s.got(), "Bcc") {
			t.Errorf("send %q: the server received the field Bcc", test.args)
		}
	}
}

// If a server refuses or is silent, the error says why, without a password. If one recipient is
// refused, no recipient gets the message.
func TestSubmitFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		replies map[string]string
		args    []string
		want    string
	}{
		{map[string]string{"": "554 go away"}, nil, "554 go away"},
		{map[string]string{"": "nonsense"}, nil, "send by "},
		{map[string]string{"MAIL": "550 no such sender"}, nil, "550 no such sender"},
		{map[string]string{"RCPT": "550 no such user"}, nil, "550 no such user"},
		{map[string]string{"DATA": "452 no room"}, nil, "452 no room"},
		{map[string]string{".": "554 spam"}, nil, "554 spam"},
		{map[string]string{"AUTH": "535 wrong"}, []string{"--smtp-no-tls"}, "535 wrong"},
		{map[string]string{"": "-"}, []string{"--idle", "50ms"}, "send by "},
		{map[string]string{"MAIL": "-"}, []string{"--max-time", "50ms"}, "not sent after 50ms"},
	} {
		s := newSMTP(t, test.replies)
		user := ""
		if test.replies["AUTH"] != "" {
			user = "ada:sesame@"
		}
		args := append([]string{"--smtp", "smtp://" + user + s.addr}, test.args...)
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: letter, Dir: t.TempDir()}, args...)
		if status != 1 || stdout != "" || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "sesame") {
			t.Errorf("send %q to %v = %d, %q, %q, want %q", args, test.replies, status, stdout, stderr, test.want)
		}
		if test.replies["."] == "" && strings.Contains(s.got(), "Hello") {
			t.Errorf("%v: the message was sent", test.replies)
		}
	}
}

// Another machine must have TLS, unless --smtp-no-tls is given. The test connects nowhere, because
// the proxy is closed.
func TestSubmitThroughProxy(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, env := range []map[string]string{{}, {"all_proxy": "socks5://u:hush@" + l.Addr().String()}} {
		args := []string{"--smtp", "smtp://mail.example.org"}
		if len(env) == 0 {
			args = append(args, "--proxy", "socks5://u:hush@"+l.Addr().String())
		}
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: letter, Env: env}, args...)
		if status != 1 || stdout != "" || !strings.Contains(stderr, "through the proxy") || strings.Contains(stderr, "hush") {
			t.Errorf("send %q, %v = %d, %q, %q", args, env, status, stdout, stderr)
		}
	}
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--smtp", "smtp://mail.example.org", "--proxy", "ftp://u:hush@h/"}, Stdin: letter, Status: 2, Stderr: "--proxy"},
		{Args: []string{"--smtp", "", "mailto:b@example.org"}, Status: 2, Stderr: "--smtp must not be empty"},
		{Args: []string{"--idle", "0s"}, Status: 2, Stderr: "--idle"},
		{Args: []string{"--dry-run", "mailto:"}, Status: 1, Stderr: "locus: "},
		{Args: []string{"--dry-run", "--from", "a@example.org", "mailto:%0d%0aBcc:x@y"}, Status: 1, Stderr: "locus: "},
		{Args: []string{"--dry-run", "--from", "a@example.org\nBcc: x@y", "mailto:b@example.org"}, Status: 2, Stderr: "the sender must be an address"},
	})
}

// The first line of --password-file is the password. The password can also come from .netrc.
func TestSubmitLogin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"password": "sesame\nmore\n", "netrc": "machine 127.0.0.1 login ada password sesame\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, flag := range []string{"--password-file=password", "--netrc-file=netrc"} {
		s := newSMTP(t, nil)
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: letter, Dir: dir}, flag, "--smtp-no-tls", "--smtp", "ada@"+s.addr)
		if status != 0 || stderr != "" || !strings.Contains(s.got(), "AUTH PLAIN AGFkYQBzZXNhbWU=") {
			t.Errorf("send %s = %d, %q; the server got\n%s", flag, status, stderr, s.got())
		}
	}
}
