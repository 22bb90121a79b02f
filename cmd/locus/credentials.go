package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/url"
)

// loginFlags say where passwords are. No flag takes one: others could read it
// in the list of processes.
func loginFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "netrc-file", Usage: "look for logins in this `FILE` instead of ~/.netrc"},
		&cli.StringFlag{Name: "password-file", Usage: "the password is the first line of this `FILE`"},
	}
}

// takePassword reads the password that the user has named.
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

// logins say who the user is at servers that want to know. The zero logins say
// nothing.
type logins struct {
	netrc   string // the text of a .netrc
	exposed error  // why its passwords are not used; nil if they are
	named   bool   // the user has named a password, which goes before those of netrc
}

// loginsOf returns the logins of the user. The gateway has none: whoever asks it is
// somebody else.
func loginsOf(c *cli.Command) (logins, error) {
	if c.Name == "serve" {
		return logins{}, nil
	}
	text, err := readNetrc(c.String("netrc-file"))
	l := logins{netrc: text}
	if e, ok := errors.AsType[*exposed](err); ok {
		l.exposed, err = e, nil
	}
	_, l.named = os.LookupEnv("LOCUS_PASSWORD")
	l.named = l.named || c.IsSet("password-file")
	return l, err
}

// at returns who logs in at a host: user or, if that is empty, whom .netrc names;
// and the password of .netrc, unless the user has named one.
func (l logins) at(host, user string) (login, password string, err error) {
	e, ok := findNetrc(l.netrc, host, user)
	switch {
	case !ok:
		return user, "", nil
	case l.named || e.login == "" || e.password == "":
		return e.login, "", nil
	case l.exposed != nil:
		return e.login, "", l.exposed
	}
	return e.login, e.password, nil
}

// withLogins returns o with the logins of .netrc: their passwords, and for http,
// https and ftp URLs without a user name their names, too.
func withLogins(o access.Opener, c *cli.Command) (access.Opener, error) {
	l, err := loginsOf(c)
	if err != nil || l.netrc == "" {
		return o, err
	}
	return around(func(req *access.Request) (access.Opener, *access.Request) { return o, l.give(req) }), nil
}

// give returns req with the user who logs in at its host, and what gives the
// password. That is in no URL, and so in no error.
func (l logins) give(req *access.Request) *access.Request {
	rawUser, hasUser := req.URL.User()
	if _, has := req.URL.Password(); has || hostOf(req.URL) == "" {
		return req
	}
	user, err := url.Unescape(rawUser)
	if err != nil || !hasUser && !namesUser(req.URL) {
		return req
	}
	l.named = l.named && req.Password != nil // it is for the hosts that the user has named
	login, password, err := l.at(hostOf(req.URL), user)
	if login == "" {
		return req
	}
	next := *req
	if password != "" || err != nil {
		next.Password = func(context.Context, string) (string, error) { return password, err }
	}
	if hasUser {
		return &next
	}
	parts := req.URL.Parts()
	parts.User = url.Some(url.Escape(login, url.RFC3986.Unreserved()))
	named, failed := url.Build(parts)
	if failed != nil {
		return req
	}
	next.URL = named
	return &next
}

// namesUser reports whether a URL of the scheme of u may have a user name.
func namesUser(u url.URL) bool {
	switch u.Scheme() {
	case "http", "https", "ftp", "ftps":
		return true
	}
	return false
}
