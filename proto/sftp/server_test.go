package sftp_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"locus/access"
	"locus/proto/sftp"
	"locus/url"
)

// newKey returns a new key.
func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatalf("generate a key: %v", err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatalf("make a signer: %v", err)
	}
	return signer
}

// A server is an SSH server of this test. It accepts the user ada with the password "sesame", or with the key User. The
// subsystem sftp is Serve.
type server struct {
	Addr   string
	Root   string     // the home directory
	Host   ssh.Signer // the key of the server
	User   ssh.Signer
	Serve  func(channel io.ReadWriteCloser)
	Config ssh.ServerConfig

	onlyKeys bool                // accept no passwords
	onLogin  func(conn ssh.Conn) // called in a goroutine after each login; may be nil

	mu     sync.Mutex
	logins int
	asked  []string // the kinds of channels and requests that the client has asked for
}

// start starts the server on a loopback port. Nil fields of s get defaults: new keys, and the server of package
// github.com/pkg/sftp with an empty home directory.
func start(t testing.TB, s *server) *server {
	t.Helper()
	if s.Host == nil {
		s.Host = newKey(t)
	}
	if s.User == nil {
		s.User = newKey(t)
	}
	if s.Serve == nil {
		s.Root = t.TempDir()
		s.Serve = func(channel io.ReadWriteCloser) {
			if peer, err := pkgsftp.NewServer(channel, pkgsftp.WithServerWorkingDirectory(s.Root)); err == nil {
				_ = peer.Serve()
			}
		}
	}
	if !s.onlyKeys && s.Config.PasswordCallback == nil && s.Config.KeyboardInteractiveCallback == nil {
		s.Config.PasswordCallback = func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if c.User() == "ada" && string(password) == "sesame" {
				return nil, nil
			}
			return nil, errors.New("refused")
		}
	}
	if s.Config.PublicKeyCallback == nil {
		s.Config.PublicKeyCallback = func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if c.User() == "ada" && bytes.Equal(key.Marshal(), s.User.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, errors.New("refused")
		}
	}
	s.Config.AddHostKey(s.Host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	s.Addr = l.Addr().String()
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				stop := context.AfterFunc(ctx, func() { conn.Close() })
				defer stop()
				defer conn.Close()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		cancel()
		running.Wait()
	})
	return s
}

// serve serves one connection.
func (s *server) serve(conn net.Conn) {
	session, channels, requests, err := ssh.NewServerConn(conn, &s.Config)
	if err != nil {
		return
	}
	if s.onLogin != nil {
		go s.onLogin(session)
	}
	s.mu.Lock()
	s.logins++
	s.mu.Unlock()
	go ssh.DiscardRequests(requests)
	for c := range channels {
		s.note(c.ChannelType())
		channel, requests, err := c.Accept()
		if err != nil {
			return
		}
		go func() {
			for r := range requests {
				s.note(r.Type)
				_ = r.Reply(r.Type == "subsystem", nil)
				if r.Type == "subsystem" {
					go func() {
						s.Serve(channel)
						channel.Close()
					}()
				}
			}
		}()
	}
}

func (s *server) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, text)
}

// loggedIn returns how many connections have logged in.
func (s *server) loggedIn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

// client returns a Client that trusts the server, has the key of the user, and reaches the server under every name.
func (s *server) client() sftp.Client {
	return sftp.Client{
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Addr)
		},
		KnownHosts: s.known,
		Keys:       s.keys,
	}
}

func (s *server) known() (ssh.HostKeyCallback, error) {
	return ssh.FixedHostKey(s.Host.PublicKey()), nil
}

func (s *server) keys(context.Context, string, string) ([]ssh.Signer, error) {
	return []ssh.Signer{s.User}, nil
}

// put stores files, by their URLs.
func put(t testing.TB, e access.Engine, files map[string]string) {
	t.Helper()
	for u, content := range files {
		if err := write(t, e, u, content); err != nil {
			t.Fatalf("Put(%q) = %v", u, err)
		}
	}
}

func write(t testing.TB, e access.Engine, u, content string) error {
	t.Helper()
	_, err := e.Do(t.Context(), &access.Request{Op: access.Put, URL: url.MustParse(u), Body: bytes.NewReader([]byte(content)), Size: int64(len(content))})
	return err
}

// get opens a URL and reads its whole Body.
func get(t testing.TB, e access.Engine, u string) (string, error) {
	t.Helper()
	return read(e.Do(t.Context(), &access.Request{URL: url.MustParse(u)}))
}

func read(r *access.Resource, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return string(data), err
}

// titles returns the titles of a listing.
func titles(t testing.TB, e access.Engine, u string) (names []string, err error) {
	t.Helper()
	r, err := e.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	err = access.Entries(r.List, func(e access.Entry) error {
		names = append(names, e.Title)
		return nil
	})
	return names, err
}
