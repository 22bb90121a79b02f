package sftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/crypto/ssh"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
	"locus/url"
)

const addUser = access.Advice("put a user name before the host: sftp://user@host/")

// newIdentity returns the identity that a connection for o must have. It asks Request.Login for the user if the URL
// has no user. If the pool has a connection whose login used a password, it also asks for the password, so that the
// passwords can be compared.
func (o *operation) newIdentity() (identity, error) {
	id := identity{
		address: strings.ToLower(o.view.Address(defaultPort)), publicOnly: o.req.PublicOnly,
		user: o.view.User.Text, password: o.view.Password, fingerprint: o.view.Fingerprint,
	}
	if id.user == "" {
		c, err := engine.Credentials(o.ctx, o.req, access.Challenge{URL: o.req.URL, Host: o.view.Name, Optional: true})
		if err != nil {
			return id, err
		}
		if id.user = cmp.Or(c.User, o.client.User); id.user == "" {
			return id, access.WithRemedy(errNoUser, addUser)
		}
		if c.User != "" && c.Password != "" {
			id.password = url.Some(c.Password)
		}
	}
	if id.password.Present || o.req.Login == nil || !o.client.Pool.hasConn(id) {
		return id, nil
	}
	password, err := o.promptPassword(id.user)
	if err != nil {
		return id, err
	}
	id.password = url.Some(password)
	return id, nil
}

// promptPassword returns the password of user. It calls Request.Login the first time, and returns the same password
// in later calls for the request.
func (o *operation) promptPassword(user string) (string, error) {
	if o.prompted == nil {
		c, err := engine.Credentials(o.ctx, o.req, access.Challenge{URL: o.req.URL, Host: o.view.Name, User: user})
		if err != nil {
			return "", err
		}
		o.prompted = &c.Password
	}
	return *o.prompted, nil
}

// An authentication logs a user in on a new connection.
type authentication struct {
	*operation
	ctx          context.Context // is done when the login ends
	sentPassword bool
	failures     []error // the reasons why a method could not be tried
}

// methods returns the methods of authentication in the order in which they are tried. A password in the URL comes
// first, because the user has chosen it. Otherwise the keys come first, because they need no prompt.
func (l *authentication) methods() []ssh.AuthMethod {
	keys := ssh.PublicKeysCallback(l.keys)
	password := ssh.PasswordCallback(l.password)
	questions := ssh.KeyboardInteractive(l.answerAll)
	if l.view.Password.Present {
		return []ssh.AuthMethod{password, questions, keys}
	}
	return []ssh.AuthMethod{keys, password, questions}
}

// failed returns err, and adds it to failures, the reasons why a method could not be tried, unless err is nil.
func (l *authentication) failed(err error) error {
	if err != nil {
		l.failures = append(l.failures, err)
	}
	return err
}

// keys returns the user's keys from Client.Keys; nil without Client.Keys. The idle limit stops while Client.Keys
// runs, and later while a key signs.
func (l *authentication) keys() (signers []ssh.Signer, err error) {
	if l.client.Keys == nil {
		return nil, nil
	}
	err = l.conn.link.paused(func() error {
		signers, err = l.client.Keys(l.ctx, l.view.Name, l.login.user)
		return err
	})
	if err != nil {
		return nil, l.failed(fmt.Errorf("read the keys of %q: %w", l.login.user, err))
	}
	for i, s := range signers {
		signers[i] = &pausing{s, l}
	}
	return signers, nil
}

// password returns the password of the URL or, without one, the answer of Request.Login. It records that a password
// is being sent. A password from Request.Login also becomes the password of l.login, and clears failures.
func (l *authentication) password() (password string, err error) {
	if l.login.password.Present {
		l.sentPassword = true
		return l.login.password.Text, nil
	}
	err = l.conn.link.paused(func() error {
		password, err = l.promptPassword(l.login.user)
		return err
	})
	if err != nil {
		return "", l.failed(err)
	}
	l.sentPassword = true
	l.failures = nil // because the server now decides about the password
	l.login.password = url.Some(password)
	return password, nil
}

// answerAll returns the answers to the questions of the server in texts (RFC 4256). shown says for each whether the
// answer may be visible. The answer to the first question that hides its answer is the password, unless the password
// was already sent.
func (l *authentication) answerAll(_, _ string, texts []string, shown []bool) ([]string, error) {
	answers := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if !shown[i] && !l.sentPassword {
			answers[i], err = l.password()
		} else {
			answers[i], err = l.answer(Question{Text: printable(text), Hidden: !shown[i]})
		}
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// answer returns the answer of Client.Answer to a question of the server. The idle limit stops meanwhile. Without
// Client.Answer the error is errQuestion.
func (l *authentication) answer(q Question) (answer string, err error) {
	if l.client.Answer == nil {
		return "", l.failed(fmt.Errorf("%w: %q", errQuestion, q.Text))
	}
	err = l.conn.link.paused(func() error {
		answer, err = l.client.Answer(l.ctx, l.view.Name, q)
		return err
	})
	return answer, l.failed(err)
}

// maxQuestion limits the text of a question.
const maxQuestion = 200

// printable returns text without control characters, and at most maxQuestion characters of it.
func printable(text string) string {
	n := 0
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if n++; n > maxQuestion || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text))
}

// explain returns the reason why a login failed with err, the error of package ssh. If a method could not be tried,
// that is the reason, even if the methods after it failed too, because package ssh returns only the error of the
// last method. Otherwise the reason is access.ErrLogin after a password, and errKeys without one. If err is not
// about authentication, explain returns err without the address of the server.
func (l *authentication) explain(err error) error {
	const refused = "unable to authenticate"
	isFailure := slices.ContainsFunc(l.failures, func(failure error) bool { return errors.Is(err, failure) })
	switch {
	case !isFailure && !strings.Contains(err.Error(), refused):
		return l.plain(err)
	case len(l.failures) > 0:
		return engine.Reason(l.failures[0].Error(), l.failures...)
	case l.sentPassword:
		return access.ErrLogin
	}
	return errKeys
}

// plain returns err, an error of the key exchange, without the address of the server, because the error of the
// request has that address.
func (l *authentication) plain(err error) error {
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return wire.Plain(operation, l.login.address)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the server ended the connection", io.ErrUnexpectedEOF)
	}
	return err
}

var (
	errKeys     = sentinel.New("the server accepts none of the keys", access.ErrPassword, fs.ErrPermission)
	errQuestion = sentinel.New("the server asks a question that locus cannot answer", access.ErrPassword)
)

// A pausing signer stops the idle limit while it signs, because a person may have to type a passphrase.
type pausing struct {
	ssh.Signer
	login *authentication
}

// SignWithAlgorithm signs data while the idle limit of the connection is stopped. It ignores algorithm if the signer
// does not implement ssh.AlgorithmSigner.
func (p *pausing) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (signature *ssh.Signature, err error) {
	err = p.login.conn.link.paused(func() error {
		if s, ok := p.Signer.(ssh.AlgorithmSigner); ok {
			signature, err = s.SignWithAlgorithm(rand, data, algorithm)
		} else {
			signature, err = p.Sign(rand, data)
		}
		return err
	})
	return signature, p.login.failed(err)
}
