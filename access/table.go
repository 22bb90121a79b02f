package access

import (
	"context"
	"io"
	"strings"

	"locus/url"
)

// A Table says which Opener serves which scheme (in lower case). It is itself
// an Opener and has every optional ability; each goes to the Opener of the
// URL's scheme. The zero Table opens nothing.
//
// A Table may be used by several goroutines as long as none changes it.
type Table map[string]Opener

// Open opens req with the Opener of its URL's scheme.
func (t Table) Open(ctx context.Context, req *Request) (*Resource, error) {
	o, err := t.opener("open", req.URL)
	if err != nil {
		return nil, err
	}
	return o.Open(ctx, req)
}

// Stat finds the attributes of a resource with the Opener of its URL's scheme.
func (t Table) Stat(ctx context.Context, req *Request) (Entry, error) {
	o, err := t.opener("stat", req.URL)
	if err != nil {
		return Entry{}, err
	}
	return Stat(ctx, o, req)
}

// Store replaces a resource with the Opener of its URL's scheme.
func (t Table) Store(ctx context.Context, req *Request, body io.Reader) error {
	o, err := t.opener("store", req.URL)
	if err != nil {
		return err
	}
	return Store(ctx, o, req, body)
}

// Append adds to a resource with the Opener of its URL's scheme.
func (t Table) Append(ctx context.Context, req *Request, body io.Reader) (url.URL, error) {
	o, err := t.opener("append", req.URL)
	if err != nil {
		return url.URL{}, err
	}
	return Append(ctx, o, req, body)
}

// Delete removes a resource with the Opener of its URL's scheme.
func (t Table) Delete(ctx context.Context, req *Request) error {
	o, err := t.opener("delete", req.URL)
	if err != nil {
		return err
	}
	return Delete(ctx, o, req)
}

// MakeDir makes a directory with the Opener of its URL's scheme.
func (t Table) MakeDir(ctx context.Context, req *Request) error {
	o, err := t.opener("make", req.URL)
	if err != nil {
		return err
	}
	return MakeDir(ctx, o, req)
}

// Search asks the Opener of u's scheme for the URL of a search.
func (t Table) Search(u url.URL, words string) (result url.URL, ok bool) {
	o, err := t.opener("search", u)
	if err != nil {
		return url.URL{}, false
	}
	return SearchURL(o, u, words)
}

// Questions asks the Opener of the URL's scheme for the questions of req.
func (t Table) Questions(ctx context.Context, req *Request) (*Questions, error) {
	o, err := t.opener("ask", req.URL)
	if err != nil {
		return nil, err
	}
	return Ask(ctx, o, req)
}

// Answer opens req with answers, with the Opener of its URL's scheme.
func (t Table) Answer(ctx context.Context, req *Request, answers []Answer) (*Resource, error) {
	o, err := t.opener("answer", req.URL)
	if err != nil {
		return nil, err
	}
	return AnswerForm(ctx, o, req, answers)
}

func (t Table) opener(op string, u url.URL) (Opener, error) {
	if o, ok := t[u.Scheme()]; ok && o != nil {
		return o, nil
	}
	e := &Error{Op: op, URL: u, Err: ErrNoScheme}
	if !u.IsAbs() {
		e.Err = errRelative
	}
	if !u.IsAbs() || isPort(u.Path()) {
		e.Tip = "a whole URL starts with its scheme, as in https://example.org/"
	}
	return nil, e
}

// errRelative is ErrNoScheme, of a URL that has none.
var errRelative = Reason("it has no scheme", ErrNoScheme)

// isPort reports whether what follows the colon of "localhost:8080/" is a port,
// and what stands before it no scheme.
func isPort(path string) bool {
	port, _, _ := strings.Cut(path, "/")
	return port != "" && strings.Trim(port, "0123456789") == ""
}
