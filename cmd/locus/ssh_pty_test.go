//go:build linux

package main

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/sys/unix"
)

// typesHidden types text as soon as the terminal shows no typed text.
func (p *ptyTerminal) typesHidden(text string) {
	p.t.Helper()
	for patience := time.Now().Add(time.Minute); p.state().Lflag&unix.ECHO != 0; runtime.Gosched() {
		if time.Now().After(patience) {
			p.t.Fatalf("the terminal shows typed text while the command asks for a secret")
		}
	}
	p.types(text)
}

// A typed is a part of a dialogue at a terminal: the command asks a question, and the user types an answer.
type typed struct {
	question string
	answer   string
	hidden   bool // the terminal does not show the answer
}

// On a terminal, the command asks for everything that an SSH server needs.
func TestSSHOnTerminal(t *testing.T) {
	public, private := newSSHKey(t)
	other, _ := newSSHKey(t)
	const password, passphrase = "sesame", "open-barley"
	trust := func(answer string) typed { return typed{"(yes or no): ", answer + "\r", false} }
	asksPassword := typed{"password", password + "\r", true}
	asksPassphrase := func(answer string) typed { return typed{"id_ed25519: ", answer + "\r", true} }
	const lists, distrusted, refused = "hello.txt", "the key of the server is not trusted", "hint: "
	for _, test := range []struct {
		name     string
		config   *ssh.ServerConfig
		known    func(s *sshServer) string // the known hosts before; nil: no file
		dialogue []typed
		shows    string                    // after the dialogue
		wants    func(s *sshServer) string // the known hosts afterwards; nil: as before
	}{
		{"unknown server, yes", acceptPassword(password), nil, []typed{trust("yes"), asksPassword}, lists, (*sshServer).trusted},
		{"unknown server, YES", acceptPassword(password), nil, []typed{trust(" YES "), asksPassword}, lists, (*sshServer).trusted},
		{
			"unknown server, after an unfinished line", acceptPassword(password),
			func(s *sshServer) string { return "h.example " + keyLine(other) },
			[]typed{trust("yes"), asksPassword},
			lists,
			func(s *sshServer) string { return "h.example " + keyLine(other) + "\n" + s.trusted() },
		},
		{"unknown server, no", acceptPassword(password), nil, []typed{trust("no")}, distrusted, nil},
		{"unknown server, y", acceptPassword(password), nil, []typed{trust("y")}, distrusted, nil},
		{"unknown server, no answer", acceptPassword(password), nil, []typed{trust("")}, distrusted, nil},
		{"unknown server, end of input", acceptPassword(password), nil, []typed{{"(yes or no): ", "\x04", false}}, "the question was not answered", nil},
		{"changed key", acceptPassword(password), func(s *sshServer) string { return s.knownLine(other) }, nil, "has changed: it was ssh-ed25519 SHA256:", nil},
		{"known server", acceptPassword(password), (*sshServer).trusted, []typed{asksPassword}, lists, nil},
		{"wrong password", acceptPassword("other"), (*sshServer).trusted, []typed{asksPassword}, refused, nil},
		{
			"encrypted key, wrong twice", acceptKey(public), (*sshServer).trusted,
			[]typed{asksPassphrase("barley"), asksPassphrase(""), asksPassphrase(passphrase)},
			lists, nil,
		},
		{
			"encrypted key, wrong three times", acceptKey(public), (*sshServer).trusted,
			[]typed{asksPassphrase("barley"), asksPassphrase(""), asksPassphrase("wheat")},
			"/~/: the passphrase of the key ", nil,
		},
		{"encrypted key that the server refuses", acceptKey(other), (*sshServer).trusted, nil, "none of the keys", nil},
		{
			"questions", acceptAnswers(password, "123456", "here"), (*sshServer).trusted,
			[]typed{asksPassword, {`asks "Code:": `, "123456\r", true}, {`asks "Where?": `, "here\r", false}},
			lists, nil,
		},
		{
			"wrong answer to a question", acceptAnswers(password, "654321", "here"), (*sshServer).trusted,
			[]typed{asksPassword, {`asks "Code:": `, "123456\r", true}, {`asks "Where?": `, "here\r", false}},
			refused, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSSHServer(t, test.config)
			files := map[string]string{"id_ed25519": lockedKey(t, private, passphrase)}
			if test.known != nil {
				files["known_hosts"] = test.known(s)
			}
			home := newSSHHome(t, files)
			terminal := newTerminal(t, 300, 30)
			before := terminal.state()
			cmd := terminal.locus("ls", s.url())
			var shown strings.Builder
			for _, part := range test.dialogue {
				shown.WriteString(terminal.waitFor(part.question))
				if part.hidden {
					terminal.typesHidden(part.answer)
				} else {
					terminal.types(part.answer)
				}
			}
			shown.WriteString(terminal.waitFor(test.shows))
			if err := cmd.Wait(); (err == nil) != (test.shows == lists) {
				t.Errorf("ls = %v", err)
			}
			text := shown.String()
			for _, part := range test.dialogue {
				if answer := strings.TrimSpace(part.answer); part.hidden && answer != "" && strings.Contains(text, answer) {
					t.Errorf("the terminal shows %q, with the answer %q", text, answer)
				}
			}
			if len(test.dialogue) == 0 && strings.Contains(text, "yes or no") {
				t.Errorf("ls asks a question: %q", text)
			}
			if after := terminal.state(); after != before {
				t.Errorf("the terminal had the state %v, and after ls it has %v", before, after)
			}
			want := files["known_hosts"]
			if test.wants != nil {
				want = test.wants(s)
			}
			checkKnownHosts(t, home, want)
		})
	}
}

// keyLine returns a key as known_hosts has it, without the end of the line.
func keyLine(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// checkKnownHosts checks the text of known_hosts, and that only the user can read it. Without a text, there is no file.
func checkKnownHosts(t *testing.T, home, want string) {
	t.Helper()
	name := filepath.Join(home, ".ssh", "known_hosts")
	info, err := os.Stat(name)
	if want == "" && os.IsNotExist(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || string(text) != want || info.Mode() != 0o600 {
		t.Errorf("known_hosts has the mode %v and the text %q (%v), want %q", info.Mode(), text, err, want)
	}
}

// In a new home, the command makes the folder .ssh for the user only, and asks about the server once.
func TestSSHTrustsOnce(t *testing.T) {
	s := newSSHServer(t, acceptPassword("sesame"))
	home := newSSHHome(t, nil)
	t.Setenv("LOCUS_PASSWORD", "sesame")
	terminal := newTerminal(t, 300, 30)
	cmd := terminal.locus("ls", s.url(), s.url()+"sub/")
	terminal.waitFor("the key of " + s.Addr + " is unknown: ssh-ed25519 " + ssh.FingerprintSHA256(s.Host.PublicKey()))
	terminal.waitFor("(yes or no): ")
	terminal.types("yes\r")
	if shown := terminal.waitFor("b c.txt"); strings.Contains(shown, "yes or no") {
		t.Errorf("ls of two folders asks twice: %q", shown)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ls = %v", err)
	}
	checkKnownHosts(t, home, s.trusted())
	if info, err := os.Stat(filepath.Join(home, ".ssh")); err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Errorf(".ssh has the mode %v, %v", info.Mode(), err)
	}
	again := newTerminal(t, 300, 30)
	cmd = again.locus("ls", s.url())
	if shown := again.waitFor("hello.txt"); strings.Contains(shown, "yes or no") {
		t.Errorf("a second ls asks again: %q", shown)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the second ls = %v", err)
	}
}

// The keys of the agent log in, without a question. The agent is not forwarded to the server.
func TestSSHAgent(t *testing.T) {
	public, private := newSSHKey(t)
	s := newSSHServer(t, acceptKey(public))
	keys := agent.NewKeyring()
	if err := keys.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	newSSHHome(t, map[string]string{"known_hosts": s.trusted(), "id_ed25519": lockedKey(t, private, "open")})
	socket := filepath.Join(t.TempDir(), "agent")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = agent.ServeAgent(keys, c) // the client has left
			}()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
	terminal := newTerminal(t, 300, 30)
	cmd := terminal.locus("ls", s.url())
	if shown := terminal.waitFor("hello.txt"); strings.Contains(shown, "locus: ") {
		t.Errorf("ls asks a question although the agent has the key: %q", shown)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ls = %v", err)
	}
	if asked, want := s.wasAsked(), []string{"session", "subsystem"}; !slices.Equal(asked, want) {
		t.Errorf("the client asks for %q, want %q", asked, want)
	}
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(t.TempDir(), "none"))
	if status, _, stderr := runHere(t, "", "ls", s.url()); status != 1 {
		t.Errorf("ls without the agent exits with %d: %s", status, stderr)
	}
}
