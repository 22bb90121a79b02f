package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"locus/access"
	"locus/internal/facts"
	"locus/netrc"
	"locus/scheme"
	"locus/url"
)

// passwordVariable is the environment variable with a password.
const passwordVariable = "LOCUS_PASSWORD"

// logins are the user's logins at servers. The zero logins are none.
type logins struct {
	netrc    netrc.File
	exposed  error    // why its passwords are not used; nil: they are used
	password url.Part // of a flag or a variable; it overrides netrc
}

// ReadLogins reads the files with passwords once.
func (e *Env) ReadLogins(o Login) error {
	if e.logins != nil {
		return nil
	}
	l := &logins{}
	if e.LookupEnv != nil {
		if text, ok := e.LookupEnv(passwordVariable); ok {
			l.password = url.Some(text)
		}
	}
	if o.PasswordFile != "" {
		text, err := e.ReadFile(o.PasswordFile)
		if err != nil {
			return err
		}
		line, _, _ := strings.Cut(string(text), "\n")
		l.password = url.Some(strings.TrimSuffix(line, "\r"))
	}
	var err error
	if l.netrc, err = e.readNetrc(o.NetrcFile); err != nil {
		exposed, ok := errors.AsType[*netrc.ExposedError](err)
		if !ok {
			return err
		}
		l.exposed = exposed
	}
	e.logins = l
	return nil
}

// WithoutLogins makes the clients of e know no login: for verbs whose users are other
// people.
func (e *Env) WithoutLogins() { e.logins = &logins{} }

// readNetrc reads the named .netrc, or $NETRC, or ~/.netrc. Only a named one must exist.
func (e *Env) readNetrc(named string) (netrc.File, error) {
	name := cmp.Or(named, e.Getenv("NETRC"), below(e.HomeDir(), ".netrc"))
	if _, err := e.Stat(name); err != nil && named == "" {
		return nil, nil
	}
	entries, err := netrc.Read(e.Path(name))
	if exposed, ok := errors.AsType[*netrc.ExposedError](err); ok {
		exposed.Name = name
	}
	return entries, e.asNamed(name, err)
}

// at returns the login at a host: user or, if that is empty, the user of .netrc; and the
// password of .netrc, unless another password was set and the user named the host
// (isNamed).
func (l *logins) at(host, user string, isNamed bool) (login, password string, err error) {
	if l == nil {
		return user, "", nil
	}
	entry, ok := l.netrc.Find(host, user)
	switch {
	case !ok:
		return user, "", nil
	case l.password.Present && isNamed || entry.Login == "" || entry.Password == "":
		return entry.Login, "", nil
	case l.exposed != nil:
		return entry.Login, "", l.exposed
	}
	return entry.Login, entry.Password, nil
}

// login returns the Login of requests: from .netrc, or else from prompt. A nil prompt is
// for hosts that the user has not named.
func (l *logins) login(prompt Prompt) LoginFunc {
	return func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		named, password, err := l.at(c.Host, c.User, prompt != nil)
		switch {
		case err != nil:
			return access.Credentials{}, err
		case password != "":
			return access.Credentials{User: named, Password: password}, nil
		case named == "" && c.Optional:
			return access.Credentials{}, nil
		case prompt == nil:
			return access.Credentials{User: named}, access.ErrPassword
		}
		c.User = named
		password, err = prompt(ctx, c.Prompt())
		return access.Credentials{User: named, Password: password}, err
	}
}

// Login returns the Login of requests for URLs that the user named.
func (e *Env) Login() LoginFunc { return e.LoginBy(e.PasswordPrompt()) }

// LoginBy is Login with another prompt.
func (e *Env) LoginBy(prompt Prompt) LoginFunc { return e.logins.login(prompt) }

// LoginAt returns the login at a host that the user named: user or, if that is empty,
// the user of .netrc, and the password of .netrc; "" where there is none.
func (e *Env) LoginAt(o Login, host, user string) (login, password string, err error) {
	if err := e.ReadLogins(o); err != nil {
		return "", "", err
	}
	return e.logins.at(host, user, true)
}

// A Prompt asks for a password.
type Prompt = func(ctx context.Context, text string) (string, error)

// PasswordPrompt returns a function that returns the password of a flag or a variable,
// or asks the user for one; nil if there is neither that nor a terminal.
func (e *Env) PasswordPrompt() Prompt {
	if l := e.logins; l != nil && l.password.Present {
		return func(context.Context, string) (string, error) { return l.password.Text, nil }
	}
	if !IsTerminal(e.Stdin) {
		return nil
	}
	return e.AskHidden
}

// passwordWarning warns about the first URL with a password among args (RFC 1738 §6:
// "clearly unwise"). It is "" if there is none.
func passwordWarning(args []string) string {
	for _, arg := range args {
		u, err := url.Parse(scheme.Unprefix(arg))
		if err != nil || u.Part(url.Password).Text == "" || isAnonymous(u.Part(url.User).Text) {
			continue
		}
		where := "in the history of the shell and in the list of processes"
		switch s := facts.Of(u.Scheme()); {
		case s.Has(facts.Encrypted):
		case s.Protocol == "http":
			where = "on the network, because http does not encrypt it, " + where
		case s.Protocol == "ftp":
			where = "on the network, if the server has no TLS, " + where
		}
		return "warning: others may see the password of " + u.Redacted() + " " + where + "; without it, locus asks for it"
	}
	return ""
}

// isAnonymous reports whether user is a name whose password is no secret (RFC 1635).
func isAnonymous(user string) bool { return user == "anonymous" || user == "ftp" }

// LoginAdvice returns the login that the URL of a session suggests, as a sentence; "" if
// it suggests none (RFC 1738 §3.8). A password is in it only on a terminal.
func (e *Env) LoginAdvice(r *access.Resource) string {
	login, _ := r.Sys.(access.LoginAdvice)
	if !IsTerminal(e.Stderr) {
		login.Password = url.Part{}
	}
	return login.String()
}
