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

// newIdentity returns the identity that a connection for o must have. If the pool has a connection
// whose password was prompted for, newIdentity prompts now, so that the passwords can be compared.
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

// userFromLogin asks Request.Login for a user and a password, because the URL has no user. It sets
// them in id and in the view. It changes neither if Login does not give a user; the user is
// anonymous then (RFC 1738 §3.2.1).
func (o *operation) userFromLogin(id *identity) error {
	c, err := engine.Credentials(o.ctx, o.req, access.Challenge{URL: o.req.URL, Host: o.view.Host.Name, Optional: true})
	if err != nil || c.User == "" {
		return err
	}
	id.user, id.password = url.Some(c.User), url.Some(c.Password)
	o.view.User, o.view.Password = id.user, id.password
	return errors.Join(wire.CheckArgument("user", c.User, ""), wire.CheckArgument("password", c.Password, ""))
}

// logIn reads the greeting, starts TLS if Client.Security asks for it, logs in (RFC 959 §5.4; RFC
// 1738 §3.2.1 for user and password), and asks for TLS on data connections.
func (b *boundConn) logIn() error {
	b.replies.Secrets = []string{b.view.Password.Text, b.login.password.Text, b.client.Account}
	greeting, err := b.readFinal()
	if err != nil {
		return err
	}
	b.detectServer(greeting.Text)
	b.pipelines = b.pipelines && !b.client.Pool.hasDisorder(b.login.address)
	b.noEPSV = b.client.Passive == OnlyPASV
	if err := b.startTLS(); err != nil {
		return err
	}
	greetingRule := b.iac
	if err := b.sendUser(); err != nil {
		return err
	}
	b.iac, b.features = greetingRule, nil // some servers answer FEAT only after the login
	b.loggedIn = true
	if err := b.protectData(); err != nil {
		return err
	}
	b.isReady = true
	if b.client.UTF8 {
		_, err = b.do("OPTS UTF8 ON") // servers that refuse it may still use UTF-8
	}
	return err
}

// sendUser sends USER, and PASS and ACCT if the server asks for them. Without a user in the URL it
// logs in as anonymous.
func (b *boundConn) sendUser() error {
	user := "anonymous"
	if b.view.User.Present {
		user = b.view.User.Text
	}
	r, err := b.do("USER " + user)
	if err != nil {
		return err
	}
	if r.Code == 331 {
		password, err := b.passwordFor(user)
		if err != nil {
			return err
		}
		if r, err = b.do("PASS " + password); err != nil {
			return err
		}
	}
	if r.Code == 332 {
		if b.client.Account == "" {
			return b.replies.Refused(r, errAccount)
		}
		b.accountSent = true
		if r, err = b.do("ACCT " + b.client.Account); err != nil {
			return err
		}
	}
	return b.loginError(b.expect(r, 2))
}

// loginError gives a refusal of the login its meaning. If the URL has a user, the login is wrong:
// access.ErrLogin. If not, the remedy is to add a user. Other errors are returned unchanged.
func (b *boundConn) loginError(err error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	switch {
	case !ok || !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrTLSRequired):
		return err
	case b.view.User.Present && refused.Reply.Code == 550:
		refused.Means = b.refusedStep(access.ErrLogin)
		return err
	case b.view.User.Present:
		refused.Means = access.ErrLogin
		return err
	}
	return withRemedy(err, access.Advice("put a user name before the host: ftp://user@host/"))
}

// sendAccount sends the account. Some servers ask for it (532) only before an upload.
func (b *boundConn) sendAccount() error {
	b.accountSent = true
	b.replies.Secrets = append(b.replies.Secrets, b.client.Account)
	return b.doExpect(2, "ACCT "+b.client.Account)
}

// passwordFor returns the password to send. For an anonymous login it is the e-mail address. For
// any other user it is the password of the URL, or else the answer to a prompt, which the
// connection remembers.
func (b *boundConn) passwordFor(user string) (string, error) {
	if !b.view.User.Present {
		return b.login.email, nil
	}
	if b.login.password.Present {
		return b.login.password.Text, nil
	}
	password, err := b.promptPassword(user)
	if err != nil {
		return "", err
	}
	b.login.password = url.Some(password)
	b.replies.Secrets = []string{password, b.client.Account}
	return password, nil
}

// promptPassword returns the password of user. It asks Request.Login, but only once for each
// request.
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
