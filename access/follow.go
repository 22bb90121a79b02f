package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"locus/url"
)

// Follow is an Opener around an Opener that goes to where a [*Moved] points.
// What it will not follow is an error that wraps [ErrRedirect] and names the
// target.
//
// The fragment of the request is kept unless the target has one of its own. A
// request's Password function is not taken along to another host.
type Follow struct {
	// Opener is asked. nil opens nothing.
	Opener Opener

	// Max is how many redirects are followed in one access; 0 means 10.
	Max int

	// Allow returns why a redirect is not followed; nil if it is. If Allow is
	// nil it is [AllowRedirect].
	Allow func(from, to url.URL) error
}

// Open opens req, wherever its resource is now.
func (f Follow) Open(ctx context.Context, req *Request) (*Resource, error) {
	return follow(f, "open", req, func(req *Request) (*Resource, error) {
		return f.opener().Open(ctx, req)
	})
}

// Stat finds the attributes of what req names, wherever that is now.
func (f Follow) Stat(ctx context.Context, req *Request) (Entry, error) {
	return follow(f, "stat", req, func(req *Request) (Entry, error) {
		return Stat(ctx, f.opener(), req)
	})
}

// Store asks the Opener. A change is made where it was meant to be: a redirect
// is an error that wraps [ErrRedirect]. The exception is one that says that the
// change is to be made elsewhere ([Moved.Repeat]), is not away from TLS, and
// finds body unread or able to seek back.
func (f Follow) Store(ctx context.Context, req *Request, body io.Reader) error {
	_, err := change(f, "store", req, body, func(req *Request, body io.Reader) (struct{}, error) {
		return struct{}{}, Store(ctx, f.opener(), req, body)
	})
	return err
}

// Append asks the Opener, and follows redirects as Store does.
func (f Follow) Append(ctx context.Context, req *Request, body io.Reader) (url.URL, error) {
	return change(f, "append", req, body, func(req *Request, body io.Reader) (url.URL, error) {
		return Append(ctx, f.opener(), req, body)
	})
}

// Delete asks the Opener, and follows redirects as Store does.
func (f Follow) Delete(ctx context.Context, req *Request) error {
	_, err := change(f, "delete", req, nil, func(req *Request, _ io.Reader) (struct{}, error) {
		return struct{}{}, Delete(ctx, f.opener(), req)
	})
	return err
}

// MakeDir asks the Opener, and follows redirects as Store does.
func (f Follow) MakeDir(ctx context.Context, req *Request) error {
	_, err := change(f, "make", req, nil, func(req *Request, _ io.Reader) (struct{}, error) {
		return struct{}{}, MakeDir(ctx, f.opener(), req)
	})
	return err
}

// Search asks the Opener.
func (f Follow) Search(u url.URL, words string) (result url.URL, ok bool) {
	return SearchURL(f.opener(), u, words)
}

// Questions asks the Opener.
func (f Follow) Questions(ctx context.Context, req *Request) (*Questions, error) {
	return Ask(ctx, f.opener(), req)
}

// Answer asks the Opener. What comes of the answers may have moved.
func (f Follow) Answer(ctx context.Context, req *Request, answers []Answer) (*Resource, error) {
	first := true
	return follow(f, "answer", req, func(req *Request) (*Resource, error) {
		if first {
			first = false
			return AnswerForm(ctx, f.opener(), req, answers)
		}
		return f.opener().Open(ctx, req)
	})
}

func (f Follow) opener() Opener {
	if f.Opener == nil {
		return Table(nil)
	}
	return f.Opener
}

// follow does what do does, again and again while that is a *Moved.
func follow[T any](f Follow, op string, req *Request, do func(*Request) (T, error)) (T, error) {
	var seen map[string]bool // what was asked for; nil: the first one only
	for {
		result, err := do(req)
		moved, ok := errors.AsType[*Moved](err)
		if !ok {
			return result, err
		}
		if seen == nil {
			seen = map[string]bool{sent(req.URL): true}
		}
		next, err := f.next(req, moved, seen)
		if err != nil {
			return result, refusal(op, req.URL, moved, err)
		}
		seen[sent(next.URL)] = true
		req = next
	}
}

// next returns the request to make after req was answered with moved.
func (f Follow) next(req *Request, moved *Moved, seen map[string]bool) (*Request, error) {
	next := *req
	next.URL = withFragment(moved.To, req.URL)
	most, allow := f.Max, f.Allow
	if most == 0 {
		most = 10
	}
	if allow == nil {
		allow = AllowRedirect
	}
	switch {
	case len(seen) > most:
		return nil, Reason(fmt.Sprintf("more than %d redirects", most), errEndless)
	case seen[sent(next.URL)]:
		return nil, Reason("it leads in a circle", errEndless)
	case !sameHost(req.URL, next.URL):
		next.Password = nil
	}
	return &next, allow(req.URL, next.URL)
}

// errEndless says that following redirects leads nowhere.
var errEndless = errors.New("redirects without an end")

// refusal does not wrap moved: an Opener around this one must not go there.
func refusal(op string, u url.URL, moved *Moved, why error) error {
	e := &Error{Op: op, URL: u, Reply: moved.Reply, Err: fmt.Errorf("%w: %s: %w", ErrRedirect, moved.Error(), why)}
	if !errors.Is(why, errEndless) {
		e.Tip = "use " + moved.To.Redacted() + " itself if you trust it"
	}
	return e
}

// sent returns the text of u without the fragment, which no server is sent.
func sent(u url.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	return text
}

// withFragment returns to with the fragment of from, if it has none itself.
func withFragment(to, from url.URL) url.URL {
	fragment, has := from.Fragment()
	if _, own := to.Fragment(); own || !has {
		return to
	}
	u, err := url.Parse(to.String() + "#" + fragment)
	if err != nil { // RFC 1630 reads fragments that RFC 3986 does not
		return to
	}
	return u
}

func sameHost(a, b url.URL) bool {
	hostA, _ := a.Host()
	hostB, _ := b.Host()
	portA, _ := a.Port()
	portB, _ := b.Port()
	return a.Scheme() == b.Scheme() && hostA == hostB && portA == portB
}

// AllowRedirect is what redirects [Follow] goes after by default: from http or
// https to http or https, and from another scheme to one that fetches an object
// over a network. It never lets a server send its visitor to this machine's
// files, to a mail program or into a session, nor, if the URL has a user name,
// from a protocol over TLS to one without.
func AllowRedirect(from, to url.URL) error {
	if !fetches(to.Scheme(), isWeb(from)) {
		return fmt.Errorf("it leads from %s to %q", from.Scheme(), to.Scheme())
	}
	if _, login := from.User(); login && secure(from) && !secure(to) {
		return errors.New("it leads from an encrypted access with a user name to one in the clear")
	}
	return nil
}

func isWeb(u url.URL) bool {
	scheme := u.Scheme()
	return scheme == "http" || scheme == "https"
}

func fetches(scheme string, fromWeb bool) bool {
	switch scheme {
	case "http", "https":
		return true
	case "ftp", "ftps", "gopher", "nntp", "nntps", "wais", "prospero":
		return !fromWeb
	}
	return false
}

func secure(u url.URL) bool {
	switch u.Scheme() {
	case "https", "ftps", "nntps":
		return true
	}
	return false
}
