package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// An sshServer is an SSH server with the subsystem sftp. Sessions begin in Root, which has the files of library.
type sshServer struct {
	Addr string
	Root string
	Host ssh.Signer // the key of the server

	mu    sync.Mutex
	asked []string // the kinds of channels and requests that clients have asked for
}

// newSSHServer starts a server with the authentication of config: see acceptPassword and acceptKey.
func newSSHServer(t *testing.T, config *ssh.ServerConfig) *sshServer {
	t.Helper()
	_, private := newSSHKey(t)
	host, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	config.AddHostKey(host)
	s := &sshServer{Root: library(t), Host: host}
	s.Addr = listen(t, func(c net.Conn) { s.serve(c, config) })
	return s
}

// acceptPassword returns a configuration that accepts the user ada with a password.
func acceptPassword(password string) *ssh.ServerConfig {
	return &ssh.ServerConfig{PasswordCallback: func(c ssh.ConnMetadata, got []byte) (*ssh.Permissions, error) {
		return nil, acceptIf(c.User() == "ada" && string(got) == password)
	}}
}

// acceptKey returns a configuration that accepts the user ada with a key.
func acceptKey(key ssh.PublicKey) *ssh.ServerConfig {
	return &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, got ssh.PublicKey) (*ssh.Permissions, error) {
		return nil, acceptIf(c.User() == "ada" && bytes.Equal(got.Marshal(), key.Marshal()))
	}}
}

// acceptAnswers returns a configuration that asks the user ada for a password, and then for a code and a place.
func acceptAnswers(password, code, place string) *ssh.ServerConfig {
	return &ssh.ServerConfig{KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
		first, err := ask("", "", []string{"Password: "}, []bool{false})
		if err != nil || !slices.Equal(first, []string{password}) {
			return nil, acceptIf(false)
		}
		second, err := ask("", "", []string{"Code: ", "Where?"}, []bool{false, true})
		return nil, acceptIf(err == nil && slices.Equal(second, []string{code, place}))
	}}
}

// acceptIf returns nil if ok is true; if not, it returns an error.
func acceptIf(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("refused")
}

// url returns the URL of the home directory of ada, with its last slash.
func (s *sshServer) url() string { return "sftp://ada@" + s.Addr + "/~/" }

// knownLine returns the line of known_hosts for a key of the server.
func (s *sshServer) knownLine(key ssh.PublicKey) string {
	host, port, _ := net.SplitHostPort(s.Addr)
	return "[" + host + "]:" + port + " " + string(ssh.MarshalAuthorizedKey(key))
}

func (s *sshServer) serve(c net.Conn, config *ssh.ServerConfig) {
	conn, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	defer conn.Close()
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		s.note(offered.ChannelType())
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests)
	}
}

func (s *sshServer) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	for r := range requests {
		s.note(r.Type)
		isSubsystem := r.Type == "subsystem"
		_ = r.Reply(isSubsystem, nil) // after an error, the connection has ended
		if isSubsystem {
			go func() {
				defer channel.Close()
				if server, err := sftp.NewServer(channel, sftp.WithServerWorkingDirectory(s.Root)); err == nil {
					_ = server.Serve() // the client has left
				}
			}()
		}
	}
}

func (s *sshServer) note(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, kind)
}

// wasAsked returns the kinds of channels and requests that clients have asked for.
func (s *sshServer) wasAsked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func newSSHKey(t *testing.T) (ssh.PublicKey, ed25519.PrivateKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return key, private
}

// newSSHHome makes a home for commands of this test, whose folder .ssh has the given files. There is no agent.
func newSSHHome(t *testing.T, files map[string]string) (home string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range files {
		name = filepath.Join(home, ".ssh", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // on Windows
	for _, name := range []string{"SSH_AUTH_SOCK", "NETRC", "LOCUS_PASSWORD", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	return home
}

// lockedKey returns the text of an encrypted key.
func lockedKey(t *testing.T, key ed25519.PrivateKey, passphrase string) string {
	t.Helper()
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

// Without a terminal, each question becomes a refusal that names a remedy.
func TestSSHWithoutTerminal(t *testing.T) {
	public, private := newSSHKey(t)
	other, _ := newSSHKey(t)
	const wrong, secret = "wrong-secret", "sesame"
	for _, test := range []struct {
		name    string
		config  *ssh.ServerConfig
		known   func(s *sshServer) string
		key     string // the file id_ed25519
		login   string // in the URL
		wants   []string
		refuses []string
	}{
		{
			"unknown key of the server", acceptPassword(secret), nil, "", "ada:" + secret,
			[]string{" is unknown: ssh-ed25519 SHA256:", "hint: compare the fingerprint", "open the URL once on a terminal", ";fingerprint=ssh-ed25519-"},
			[]string{secret},
		},
		{
			"changed key of the server", acceptPassword(secret), func(s *sshServer) string { return s.knownLine(other) }, "", "ada:" + secret,
			[]string{" has changed: it was ssh-ed25519 SHA256:", "hint: somebody may be intercepting", "ssh-keygen -R '["},
			[]string{secret},
		},
		{
			"no password", acceptPassword(secret), (*sshServer).trusted, "", "ada",
			[]string{"hint: run this on a terminal", "--password-file FILE"},
			nil,
		},
		{
			"wrong password", acceptPassword(secret), (*sshServer).trusted, "", "ada:" + wrong,
			[]string{"hint: check the user name and the password"},
			[]string{wrong},
		},
		{
			"encrypted key", acceptKey(public), (*sshServer).trusted, lockedKey(t, private, "open"), "ada",
			[]string{"id_ed25519", "is encrypted", "ssh-add"},
			nil,
		},
		{
			"question", acceptAnswers(secret, "123", "here"), (*sshServer).trusted, "", "ada:" + secret,
			[]string{`asks a question that locus cannot answer: "Code:"`, "hint: run this on a terminal"},
			[]string{secret},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSSHServer(t, test.config)
			files := map[string]string{}
			if test.known != nil {
				files["known_hosts"] = test.known(s)
			}
			if test.key != "" {
				files["id_ed25519"] = test.key
			}
			home := newSSHHome(t, files)
			status, stdout, stderr := runHere(t, "yes\nyes\n", "ls", "sftp://"+test.login+"@"+s.Addr+"/~/")
			if status != 1 || stdout != "" {
				t.Errorf("ls exits with %d and shows %q, want 1", status, stdout)
			}
			for _, want := range test.wants {
				if !strings.Contains(stderr, want) {
					t.Errorf("ls says %q, want %q", stderr, want)
				}
			}
			for _, text := range test.refuses {
				if strings.Contains(stderr, text) {
					t.Errorf("ls says %q, with %q", stderr, text)
				}
			}
			if text, err := os.ReadFile(filepath.Join(home, ".ssh", "known_hosts")); err == nil && string(text) != files["known_hosts"] {
				t.Errorf("known_hosts has %q, want %q", text, files["known_hosts"])
			}
		})
	}
}

// trusted returns the line of known_hosts for the key of the server.
func (s *sshServer) trusted() string { return s.knownLine(s.Host.PublicKey()) }
