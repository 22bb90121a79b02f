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
func (p *process) takePassword(ctx context.Context, c *cli.Command) (context.Context, error) {
	if text, ok := os.LookupEnv("LOCUS_PASSWORD"); ok {
		p.password = url.Some(text)
	}
	name := c.String("password-file")
	if name == "" {
		return ctx, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ctx, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	p.password = url.Some(strings.TrimSuffix(line, "\r"))
	return ctx, nil
}

// withLogins returns o with the logins of .netrc: their passwords, and for http,
// https and ftp URLs without a user name their names, too. A password that the
// user has named goes before, where the user has named the host. The gateway has none of them: whoever asks it is
// somebody else.
func withLogins(o access.Opener, c *cli.Command) (access.Opener, error) {
	if c.Name == "serve" {
		return o, nil
	}
	text, err := readNetrc(c.String("netrc-file"))
	exposed, ok := errors.AsType[*exposed](err)
	if err != nil && !ok || text == "" {
		return o, err
	}
	_, named := os.LookupEnv("LOCUS_PASSWORD")
	named = named || c.IsSet("password-file")
	return around(func(req *access.Request) (access.Opener, *access.Request) {
		asked, password := withLogin(req, text)
		switch {
		case password == "" || named && req.Password != nil:
		case exposed != nil:
			asked.Password = func(context.Context, string) (string, error) { return "", exposed }
		default:
			asked.Password = func(context.Context, string) (string, error) { return password, nil }
		}
		return o, asked
	}), nil
}

// withLogin returns req with the user that a .netrc has for its host, and the
// password. That is in no URL, and so in no error; "" if there is none.
func withLogin(req *access.Request, netrc string) (asked *access.Request, password string) {
	rawUser, hasUser := req.URL.User()
	if _, has := req.URL.Password(); has || hostOf(req.URL) == "" {
		return req, ""
	}
	user, err := url.Unescape(rawUser)
	if err != nil || !hasUser && !namesUser(req.URL) {
		return req, ""
	}
	e, ok := findNetrc(netrc, hostOf(req.URL), user)
	if !ok || e.login == "" {
		return req, ""
	}
	next := *req
	if !hasUser {
		parts := req.URL.Parts()
		parts.User = url.Some(url.Escape(e.login, url.RFC3986.Unreserved()))
		if next.URL, err = url.Build(parts); err != nil {
			return req, ""
		}
	}
	return &next, e.password
}

// namesUser reports whether a URL of the scheme of u may have a user name.
func namesUser(u url.URL) bool {
	switch u.Scheme() {
	case "http", "https", "ftp", "ftps":
		return true
	}
	return false
}
