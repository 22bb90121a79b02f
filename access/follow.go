package access

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/access/internal/rewind"
	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/internal/sentinel"
	"locus/scheme"
	"locus/url"
)

// Follow is an Engine that follows redirects: it sends the request to the target of a
// [*Moved]. If it refuses a redirect, the error wraps [ErrRedirect] and names the
// target.
//
// A wrapper that decides what may be opened, such as guard.Ports, belongs inside Follow,
// because outside it sees only the first URL.
//
// The URL of the Resource has the fragment of the request, unless the target has its own
// (RFC 1630, HTTP).
//
// Follow withholds the secrets of a request from other servers. Another host does not get
// the Login. After an encrypted URL, an unencrypted one does not get a login, not even from
// an Engine inside Follow. The Answers of a form go only to the form. A change (Put,
// Append, Delete, MakeDir) is sent to the target only if Moved.Repeat is set, the target is
// not less secure, and Body can be sent again.
type Follow struct {
	// Engine does each request; nil refuses every request with [ErrNoScheme].
	Engine Engine

	// Max is how many redirects are followed for one request. 0 means 10, and a negative
	// value means no limit. A redirect to a URL that was already asked for is always
	// refused, because it would go on forever.
	Max int

	// Allow returns an error if a redirect must not be followed; nil: the method
	// AllowRedirect of Schemes.
	Allow func(from, to url.URL) error

	// Schemes has the facts about the schemes that a program adds; nil: the program does
	// not add schemes.
	Schemes Schemes

	// Hop, if not nil, is called with each redirect before Follow decides about it, and
	// with the URL that it came from. If it returns an error, the redirect is not followed.
	Hop func(m *Moved, from url.URL) error
}

// Do sends req to Engine, and again to the target of each redirect. It returns the first answer that is not a redirect.
// A redirect that it must not follow is an error with a *RedirectError.
func (f Follow) Do(ctx context.Context, req *Request) (*Resource, error) {
	engine := orNothing(f.Engine)
	if len(req.From) > 0 {
		var err error
		if req, err = f.afterRedirects(req); err != nil {
			return nil, err
		}
	}
	if req.Body != nil {
		req = rewindable(req)
	}
	var seen map[step]bool // the requests that were sent; nil before the first redirect, so that most requests do not allocate it
	wasEncrypted := f.isEncrypted(req.URL)
	for {
		before := changesOf(req)
		r, err := engine.Do(ctx, req)
		moved, ok := errors.AsType[*Moved](err)
		if !ok {
			if err == nil && !req.Op.Changes() {
				r.URL = withFragment(r.URL, req.URL)
			}
			return r, err
		}
		if seen == nil {
			seen = map[step]bool{stepOf(req, before): true}
		}
		next, err := f.next(req, moved, seen)
		if err != nil {
			return nil, refusal(req, moved, err)
		}
		seen[stepOf(next, changesOf(next))] = true
		if f.isEncrypted(next.URL) {
			wasEncrypted = true
		} else if wasEncrypted {
			next.Login = noLogin
		}
		if req.Moved != nil {
			req.Moved(moved, req.URL)
		}
		req = next
	}
}

// afterRedirects checks a req whose caller has itself followed the redirects of req.From, as if Follow had done so. It returns
// a copy without the Login if another host must not get it, or an error if the last redirect must not be followed.
func (f Follow) afterRedirects(req *Request) (*Request, error) {
	next := *req
	wasEncrypted := false
	for i, from := range req.From {
		to := req.URL
		if i+1 < len(req.From) {
			to = req.From[i+1]
		}
		if !isSameHost(from, to) {
			next.Login = nil
		}
		wasEncrypted = wasEncrypted || f.isEncrypted(from)
	}
	if wasEncrypted && !f.isEncrypted(req.URL) {
		next.Login = noLogin
	}
	last := *req
	last.URL = req.From[len(req.From)-1]
	why := f.allow(last.URL, req.URL)
	if most := f.most(); most >= 0 && len(req.From) > most {
		why = tooMany(most)
	}
	if why != nil {
		return nil, refusal(&last, &Moved{To: req.URL}, why)
	}
	return &next, nil
}

// most returns how many redirects are followed for one request. A negative number means no limit.
func (f Follow) most() int {
	if f.Max == 0 {
		return 10
	}
	return f.Max
}

// allow returns an error if the redirect from one URL to the other must not be followed. It calls f.Allow, or
// [Schemes.AllowRedirect] if Allow is nil.
func (f Follow) allow(from, to url.URL) error {
	if f.Allow == nil {
		return f.Schemes.AllowRedirect(from, to)
	}
	return f.Allow(from, to)
}

// tooMany returns the reason for refusing more than most redirects.
func tooMany(most int) error {
	return sentinel.New(fmt.Sprintf("more than %d redirects", most), errEndless)
}

// A step identifies a request on the way to the resource. It includes the cookies, because
// the same URL may have another reply with other cookies.
type step struct {
	url     string // without its fragment
	changes int    // of the cookies
}

// stepOf returns the step of req. changes is how often the cookies had changed when req was
// sent.
func stepOf(req *Request, changes int) step { return step{withoutFragment(req.URL), changes} }

// changesOf returns how often servers have changed the cookies of req; 0 if req has no Cookies.
func changesOf(req *Request) int {
	if req.Cookies == nil {
		return 0
	}
	return req.Cookies.Changes
}

// next calls f.Hop, and returns the request to send after req was answered with moved. seen has the requests that were
// sent. It returns an error if the redirect must not be followed, as after too many redirects or in a circle. The
// request lacks the Answers and From of req. A request to another host also lacks the Login, and is PublicOnly if req
// is PublicAway.
func (f Follow) next(req *Request, moved *Moved, seen map[step]bool) (*Request, error) {
	if f.Hop != nil {
		if err := f.Hop(moved, req.URL); err != nil {
			return nil, err
		}
	}
	next := *req
	next.URL = withFragment(moved.To, req.URL)
	next.Answers, next.From = nil, nil
	if most := f.most(); most >= 0 && len(seen) > most {
		return nil, tooMany(most)
	}
	if seen[stepOf(&next, changesOf(&next))] {
		return nil, sentinel.New(ErrCircle.Error(), errEndless, ErrCircle)
	}
	if !isSameHost(req.URL, next.URL) {
		next.Login = nil
		next.PublicOnly = req.PublicOnly || req.PublicAway
	}
	if req.Op.Changes() {
		if err := f.checkRepeat(req, moved); err != nil {
			return nil, err
		}
		if req.Body != nil {
			var err error
			if next.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
	return &next, f.allow(req.URL, next.URL)
}

// rewindable returns a copy of req, which must have a Body, with a GetBody. That GetBody fails if Body was read, req
// has no GetBody, and Body cannot seek.
func rewindable(req *Request) *Request {
	body := rewind.New(req.Body, req.GetBody, req.Size)
	next := *req
	next.Body, next.GetBody, next.Size = body, body.Rewind, body.Size()
	return &next
}

// noLogin is the Login of a request that may not send a password. It returns ErrPassword, or no credentials if the
// challenge is Optional.
func noLogin(_ context.Context, c Challenge) (Credentials, error) {
	if c.Optional {
		return Credentials{}, nil
	}
	return Credentials{}, ErrPassword
}

// checkRepeat returns an error if req, which changes something, must not be sent to the target of moved: without
// Moved.Repeat, or from an encrypted URL to an unencrypted one.
func (f Follow) checkRepeat(req *Request, moved *Moved) error {
	if !moved.Repeat {
		return errors.New("a change is not sent to another URL")
	}
	if f.isEncrypted(req.URL) && !f.isEncrypted(moved.To) {
		return errors.New("it leads from an encrypted protocol to an unencrypted one")
	}
	return nil
}

// errEndless is in the tree of an error for too many redirects, or a loop.
var errEndless = errors.New("endless redirects")

// ErrCircle says that a redirect leads to a URL that was already asked for with the same
// cookies.
var ErrCircle = errors.New("it leads back to an earlier URL")

// A RedirectError says why Follow did not follow a redirect. It wraps [ErrRedirect]. It
// does not wrap Moved, because an outer Follow would then follow the redirect.
type RedirectError struct {
	Moved *Moved
	Why   error
}

// Error gives "redirect refused: moved permanently to http://h/: it leads back to an earlier URL".
func (e *RedirectError) Error() string {
	return fmt.Sprintf("%v: %s: %v", ErrRedirect, e.Moved.Error(), e.Why)
}

// Unwrap returns ErrRedirect and Why.
func (e *RedirectError) Unwrap() []error { return []error{ErrRedirect, e.Why} }

// refusal returns the error for a redirect that is not followed. why is the reason. Its Remedy is advice to use the
// target itself, unless the redirects are endless.
func refusal(req *Request, moved *Moved, why error) error {
	e := &Error{Op: req.Verb(), URL: req.URL, Reply: moved.Reply, Err: &RedirectError{moved, why}}
	if !errors.Is(why, errEndless) {
		e.Remedy = Advice("use " + moved.To.Redacted() + " itself if you trust it")
	}
	return e
}

// withoutFragment returns the text of u without its fragment.
func withoutFragment(u url.URL) string {
	text, _, _ := strings.Cut(u.String(), "#")
	return text
}

// withFragment returns to. If to lacks a fragment, the result has the fragment of from.
func withFragment(to, from url.URL) url.URL {
	fragment, has := from.Fragment()
	if _, own := to.Fragment(); own || !has || !to.IsAbs() {
		return to
	}
	text := fragment                            // a copy, so that fragment itself stays on the stack
	u, err := scheme.Set(to, "fragment", &text) // it escapes characters that only another standard allows
	if err != nil {
		return to
	}
	return u
}

// isSameHost reports whether a and b have the same scheme, host and port. It compares the host and the port as they are
// written.
func isSameHost(a, b url.URL) bool {
	hostA, _ := a.Host()
	hostB, _ := b.Host()
	portA, _ := a.Port()
	portB, _ := b.Port()
	return a.Scheme() == b.Scheme() && hostA == hostB && portA == portB
}

// AllowRedirect returns an error if a redirect must not be followed. It allows redirects
// from http or https to http or https, and from other schemes to schemes that are Remote and
// not Personal.
// So a server cannot redirect to a file of this machine, not even by way of a gateway, nor
// to a mail program or a session. If from is encrypted and has a user name, the target must
// be encrypted too, because the redirect may pass the login on.
func (s Schemes) AllowRedirect(from, to url.URL) error {
	source, target := s.Of(from.Scheme()), s.Of(to.Scheme())
	if target.Web && namesFile(to, 8) {
		return errors.New("it leads to a file by way of a gateway")
	}
	if !target.Remote || target.Personal || source.Web && !target.Web {
		return fmt.Errorf("it leads from %s to %q", from.Scheme(), to.Scheme())
	}
	if _, hasUser := from.User(); hasUser && source.Encrypted && !target.Encrypted {
		return errors.New("it leads from an encrypted protocol to an unencrypted one, with a user name")
	}
	return nil
}

// namesFile reports whether u is a gateway's URL of a file: "http://gate/file:///x", or with
// "url=file:///x" in its query. It looks through at most depth gateways, and also returns true
// for a URL with more of them, because it cannot tell where such a URL leads.
func namesFile(u url.URL, depth int) bool {
	query, _ := u.Query()
	inner := []string{strings.TrimLeft(u.Path(), "/")}
	for pair := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(pair, "=")
		inner = append(inner, value)
	}
	for _, text := range inner {
		if plain, err := url.Unescape(strings.ReplaceAll(text, "+", " ")); err == nil {
			text = plain
		}
		text = strings.TrimLeft(text, " <")
		if len(text) > 4 && strings.EqualFold(text[:4], "url:") {
			text = text[4:]
		}
		for plain, ok := facts.Alias(text); ok; plain, ok = facts.Alias(text) {
			text = plain
		}
		if name, rest, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(rest, "/") && facts.Of(name).Has(facts.EmptyHost) {
			return true
		}
		next, err := url.Parse(text)
		if err != nil {
			next, err = url.Parse(asBrowsersRead(text))
		}
		if err == nil && isWeb(next) && (depth == 0 || namesFile(next, depth-1)) {
			return true
		}
	}
	return false
}

// asBrowsersRead returns the text of a valid URL with the scheme, the path and the query that browsers find in text,
// which is not a URL of RFC 3986. Its host is always "h". Browsers, and gateways for them, drop tabs and line ends, and
// accept backslashes, any number of slashes before the host, and a "%" without digits.
func asBrowsersRead(text string) string {
	text = strings.NewReplacer("\t", "", "\r", "", "\n", "", `\`, "/").Replace(text)
	name, rest, _ := strings.Cut(text, ":")
	rest = strings.TrimLeft(rest, "/")
	path := strings.TrimPrefix(rest[max(strings.IndexAny(rest, "/?"), 0):], "/")
	return name + "://h/" + url.Escape(ascii.Unescape(path), url.RFC3986.Unreserved().With("/?&=:"))
}

// isWeb reports whether u is an http or https URL.
func isWeb(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Web) }

// isEncrypted reports whether the scheme of u is Encrypted.
func (f Follow) isEncrypted(u url.URL) bool { return f.Schemes.Of(u.Scheme()).Encrypted }
