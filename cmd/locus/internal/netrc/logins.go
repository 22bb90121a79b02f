package netrc

import (
	"context"
	"net/netip"
	"strings"

	"locus/access"
	"locus/internal/facts"
	"locus/url"
)

// Logins are the logins of a person: the entries of a .netrc file, and one password for all hosts
// that the person names. The zero Logins and nil know no logins. Goroutines may share Logins.
type Logins struct {
	File     File
	Exposed  error    // the reason why the passwords of File must not be sent; nil: they may be sent
	Password url.Part // replaces the passwords of File at hosts that the person named
}

// At returns the login name and the password at a host. The name is user or, if user is empty, the name in the File.
// The password is the password of that name in the File. Each is "" if it is unknown. A nil l knows only user.
//
// isNamed says that the person named the host. If it is false, the default entry of the File does not count, because a
// document could name the host of an attacker. If it is true and l.Password is set, password is "", because the caller
// uses l.Password. If others can read the File, the error is Exposed in place of a password.
func (l *Logins) At(host, user string, isNamed bool) (login, password string, err error) {
	if l == nil {
		return user, "", nil
	}
	file := l.File
	if !isNamed {
		file = file.withoutDefault()
	}
	entry, ok := file.Find(host, user)
	switch {
	case !ok:
		return user, "", nil
	case l.Password.Present && isNamed || entry.Login == "" || entry.Password == "":
		return entry.Login, "", nil
	case l.Exposed != nil:
		return entry.Login, "", l.Exposed
	}
	return entry.Login, entry.Password, nil
}

// A Prompt asks a person for a password. text says which password. If ctx ends first, the error is
// the error of ctx.
type Prompt = func(ctx context.Context, text string) (string, error)

// ForRequests returns the Login of an [access.Request] to a host that the person named. It finds a password in the
// File, or else calls prompt. If the challenge is Optional and no user is known, it returns the zero Credentials and
// does not call prompt. If prompt is nil otherwise, because no person can be asked, the error is access.ErrPassword.
func (l *Logins) ForRequests(prompt Prompt) access.Login {
	return func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		return l.answer(ctx, c, prompt, true)
	}
}

// ForOthers returns the Login of requests to hosts that the person did not name, such as the host of a redirect or of a
// link in a document. It knows only the entries of the File for such a host, and never asks the person. Without an
// entry the error is access.ErrPassword, or nil if the challenge is Optional and no user is known.
func (l *Logins) ForOthers() access.Login {
	return func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		return l.answer(ctx, c, nil, false)
	}
}

// answer returns the login for a challenge: from the File, or else from prompt. If the challenge is Optional and no
// user is known, it returns the zero Credentials and does not call prompt. If prompt is nil otherwise, the error is
// access.ErrPassword, and the Credentials have only the user. isNamed says that the person named the host.
func (l *Logins) answer(ctx context.Context, c access.Challenge, prompt Prompt, isNamed bool) (access.Credentials, error) {
	named, password, err := l.At(c.Host, c.User, isNamed)
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

// Encrypted returns a Login that asks login only for URLs with TLS and for this machine. Elsewhere
// it knows no login, because others could read the password on the network: it returns the error
// access.ErrPassword, unless the challenge is Optional.
func Encrypted(login access.Login) access.Login {
	return func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		addr, err := netip.ParseAddr(c.Host)
		isHere := strings.EqualFold(c.Host, "localhost") || err == nil && addr.Unmap().IsLoopback()
		switch {
		case isHere || facts.Of(c.URL.Scheme()).Has(facts.Encrypted):
			return login(ctx, c)
		case c.Optional:
			return access.Credentials{}, nil
		}
		return access.Credentials{User: c.User}, access.ErrPassword
	}
}
