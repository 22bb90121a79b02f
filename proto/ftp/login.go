package ftp

import (
	"cmp"
	"errors"
	"io/fs"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/url"
)

// typed is a password that somebody was asked for.
type typed struct {
	text  string
	asked bool
}

// identity returns as whom to log in. If a connection is kept whose
// password was typed, it is asked for now.
func (e *errand) identity() (identity, error) {
	who := identity{
		address:  e.view.Address(port(e.view.Scheme)),
		implicit: e.view.Scheme == "ftps", security: e.client.Security,
		user: e.view.User, password: e.view.Password,
		account: e.client.Account,
	}
	if !who.user.Present {
		if err := e.nameUser(&who); err != nil || who.user.Present {
			return who, err
		}
		who.password = url.None()
		who.email = cmp.Or(e.client.Email, "anonymous@")
		return who, wire.CheckArgument("e-mail address", who.email, "")
	}
	if who.password.Present || e.req.Login == nil || !e.client.Pool.knows(who) {
		return who, nil
	}
	password, err := e.prompt(who.user.Text)
	if err != nil {
		return who, err
	}
	who.password = url.Some(password)
	return who, nil
}

// nameUser logs in whom Request.Login names for a URL without a user. Without one
// the user is anonymous (RFC 1738 §3.2.1).
func (e *errand) nameUser(who *identity) error {
	c, err := e.req.Credentials(e.ctx, access.Challenge{URL: e.req.URL, Host: e.view.Host.Name, Optional: true})
	if err != nil || c.User == "" {
		return err
	}
	who.user, who.password = url.Some(c.User), url.Some(c.Password)
	e.view.User, e.view.Password = who.user, who.password
	return errors.Join(wire.CheckArgument("user", c.User, ""), wire.CheckArgument("password", c.Password, ""))
}

// logIn does what RFC 959 §5.4 draws for connecting and for USER, PASS and
// ACCT, and RFC 1738 §3.2.1 says about names and passwords.
func (s *session) logIn() error {
	s.replies.Secrets = []string{s.view.Password.Text, s.login.password.Text, s.client.Account}
	greeting, err := s.final()
	if err != nil {
		return err
	}
	s.greet(greeting.Text)
	if err := s.authTLS(); err != nil {
		return err
	}
	told := s.iac
	if err := s.introduce(); err != nil {
		return err
	}
	s.iac, s.features = told, nil // some servers answer FEAT only after the login
	s.loggedIn = true
	if err := s.protect(); err != nil {
		return err
	}
	if s.client.UTF8 {
		_, err = s.do("OPTS UTF8 ON") // those who refuse it may do it all the same
	}
	return err
}

// introduce says who the user is.
func (s *session) introduce() error {
	user := "anonymous"
	if s.view.User.Present {
		user = s.view.User.Text
	}
	r, err := s.do("USER " + user)
	if err != nil {
		return err
	}
	if r.Code == 331 {
		password, err := s.secret(user)
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
		s.accounted = true
		if r, err = s.do("ACCT " + s.client.Account); err != nil {
			return err
		}
	}
	err = s.expect(r, 2)
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrTLSRequired) && !s.view.User.Present {
		return advise(err, access.Advice("a user name goes before the host: ftp://user@host/"))
	}
	return err
}

// account tells the account to a server that wants one only for storing (532).
func (s *session) account() error {
	s.accounted = true
	s.replies.Secrets = append(s.replies.Secrets, s.client.Account)
	return s.must(2, "ACCT "+s.client.Account)
}

// secret returns the password for user.
func (s *session) secret(user string) (string, error) {
	if !s.view.User.Present {
		return s.login.email, nil
	}
	if s.login.password.Present {
		return s.login.password.Text, nil
	}
	password, err := s.prompt(user)
	if err != nil {
		return "", err
	}
	s.login.password = url.Some(password)
	s.replies.Secrets = []string{password, s.client.Account}
	return password, nil
}

// prompt asks for the password of user, once in an access.
func (e *errand) prompt(user string) (string, error) {
	if !e.password.asked {
		c, err := e.req.Credentials(e.ctx, access.Challenge{URL: e.req.URL, Host: e.view.Host.Name, User: user})
		if err != nil {
			return "", err
		}
		e.password = typed{c.Password, true}
	}
	return e.password.text, wire.CheckArgument("password", e.password.text, "")
}
