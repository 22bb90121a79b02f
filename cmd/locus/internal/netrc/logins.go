package netrc

import (
	"context"

	"locus/access"
	"locus/url"
)

// Logins are the logins of a person: the entries of a .netrc file, and one password for all hosts
// that the person names. The zero Logins and nil know no logins. Goroutines may share Logins.
type Logins struct {
	File     File
	Exposed  error    // the reason why the passwords of File must not be sent; nil: they may be sent
	Password url.Part // replaces the passwords of File at hosts that the person named
}

// At returns the login at a host. The login is user or, if user is empty, the user in the File, and
// the password is the password in the File. isNamed says that the person named the host. Then the
// password is empty if Password is set. If others can read the File, the error is Exposed.
func (l *Logins) At(host, user string, isNamed bool) (login, password string, err error) {
	if l == nil {
		return user, "", nil
	}
	entry, ok := l.File.Find(host, user)
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

// ForRequests returns the Login of an [access.Request]. It finds a password in the File, or else
// calls prompt. For hosts that the person did not name, prompt is nil. Then the error is
// access.ErrPassword if a password is needed and the File has no password.
func (l *Logins) ForRequests(prompt Prompt) access.Login {
	return func(ctx context.Context, c access.Challenge) (access.Credentials, error) {
		named, password, err := l.At(c.Host, c.User, prompt != nil)
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
