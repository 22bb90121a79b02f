package prospero

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/scheme"
	"locus/url"
)

// A body is an io.ReadCloser of data in memory. Read fails after Close, or when the context is
// done.
type body struct {
	ctx   context.Context // canceled by Close
	close context.CancelCauseFunc
	url   url.URL
	data  *bytes.Reader
}

// newBody returns a body of data, whose reads fail once ctx is done. u is the URL for errors.
func newBody(ctx context.Context, u url.URL, data []byte) body {
	ctx, cancel := context.WithCancelCause(ctx)
	return body{ctx, cancel, u, bytes.NewReader(data)}
}

// checkOpen returns an error of the operation op if the body is closed or its context is done.
func (b body) checkOpen(op string) error { return engine.Fail(op, b.url, context.Cause(b.ctx)) }

// Read reads the data. It fails once the body is closed or its context is done.
func (b body) Read(p []byte) (int, error) {
	if err := b.checkOpen("read"); err != nil {
		return 0, err
	}
	return b.data.Read(p)
}

// Close makes further reads fail. It always returns nil.
func (b body) Close() error {
	b.close(fs.ErrClosed)
	return nil
}

// A listing is the Body and the List of a directory. Read returns the server's reply, and Next
// returns the entries.
type listing struct {
	body
	entries []listedLink // not yet returned by Next
}

// A listedLink is a link of a directory together with the server that sent it. The links of a
// union link come from another server.
type listedLink struct {
	Link
	server scheme.Host
}

// Next returns the entry of the next link, and io.EOF after the last one. It fails after
// Close.
func (l *listing) Next() (access.Entry, error) {
	if err := l.checkOpen("list"); err != nil {
		return access.Entry{}, err
	}
	if len(l.entries) == 0 {
		return access.Entry{}, io.EOF
	}
	next := l.entries[0]
	l.entries = l.entries[1:]
	return next.entry(), nil
}

// entry returns the entry of the link. Its type, size and time come from the attributes of the
// link. Its URL is zero if no URL can name the target.
func (f listedLink) entry() access.Entry {
	e := access.Entry{
		Title: f.Name, Type: mediaType(f.Attributes, f.Name), Size: sizeOf(f.Attributes),
		ModTime: modTime(f.Attributes), Sys: &f.Link,
	}
	e.URL, e.Kind = f.urlAndKind()
	if e.Kind == access.Directory && e.URL.Scheme() == "prospero" {
		e.Type = directoryType
	}
	return e
}

// urlAndKind returns the URL of the link's object and its kind. The URL is zero, and the kind
// Unknown, if the link has no target that a URL can name.
func (f listedLink) urlAndKind() (url.URL, access.Kind) {
	switch f.Target {
	case "EXTERNAL":
		return f.externalURL()
	case "SYMBOLIC", "NULL":
		return url.URL{}, access.Unknown
	}
	u := f.url(f.server)
	switch {
	case u.IsZero():
		return u, access.Unknown
	case strings.Contains(f.Target, "DIRECTORY"):
		return u, access.Directory
	case strings.Contains(f.Target, "FILE"):
		return u, access.Object
	}
	return u, access.Unknown
}

// externalURL returns the URL and the kind of the first supported access method of an EXTERNAL
// link. The URL is zero if the client supports no access method of the link.
func (f listedLink) externalURL() (url.URL, access.Kind) {
	targets := methodTargets(f.Attributes, f.Link, f.server)
	switch {
	case len(targets) == 0:
		return url.URL{}, access.Unknown
	case targets[0].isContents:
		return f.url(f.server), access.Object
	}
	return targets[0].url, kindOf(targets[0].url)
}

// maxUnions is how many directories are fetched to expand the union links of one directory.
const maxUnions = 20

// expandUnions returns the visible links of the directory t, in which each union link is
// replaced by the links of its target directory, and so on. links are the links of t itself.
// If two directories have a link of the same name, only the link of the earlier directory
// stays. A union link that cannot be expanded stays. More than maxLinks links are an error.
func (c Client) expandUnions(ctx context.Context, t target, links []Link) ([]listedLink, error) {
	s := expansion{fetched: map[string]bool{t.key(): true}, names: make(map[string]bool)}
	s.add(t.server, links)
	for n := 0; len(s.unions) > 0; n++ {
		next := s.unions[0]
		s.unions = s.unions[1:]
		if n >= maxUnions || !c.expandUnion(ctx, &s, next) {
			s.links = append(s.links, next)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case len(s.links) > maxLinks:
			return nil, fmt.Errorf("%w: more than %d links", access.ErrTooLong, maxLinks)
		}
	}
	return s.links, nil
}

// expandUnion fetches the target directory of link, a union link, and adds the links there to
// s. It returns false if the directory could not be fetched; then the caller keeps the union
// link. It requests each directory once, and returns the same result for later links to it. It
// does not fetch a target with a port to which a server must not redirect, nor a target with a
// loopback address, unless the link comes from a loopback address.
func (c Client) expandUnion(ctx context.Context, s *expansion, link listedLink) bool {
	to, ok := link.target()
	if !ok || !isAllowedPort(cmp.Or(to.server.Port, defaultPort)) || isLoopback(to.server.Name) && !isLoopback(link.server.Name) {
		return false
	}
	key := to.key()
	if fetched, requested := s.fetched[key]; requested {
		return fetched
	}
	f, err := c.ask(ctx, to, to.listRequest())
	s.fetched[key] = err == nil && f.err == nil
	if s.fetched[key] {
		s.add(to.server, f.links)
	}
	return s.fetched[key]
}

// An expansion collects the links of a directory and of the directories to which its union
// links lead.
type expansion struct {
	links   []listedLink
	unions  []listedLink    // not yet expanded
	names   map[string]bool // the names in links
	fetched map[string]bool // by the key of each directory that was requested: whether it could be fetched
}

// add adds the links of one directory of server to s: union links to unions, and other links
// to links. It omits invisible links, and links whose name an earlier directory has. Within
// one directory the same name may occur more than once.
func (s *expansion) add(server scheme.Host, links []Link) {
	before := len(s.links)
	for _, l := range links {
		switch {
		case l.Type == "U":
			s.unions = append(s.unions, listedLink{l, server})
		case l.Type != "I" && !s.names[l.Name]:
			s.links = append(s.links, listedLink{l, server})
		}
	}
	for _, f := range s.links[before:] {
		s.names[f.Name] = true
	}
}

// target returns the object to which the link leads. ok is false if no prospero URL can name the object.
func (f listedLink) target() (t target, ok bool) {
	u := f.url(f.server)
	if u.IsZero() {
		return target{}, false
	}
	t, err := parseTarget(u)
	return t, err == nil
}

// key returns a text that identifies the object of t: it is the same for two targets if their
// requests are the same.
func (t target) key() string {
	return strings.ToLower(t.address()) + " " + t.nameLine() + t.selection
}
