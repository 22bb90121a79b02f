package access

import (
	"context"
	"strings"

	"locus/internal/facts"
	"locus/internal/sentinel"
	"locus/internal/typo"
)

// A Table is an Engine that chooses an Engine by the scheme of the URL, in lower case. The
// zero Table refuses every request with [ErrNoScheme]. Several goroutines may use a Table
// at once, as long as it does not change.
type Table map[string]Engine

// Do passes req to the Engine of the URL's scheme. If t has no Engine for the scheme, the error is
// [ErrNoScheme].
func (t Table) Do(ctx context.Context, req *Request) (*Resource, error) {
	if e, ok := t[req.URL.Scheme()]; ok && e != nil {
		return e.Do(ctx, req)
	}
	return nil, noScheme(req)
}

// noScheme returns the error for a request whose scheme has no Engine, with the best Remedy for its
// URL. It wraps ErrNoScheme.
func noScheme(req *Request) error {
	e := &Error{Op: req.Verb(), URL: req.URL, Err: ErrNoScheme}
	if req.URL.IsZero() {
		e.Err = errEmpty
	} else if !req.URL.IsAbs() {
		e.Err = errRelative
	} else if s := facts.Of(req.URL.Scheme()); s.Has(facts.Reserved) && s.Traits&(facts.Object|facts.Upload|facts.Session|facts.Address) == 0 {
		e.Err = errReserved(s)
	}
	if !req.URL.IsAbs() || isPort(req.URL.Path()) {
		e.Remedy = Advice("a URL starts with its scheme, as in https://example.org/")
	} else if program := facts.Opener(req.URL.Scheme()); program != "" {
		e.Remedy = Advice(program + " opens it")
	}
	if meant, ok := typo.URL(req.URL.Redacted()); ok {
		e.Remedy = Advice("did you mean " + meant + "?")
	}
	return e
}

// orNothing returns e, or an Engine that refuses every request with [ErrNoScheme] if e is nil.
func orNothing(e Engine) Engine {
	if e == nil {
		return Table(nil)
	}
	return e
}

// errRelative is ErrNoScheme for a relative URL.
var errRelative = sentinel.New("it has no scheme", ErrNoScheme)

// errEmpty is ErrNoScheme for the empty URL.
var errEmpty = sentinel.New("the URL is empty", ErrNoScheme)

// errReserved returns the reason for not opening the URLs of s, whose name is only reserved. It
// wraps ErrNoScheme.
func errReserved(s *facts.Scheme) error {
	spec := s.Spec
	if end := strings.IndexAny(spec, ",;"); end >= 0 {
		spec = spec[:end]
	}
	return sentinel.New("the scheme is reserved by "+spec+" and not opened", ErrNoScheme)
}

// isPort reports whether path starts with a port. The URL "localhost:8080/" has the path
// "8080/", because the text before the colon parses as a scheme although the user meant a
// host.
func isPort(path string) bool {
	port, _, _ := strings.Cut(path, "/")
	return port != "" && strings.Trim(port, "0123456789") == ""
}
