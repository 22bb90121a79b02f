package sftp_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"locus/access"
	"locus/proto/sftp"
	"locus/url"
)

func newECDSA(t testing.TB) ssh.Signer {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("generate a key: %v", err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatalf("make a signer: %v", err)
	}
	return signer
}

// gives returns a Login that gives this user and password. It counts the calls that are not Optional.
func gives(user, password string, calls *int) access.Login {
	return func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		if !c.Optional {
			*calls++
		}
		return access.Credentials{User: user, Password: password}, nil
	}
}

// A user logs in with a key, or with the password of the URL or of Login.
func TestLogin(t *testing.T) {
	for _, test := range []struct {
		name, url string
		hasKey    bool
		user      string // of Client.User
		login     func(calls *int) access.Login
		want      error
		wantCalls int
	}{
		{"key", "sftp://ada@h/", true, "", nil, nil, 0},
		{"key without a password", "sftp://ada@h/", true, "", func(n *int) access.Login { return gives("", "x", n) }, nil, 0},
		{"user of the client", "sftp://h/", true, "ada", nil, nil, 0},
		{"no user", "sftp://h/", true, "", nil, access.ErrPassword, 0},
		{"user of Login", "sftp://h/", false, "bob", func(n *int) access.Login { return gives("ada", "sesame", n) }, nil, 0},
		{"password of the URL", "sftp://ada:sesame@h/", true, "", nil, nil, 0},
		{"wrong password in the URL", "sftp://ada:simsim@h/", false, "", nil, access.ErrLogin, 0},
		{"password of Login", "sftp://ada@h/", false, "", func(n *int) access.Login { return gives("", "sesame", n) }, nil, 1},
		{"wrong password of Login", "sftp://ada@h/", false, "", func(n *int) access.Login { return gives("", "simsim", n) }, access.ErrLogin, 1},
		{"nothing", "sftp://ada@h/", false, "", nil, access.ErrPassword, 0},
		{"key of another user", "sftp://eve@h/", true, "", nil, access.ErrPassword, 0},
	} {
		s := start(t, &server{})
		c := s.client()
		c.User = test.user
		if !test.hasKey {
			c.Keys = nil
		}
		calls := 0
		req := &access.Request{Op: access.Stat, URL: url.MustParse(test.url)}
		if test.login != nil {
			req.Login = test.login(&calls)
		}
		_, err := c.Do(t.Context(), req)
		if (err == nil) != (test.want == nil) || !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "simsim")) {
			t.Errorf("%s: the error has the password: %v", test.name, err)
		}
		if calls != test.wantCalls {
			t.Errorf("%s: the password is asked for %d times, want %d", test.name, calls, test.wantCalls)
		}
	}
}

// A server that asks only for a key gets no password, and the reason names the keys.
func TestOnlyKeys(t *testing.T) {
	s := &server{}
	s.Config.PasswordCallback = nil
	s.Config.KeyboardInteractiveCallback = nil
	s.onlyKeys = true
	start(t, s)
	c := s.client()
	c.Keys = func(context.Context, string, string) ([]ssh.Signer, error) { return []ssh.Signer{newKey(t)}, nil }
	calls := 0
	_, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("sftp://ada@h/"), Login: gives("", "sesame", &calls)})
	if err == nil || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "none of the keys") || calls != 0 {
		t.Errorf("error %v after %d passwords, want that no key is accepted", err, calls)
	}
}

// The answer to the first hidden question is the password, and Answer answers the others (RFC 4256).
func TestQuestions(t *testing.T) {
	s := &server{}
	s.Config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
		first, err := ask("", "", []string{"Password: "}, []bool{false})
		if err != nil || first[0] != "sesame" {
			return nil, errors.New("refused")
		}
		second, err := ask("", "", []string{"Code\x1b[2J: ", "Where?"}, []bool{false, true})
		if err != nil || !slices.Equal(second, []string{"123", "here"}) {
			return nil, errors.New("refused")
		}
		return nil, nil
	}
	start(t, s)
	for _, test := range []struct {
		name    string
		answers map[string]string // by the question; nil: no Answer
		want    error
	}{
		{"right", map[string]string{"Code[2J: true": "123", "Where? false": "here"}, nil},
		{"wrong", map[string]string{}, access.ErrLogin},
		{"nobody", nil, access.ErrPassword},
	} {
		c := s.client()
		c.Keys = nil
		if test.answers != nil {
			c.Answer = func(_ context.Context, host string, q sftp.Question) (string, error) {
				return test.answers[fmt.Sprint(q.Text, " ", q.Hidden)], nil
			}
		}
		calls := 0
		_, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("sftp://ada@h/"), Login: gives("", "sesame", &calls)})
		if (err == nil) != (test.want == nil) || !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// A brokenSigner is a key that cannot sign.
type brokenSigner struct {
	ssh.Signer
	err error
}

// Sign returns the error.
func (b brokenSigner) Sign(io.Reader, []byte) (*ssh.Signature, error) { return nil, b.err }

// A login that fails because of a callback returns the error of the callback.
func TestLoginGivesUp(t *testing.T) {
	type callbacks struct {
		keys     func(context.Context, string, string) ([]ssh.Signer, error)
		password access.Login
		answer   func(context.Context, string, sftp.Question) (string, error)
	}
	for _, reason := range []error{errors.New("the card is missing"), io.EOF} {
		for _, test := range []struct {
			name string
			of   func(s *server) callbacks
		}{
			{"signature", func(s *server) callbacks {
				return callbacks{keys: func(context.Context, string, string) ([]ssh.Signer, error) {
					return []ssh.Signer{brokenSigner{s.User, reason}}, nil
				}}
			}},
			{"keys", func(*server) callbacks {
				return callbacks{keys: func(context.Context, string, string) ([]ssh.Signer, error) { return nil, reason }}
			}},
			{"password", func(*server) callbacks {
				return callbacks{password: func(context.Context, access.Challenge) (access.Credentials, error) {
					return access.Credentials{}, reason
				}}
			}},
			{"answer", func(s *server) callbacks {
				s.Config.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
					_, err := ask("", "", []string{"Where?"}, []bool{true})
					return nil, err
				}
				return callbacks{answer: func(context.Context, string, sftp.Question) (string, error) { return "", reason }}
			}},
		} {
			s := &server{User: newKey(t)}
			given := test.of(s)
			start(t, s)
			c := s.client()
			c.Keys, c.Answer = given.keys, given.answer
			_, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("sftp://ada@h/"), Login: given.password})
			if !errors.Is(err, reason) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "ssh:") {
				t.Errorf("%s with the error %q: %v, want this error", test.name, reason, err)
			}
		}
	}
}

// A connection is reused for the same user and password only.
func TestPool(t *testing.T) {
	s := start(t, &server{})
	c := s.client()
	c.Keys = nil
	c.Pool = &sftp.Pool{}
	defer c.Pool.Close()
	calls := 0
	for _, test := range []struct {
		url    string
		login  access.Login
		fails  bool
		logins int // at the server, so far
	}{
		{"sftp://ada:sesame@h/", nil, false, 1},
		{"sftp://ada:sesame@h/", nil, false, 1},
		{"sftp://ada@h/", nil, true, 1},
		{"sftp://ada:simsim@h/", nil, true, 1},
		{"sftp://ada@h/", gives("", "simsim", &calls), true, 1},
		{"sftp://ada@h/", gives("", "sesame", &calls), false, 1},
		{"sftp://ada:sesame@h:2222/", nil, true, 1}, // the key of another port is unknown
	} {
		c.KnownHosts = known(t, "h "+keyText(s.Host.PublicKey())+"\n")
		_, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url), Login: test.login})
		if (err != nil) != test.fails {
			t.Errorf("Stat(%q) = %v, want an error: %v", test.url, err, test.fails)
		}
		if got := s.loggedIn(); got != test.logins {
			t.Errorf("after Stat(%q): %d logins, want %d", test.url, got, test.logins)
		}
	}
}

// The client asks for the file transfer and nothing else, such as the forwarding of an agent, and rejects the channels
// that the server opens.
func TestAsksNothingElse(t *testing.T) {
	// attack: An SSH server uses the keys of the user's agent | the client forwards no agent, and rejects each channel
	// that the server opens
	opened := make(chan error, 1)
	s := &server{}
	s.onLogin = func(conn ssh.Conn) {
		_, _, err := conn.OpenChannel("auth-agent@openssh.com", nil)
		opened <- err
	}
	start(t, s)
	c := s.client()
	c.Pool = &sftp.Pool{}
	defer c.Pool.Close()
	if _, err := titles(t, c, "sftp://ada@h/~/"); err != nil {
		t.Fatalf("list: %v", err)
	}
	if err := <-opened; err == nil || !strings.Contains(err.Error(), "this client accepts no channels") {
		t.Errorf("the server opens a channel to the agent: %v, want a rejection", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if want := []string{"session", "subsystem"}; !slices.Equal(s.asked, want) {
		t.Errorf("the client asks for %q, want %q", s.asked, want)
	}
}
