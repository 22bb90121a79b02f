package cli

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"locus/proto/sftp"
)

// newSSHUser returns an sshUser with a home folder. stdin has the text that the user types, and stderr is a file in the
// home folder.
func newSSHUser(t *testing.T, typed string) (u *sshUser, home string) {
	t.Helper()
	home = writeFile(t, "stdin", typed)
	e := newEnv(home, map[string]string{"HOME": home, "USERPROFILE": home, "SSH_AUTH_SOCK": "agent"})
	var err error
	if e.Stdin, err = os.Open(filepath.Join(home, "stdin")); err != nil {
		t.Fatal(err)
	}
	if e.Stderr, err = os.Create(filepath.Join(home, "stderr")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Stdin.Close()
		e.Stderr.Close()
	})
	return &sshUser{env: e, unlocked: map[string]ssh.Signer{}}, home
}

// readText returns the text of a file, or "" if it is missing.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// newHostKey returns a key of the server h.
func newHostKey(t *testing.T) sftp.HostKey {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return sftp.HostKey{Address: "h:22", Key: key}
}

// Only the whole word "yes" trusts the key of an unknown server, so that a mistyped answer trusts no attacker.
func TestTrust(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		typed string
		want  error // nil: the key is trusted
	}{
		{"yes\n", nil},
		{" YES \r\n", nil},
		{"yes", nil},
		{"no\n", fs.ErrPermission},
		{"y\n", fs.ErrPermission},
		{"yess\n", fs.ErrPermission},
		{"\n", fs.ErrPermission},
		{"", errNoAnswer},
	} {
		u, home := newSSHUser(t, test.typed)
		key := newHostKey(t)
		if err := u.trust(t.Context(), key); !errors.Is(err, test.want) {
			t.Errorf("trust after the answer %q = %v, want %v", test.typed, err, test.want)
		}
		file := filepath.Join(home, ".ssh", "known_hosts")
		want := "locus: the key of h:22 is unknown: " + key.String() + ". Trust it, and add it to " + file + "? (yes or no): "
		if got := readText(t, filepath.Join(home, "stderr")); got != want {
			t.Errorf("before the answer %q the user reads %q, want %q", test.typed, got, want)
		}
		if got := readText(t, file); (got != "") != (test.want == nil) {
			t.Errorf("after the answer %q known_hosts has %q", test.typed, got)
		}
		if test.want != nil {
			continue
		}
		if err := u.trust(t.Context(), key); err != nil {
			t.Errorf("trust of the key again after %q = %v, want nil without a question", test.typed, err)
		}
		if err := u.trust(t.Context(), newHostKey(t)); !errors.Is(err, errNoAnswer) {
			t.Errorf("trust of another key of the server after %q = %v, want a question", test.typed, err)
		}
		known, err := u.knownHosts()
		if err != nil || known == nil {
			t.Errorf("knownHosts after %q = %v, want the file", test.typed, err)
			continue
		}
		if err := known(key.Address, &net.TCPAddr{IP: net.IPv4zero}, key.Key); err != nil {
			t.Errorf("the next process does not know the key after %q: %v", test.typed, err)
		}
	}
}

// Without a home folder, the question does not promise that the key is kept.
func TestTrustWithoutHome(t *testing.T) {
	t.Parallel()
	u, home := newSSHUser(t, "yes\n")
	u.env.LookupEnv = nil
	key := newHostKey(t)
	if err := u.trust(t.Context(), key); err != nil {
		t.Errorf("trust = %v, want nil", err)
	}
	if got, want := readText(t, filepath.Join(home, "stderr")), "locus: the key of h:22 is unknown: "+key.String()+". Trust it? (yes or no): "; got != want {
		t.Errorf("the user reads %q, want %q", got, want)
	}
}

// A question ends with the context, even while the user is still to type.
func TestTrustIsCancelled(t *testing.T) {
	t.Parallel()
	u, _ := newSSHUser(t, "")
	keyboard, typing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		typing.Close()
		keyboard.Close()
	})
	u.env.Stdin = keyboard
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := u.trust(ctx, newHostKey(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("trust with a context that has ended = %v, want context.Canceled", err)
	}
}

// A question of a server is quoted, so that it cannot look like a question of locus.
func TestAnswerOfUser(t *testing.T) {
	t.Parallel()
	u, home := newSSHUser(t, "4711\n")
	got, err := u.answer(t.Context(), "h", sftp.Question{Text: "Code:\nlocus: password"})
	if got != "4711" || err != nil {
		t.Errorf("answer = %q, %v, want 4711", got, err)
	}
	if got, want := readText(t, filepath.Join(home, "stderr")), `locus: h asks "Code:\nlocus: password": `; got != want {
		t.Errorf("the user reads %q, want %q", got, want)
	}
	if _, err := u.answer(t.Context(), "h", sftp.Question{Text: "Code:"}); !errors.Is(err, errNoAnswer) {
		t.Errorf("answer at the end of the input = %v, want %v", err, errNoAnswer)
	}
}

// The keys of an agent come first, and a key that the agent has is not offered twice. The connection to the agent ends
// with the context.
func TestAgentKeys(t *testing.T) {
	t.Parallel()
	u, home := newSSHUser(t, "")
	_, both, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	onlyFile, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]any{"id_ed25519": both, "id_ecdsa": onlyFile} {
		block, err := ssh.MarshalPrivateKey(key, "")
		if err != nil {
			t.Fatalf("marshal %s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(home, ".ssh", name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatalf("write %s: %v", name, err)
		}
	}
	types := func(ctx context.Context) string {
		keys, err := u.keys(ctx, "h", "ada")
		if err != nil {
			t.Errorf("keys = %v, want nil", err)
		}
		var names []string
		for _, key := range keys {
			names = append(names, key.PublicKey().Type())
		}
		return strings.Join(names, " ")
	}
	if got, want := types(t.Context()), "ssh-ed25519 ecdsa-sha2-nistp256"; got != want {
		t.Errorf("without an agent the keys are %q, want %q", got, want)
	}

	ring := agent.NewKeyring()
	_, onlyAgent, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []any{onlyAgent, both} {
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	waitUntilLeft := serveAgent(t, home, func(c net.Conn) {
		_ = agent.ServeAgent(ring, c) // until the client leaves
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if got, want := types(ctx), "ssh-ed25519 ssh-ed25519 ecdsa-sha2-nistp256"; got != want {
		t.Errorf("with an agent the keys are %q, want %q", got, want)
	}
	cancel()
	waitUntilLeft()
}

// An agent that fails gives no keys, and its connection is closed at once.
func TestFailingAgent(t *testing.T) {
	t.Parallel()
	u, home := newSSHUser(t, "")
	waitUntilLeft := serveAgent(t, home, func(c net.Conn) {
		_, _ = c.Write([]byte{0, 0, 0, 1, 5}) // SSH_AGENT_FAILURE
		_, _ = io.Copy(io.Discard, c)         // until the client leaves
	})
	if keys, err := u.keys(t.Context(), "h", "ada"); len(keys) > 0 || err != nil {
		t.Errorf("keys = %v, %v, want none", keys, err)
	}
	waitUntilLeft()
}

// serveAgent accepts one client at the socket of the SSH agent in home, and calls serve with its connection. The result
// waits until serve has returned, and fails the test after a minute.
func serveAgent(t *testing.T, home string, serve func(net.Conn)) (waitUntilLeft func()) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(home, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	left := make(chan struct{})
	go func() {
		defer close(left)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		serve(c)
	}()
	return func() {
		t.Helper()
		select {
		case <-left:
		case <-time.After(time.Minute):
			t.Error("the connection to the agent is still open after a minute")
		}
	}
}

// The client of sftp URLs has the keys and the name of the user, unless it opens URLs for other people. It asks
// questions only on a terminal.
func TestSFTPClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variables map[string]string
		want      string
	}{
		{map[string]string{"USER": "ada", "LOGNAME": "bela", "USERNAME": "carl"}, "ada"},
		{map[string]string{"LOGNAME": "bela", "USERNAME": "carl"}, "bela"},
		{map[string]string{"USERNAME": "carl"}, "carl"},
		{nil, ""},
	} {
		e := newEnv("", test.variables)
		if c := e.sftpClient(); c.User != test.want || c.Keys == nil || c.KnownHosts == nil || c.Trust != nil || c.Answer != nil {
			t.Errorf("with %v the client has the user %q, want %q, keys, known hosts and no questions: %+v", test.variables, c.User, test.want, c)
		}
		e.WithoutLogins()
		if c := e.sftpClient(); c.User != "" || c.Keys != nil || c.KnownHosts == nil {
			t.Errorf("with %v and without logins the client has the user %q, want neither a user nor keys: %+v", test.variables, c.User, c)
		}
	}
}
