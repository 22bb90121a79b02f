package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/internal/facts"
	"locus/url"
)

// Follow is an Engine that follows redirects: it goes to where a [*Moved]
// points. A redirect that it refuses is an error that wraps [ErrRedirect] and
// names the target.
//
// Anything that decides what may be opened (a guard.Ports, a login) belongs
// inside Follow, around Engine: what stands outside it sees the first URL only.
//
// The fragment of the request is kept unless the target has one of its own.
// Login is dropped when the target is at another host, Answers always. A
// change (Put, Append, Delete, MakeDir) is made where it was meant to be, unless
// the server says that it is to be made elsewhere ([Moved.Repeat]), the target
// is not less secure, and Body can be sent again.
type Follow struct {
	// Engine is asked. nil does nothing.
	Engine Engine

	// Max is how many redirects are followed in one access; 0 means 10.
	Max int

	// Allow returns why a redirect is not followed; nil if it is. If Allow is
	// nil it is [AllowRedirect].
	Allow func(from, to url.URL) error
}

// Do does what req asks, wherever its resource is now.
func (f Follow) Do(ctx context.Context, req *Request) (*Resource, error) {
	engine := orNothing(f.Engine)
	if req.Body != nil {
		req = withRewindable(req)
	}
	var seen map[string]bool // the URLs asked for; nil: only the first one
	for {
		r, err := engine.Do(ctx, req)
		moved, ok := errors.AsType[*Moved](err)
		if !ok {
			return r, err
		}
		if seen == nil {
			seen = map[string]bool{withoutFragment(req.URL): true}
		}
		next, err := f.next(req, moved, seen)
		if err != nil {
			return nil, refusal(req, moved, err)
		}
		seen[withoutFragment(next.URL)] = true
		req = next
	}
}

// next returns the request to make after req was answered with moved.
func (f Follow) next(req *Request, moved *Moved, seen map[string]bool) (*Request, error) {
	next := *req
	next.URL = withFragment(moved.To, req.URL)
	next.Answers = nil
	most, allow := f.Max, f.Allow
	if most == 0 {
		most = 10
	}
	if allow == nil {
		allow = AllowRedirect
	}
	if len(seen) > most {
		return nil, Reason(fmt.Sprintf("more than %d redirects", most), errEndless)
	}
	if seen[withoutFragment(next.URL)] {
		return nil, Reason("it leads in a circle", errEndless)
	}
	if !sameHost(req.URL, next.URL) {
		next.Login = nil
	}
	if req.Op.Changes() {
		if err := checkRepeat(req, moved); err != nil {
			return nil, err
		}
		var err error
		if next.Body, err = bodyAgain(req); err != nil {
			return nil, err
		}
	}
	return &next, allow(req.URL, next.URL)
}

// checkRepeat returns an error if the change that req asks for must not be made
// where moved points.
func checkRepeat(req *Request, moved *Moved) error {
	if !moved.Repeat {
		return errors.New("a change is made where it was meant to be, or nowhere")
	}
	if secure(req.URL) && !secure(moved.To) {
		return errors.New("it leads from an encrypted access to one in the clear")
	}
	return nil
}

// errEndless says that following redirects leads nowhere.
var errEndless = errors.New("redirects without an end")

// refusal does not wrap moved: an Engine around this one must not go there.
func refusal(req *Request, moved *Moved, why error) error {
	e := &Error{Op: req.verb(), URL: req.URL, Reply: moved.Reply, Err: fmt.Errorf("%w: %s: %w", ErrRedirect, moved.Error(), why)}
	if !errors.Is(why, errEndless) {
		e.Remedy = Advice("use " + moved.To.Redacted() + " itself if you trust it")
	}
	return e
}

// withoutFragment returns the text of u that a server is sent.
func withoutFragment(u url.URL) string {
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

func isWeb(u url.URL) bool { return facts.Of(u.Scheme()).Protocol == "http" }

// fetches reports whether a redirect may lead to the scheme: from the web to the
// web alone.
func fetches(scheme string, fromWeb bool) bool {
	s := facts.Of(scheme)
	return s.Has(facts.Fetches) && (!fromWeb || s.Protocol == "http")
}

func secure(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Encrypted) }
