package access

import (
	"context"
	"strings"
)

// A Table says which Engine serves which scheme (in lower case). It is itself an
// Engine. The zero Table does nothing.
//
// Several goroutines may use a Table as long as none changes it.
type Table map[string]Engine

// Do asks the Engine of the URL's scheme.
func (t Table) Do(ctx context.Context, req *Request) (*Resource, error) {
	if e, ok := t[req.URL.Scheme()]; ok && e != nil {
		return e.Do(ctx, req)
	}
	return nil, noScheme(req)
}

// noScheme is the error of a Table that has no Engine for the scheme of req.
func noScheme(req *Request) error {
	e := &Error{Op: req.verb(), URL: req.URL, Err: ErrNoScheme}
	if !req.URL.IsAbs() {
		e.Err = errRelative
	}
	if !req.URL.IsAbs() || isPort(req.URL.Path()) {
		e.Remedy = Advice("a whole URL starts with its scheme, as in https://example.org/")
	}
	return e
}

// orNothing returns e, or for nil an Engine that does nothing.
func orNothing(e Engine) Engine {
	if e == nil {
		return Table(nil)
	}
	return e
}

// errRelative is ErrNoScheme for a URL that has no scheme.
var errRelative = Reason("it has no scheme", ErrNoScheme)

// isPort reports whether path, the rest of a text such as "localhost:8080/",
// starts with a port. Then what stands before the colon is a host, no scheme.
func isPort(path string) bool {
	port, _, _ := strings.Cut(path, "/")
	return port != "" && strings.Trim(port, "0123456789") == ""
}
