package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// takePassword reads the password of --password-file or $LOCUS_PASSWORD.
func (p *process) takePassword(c *cli.Command) error {
	if text, ok := os.LookupEnv("LOCUS_PASSWORD"); ok {
		p.password = url.Some(text)
	}
	name := c.String("password-file")
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	p.password = url.Some(strings.TrimSuffix(line, "\r"))
	return nil
}

// logins are the user's logins at servers. The zero logins are none.
type logins struct {
	netrc   string // the text of a .netrc
	exposed error  // why its passwords are not used; nil: they are used
	named   bool   // a flag or variable sets a password, which overrides netrc
}

// readLogins reads .netrc. The gateway reads none, because its clients are other people.
func (p *process) readLogins(c *cli.Command) error {
	if c.Name == "serve" || p.logins != nil {
		return nil
	}
	text, err := readNetrc(c.String("netrc-file"))
	l := &logins{netrc: text}
	if e, ok := errors.AsType[*exposed](err); ok {
		l.exposed, err = e, nil
	}
	_, l.named = os.LookupEnv("LOCUS_PASSWORD")
	l.named = l.named || c.IsSet("password-file")
	p.logins = l
	return err
}

// at returns the login at a host: user or, if that is empty, the user of .netrc; and the
// password of .netrc, unless another password was set and the user named the host
// (isNamed).
func (l *logins) at(host, user string, isNamed bool) (login, password string, err error) {
	if l == nil {
		return user, "", nil
	}
	e, ok := findNetrc(l.netrc, host, user)
	switch {
	case !ok:
		return user, "", nil
	case l.named && isNamed || e.login == "" || e.password == "":
		return e.login, "", nil
	case l.exposed != nil:
		return e.login, "", l.exposed
	}
	return e.login, e.password, nil
}

// login returns the Login of requests: from .netrc, or else from prompt. A nil prompt is
// for hosts that the user has not named.
func (l *logins) login(prompt func(ctx context.Context, text string) (string, error)) loginFunc {
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

// login returns the Login of requests for URLs that the user named.
func (p *process) login() loginFunc { return p.logins.login(p.passwordPrompt()) }

// passwordWarning warns about the first URL with a password among args (RFC 1738 §6:
// "clearly unwise"). It is "" if there is none.
func passwordWarning(args []string) string {
	for _, arg := range args {
		u, err := url.Parse(scheme.Unprefix(arg))
		if err != nil || u.Part(url.Password).Text == "" || isAnonymous(u.Part(url.User).Text) {
			continue
		}
		where := "in the history of the shell and in the list of processes"
		if s := facts.Of(u.Scheme()); (s.Protocol == "http" || s.Protocol == "ftp") && !s.Has(facts.Encrypted) {
			where = "on the network, because " + s.Name + " does not encrypt it, " + where
		}
		return "warning: others may see the password of " + u.Redacted() + " " + where + "; without it, locus asks for it"
	}
	return ""
}

// isAnonymous reports whether user is a name whose password is no secret (RFC 1635).
func isAnonymous(user string) bool { return user == "anonymous" || user == "ftp" }
