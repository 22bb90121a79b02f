package ftp

import (
	"cmp"
	"errors"
	"io/fs"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
	"locus/url"
)

// newIdentity returns the identity for the login. If the pool has a connection
// with a prompted password, newIdentity prompts now, so that the two can be
// compared.
func (o *operation) newIdentity() (identity, error) {
	port, implicit := uint16(21), o.view.Scheme == "ftps" // RFC 959 §8
	if implicit {
		port = 990
	}
	id := identity{
		address:  o.view.Address(port),
		implicit: implicit, security: o.client.Security, publicOnly: o.req.PublicOnly,
		user: o.view.User, password: o.view.Password,
		account: o.client.Account,
	}
	if !id.user.Present {
		if err := o.userFromLogin(&id); err != nil || id.user.Present {
			return id, err
		}
		id.password = url.Part{}
		id.email = cmp.Or(o.client.Email, "anonymous@")
		return id, wire.CheckArgument("e-mail address", id.email, "")
	}
	if id.password.Present || o.req.Login == nil || !o.client.Pool.hasConn(id) {
		return id, nil
	}
	password, err := o.promptPassword(id.user.Text)
	if err != nil {
		return id, err
	}
	id.password = url.Some(password)
	return id, nil
}

// userFromLogin asks Request.Login for a user if the URL has none. Without an
// answer the user is anonymous (RFC 1738 §3.2.1).
func (o *operation) userFromLogin(id *identity) error {
	c, err := engine.Credentials(o.ctx, o.req, access.Challenge{URL: o.req.URL, Host: o.view.Host.Name, Optional: true})
	if err != nil || c.User == "" {
		return err
	}
	id.user, id.password = url.Some(c.User), url.Some(c.Password)
	o.view.User, o.view.Password = id.user, id.password
	return errors.Join(wire.CheckArgument("user", c.User, ""), wire.CheckArgument("password", c.Password, ""))
}

// logIn reads the greeting and logs in (RFC 959 §5.4; RFC 1738 §3.2.1 for
// user and password).
func (s *session) logIn() error {
	s.replies.Secrets = []string{s.view.Password.Text, s.login.password.Text, s.client.Account}
	greeting, err := s.readFinal()
	if err != nil {
		return err
	}
	s.detectServer(greeting.Text)
	if err := s.startTLS(); err != nil {
		return err
	}
	greetingRule := s.iac
	if err := s.sendUser(); err != nil {
		return err
	}
	s.iac, s.features = greetingRule, nil // some servers answer FEAT only after the login
	s.loggedIn = true
	if err := s.protectData(); err != nil {
		return err
	}
	if s.client.UTF8 {
		_, err = s.do("OPTS UTF8 ON") // servers that refuse it may still use UTF-8
	}
	return err
}

// sendUser sends USER, and PASS and ACCT if the server wants them.
func (s *session) sendUser() error {
	user := "anonymous"
	if s.view.User.Present {
		user = s.view.User.Text
	}
	r, err := s.do("USER " + user)
	if err != nil {
		return err
	}
	if r.Code == 331 {
		password, err := s.passwordFor(user)
		if err != nil {
			return err
		}
		if r, err = s.do("PASS " + password); err != nil {
			return err
		}
	}
	if r.Code == 332 {
		if s.client.Account == "" {
			return s.replies.Refused(r, errAccount)
		}
		s.accountSent = true
		if r, err = s.do("ACCT " + s.client.Account); err != nil {
			return err
		}
	}
	return s.loginError(s.expect(r, 2))
}

// loginError returns err with its meaning if the server refused the login. If the URL has a
// user, the login is wrong: access.ErrLogin. Otherwise the advice is to add a user. Other
// errors are returned unchanged.
func (s *session) loginError(err error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	switch {
	case !ok || !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrTLSRequired):
		return err
	case s.view.User.Present:
		refused.Means = access.ErrLogin
		return err
	}
	return withRemedy(err, access.Advice("put a user name before the host: ftp://user@host/"))
}

// sendAccount sends the account to a server that wants it for uploads only
// (532).
func (s *session) sendAccount() error {
	s.accountSent = true
	s.replies.Secrets = append(s.replies.Secrets, s.client.Account)
	return s.doExpect(2, "ACCT "+s.client.Account)
}

// passwordFor returns the password to send. For an anonymous login it is the e-mail
// address. Otherwise it is the one of the URL, or else the answer to a prompt.
func (s *session) passwordFor(user string) (string, error) {
	if !s.view.User.Present {
		return s.login.email, nil
	}
	if s.login.password.Present {
		return s.login.password.Text, nil
	}
	password, err := s.promptPassword(user)
	if err != nil {
		return "", err
	}
	s.login.password = url.Some(password)
	s.replies.Secrets = []string{password, s.client.Account}
	return password, nil
}

// promptPassword asks for the password of user, once per request.
func (o *operation) promptPassword(user string) (string, error) {
	if o.prompted == nil {
		c, err := engine.Credentials(o.ctx, o.req, access.Challenge{URL: o.req.URL, Host: o.view.Host.Name, User: user})
		if err != nil {
			return "", err
		}
		o.prompted = &c.Password
	}
	return *o.prompted, wire.CheckArgument("password", *o.prompted, "")
}
