package gateway

import (
	"errors"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// A target is a URL that a request may open, and how far the access may reach. consent makes it.
// A target is a value: at returns another one.
type target struct {
	url        url.URL
	ticket     purpose // of the ticket of the request; the zero purpose if it has none
	publicOnly bool    // Engine may open public addresses only
	publicAway bool    // redirects to another server lead to public addresses only
}

// isWanted reports whether a ticket proves that the user wants to open the URL.
func (t target) isWanted() bool { return t.ticket.isSet() }

// at returns a target with the same reach at u, to which a redirect or an entry leads.
func (t target) at(u url.URL) target {
	t.url = u
	return t
}

// entry is like at for u, an entry of a listing at t. If u is of the same user at the same server, the result has the
// password of t, because the URLs in a listing lack it.
func (t target) entry(u url.URL) target {
	password, has := t.url.Password()
	_, hasOwn := u.Password()
	user, _ := t.url.User()
	if own, _ := u.User(); !has || hasOwn || own != user || limit.Server(u) != limit.Server(t.url) {
		return t.at(u)
	}
	whole, err := u.With(url.Password, url.Some(password))
	if err != nil {
		return t.at(u)
	}
	return t.at(whole)
}

// fails returns err as a failure at t. It returns nil if err is nil, and err itself if it is a
// failure already, because that may have happened after a redirect.
func (t target) fails(err error) error {
	if err == nil {
		return nil
	}
	if _, isKnown := errors.AsType[*failure](err); isKnown {
		return err
	}
	return &failure{t, err}
}

// A failure is an error with the target where it happened. Its methods compute the content of the
// page that explains it: see sentence.go.
type failure struct {
	target
	err error
}

// failureOf returns the *failure that err wraps. An error of a request that had no target yet
// becomes a failure with the zero target.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{err: err}
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// unconfirmed returns the target that the user must confirm. It is the target of a redirect if the access failed there.
func (f *failure) unconfirmed() target {
	e, ok := errors.AsType[*access.Error](f.err)
	if !ok || !e.URL.IsAbs() || isSameServer(e.URL, f.url) {
		return f.target
	}
	return f.at(e.URL)
}

// isUnconfirmed reports whether the request failed only because the user has not confirmed it. It is false if Engine
// opens public addresses only, whatever the user wants.
func (f *failure) isUnconfirmed() bool {
	if errors.Is(f.err, errUnconfirmed) {
		return true
	}
	wasAway := !isSameServer(f.unconfirmed().url, f.url)
	return errors.Is(f.err, access.ErrNotPublic) && (f.publicOnly || f.publicAway && wasAway)
}
