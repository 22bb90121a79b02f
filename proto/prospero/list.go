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

// A body is data in memory, as an io.ReadCloser.
type body struct {
	ctx   context.Context // ends when the body is closed
	close context.CancelCauseFunc
	url   url.URL
	data  *bytes.Reader
}

func newBody(ctx context.Context, u url.URL, data []byte) body {
	ctx, cancel := context.WithCancelCause(ctx)
	return body{ctx, cancel, u, bytes.NewReader(data)}
}

// checkOpen returns an error if the body is closed or its context is done.
func (b body) checkOpen(op string) error { return engine.Fail(op, b.url, context.Cause(b.ctx)) }

func (b body) Read(p []byte) (int, error) {
	if err := b.checkOpen("read"); err != nil {
		return 0, err
	}
	return b.data.Read(p)
}

func (b body) Close() error {
	b.close(fs.ErrClosed)
	return nil
}

// A listing is the Body and the List of a directory. Read returns the reply.
type listing struct {
	body
	entries []listedLink
}

type listedLink struct {
	Link
	server scheme.Host
}

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

// urlAndKind returns the URL of the link's object, and its kind.
func (f listedLink) urlAndKind() (url.URL, access.Kind) {
	switch f.Target {
	case "EXTERNAL":
		return f.external()
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

// external returns the URL of the first supported access method.
func (f listedLink) external() (url.URL, access.Kind) {
	targets := methodTargets(f.Attributes, f.Link, f.server)
	switch {
	case len(targets) == 0:
		return url.URL{}, access.Unknown
	case targets[0].isContents:
		return f.url(f.server), access.Object
	}
	return targets[0].url, kindOf(targets[0].url)
}

// maxUnions is how many directories are fetched to expand the union links of
// one.
const maxUnions = 20

// expandUnions returns the visible links of a directory. It replaces each union
// link by the links of its target directory. If a name occurs again, the first
// link wins.
func (c Client) expandUnions(ctx context.Context, t target, links []Link) ([]listedLink, error) {
	s := union{seen: map[string]bool{t.key(): true}, names: make(map[string]bool)}
	s.add(t.place, links)
	for n := 0; len(s.unions) > 0; n++ {
		next := s.unions[0]
		s.unions = s.unions[1:]
		if n >= maxUnions || !c.expand(ctx, &s, next) {
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

// expand adds the links of the target directory of a union link. It reports
// whether they have been added, now or before.
func (c Client) expand(ctx context.Context, s *union, link listedLink) bool {
	to, ok := link.target()
	switch {
	case !ok, !isAllowedPort(cmp.Or(to.place.Port, defaultPort)), isLoopback(to.place.Name) && !isLoopback(link.server.Name):
		return false
	case s.seen[to.key()]:
		return true
	}
	s.seen[to.key()] = true
	f, err := c.ask(ctx, to, to.list())
	if err != nil || f.err != nil {
		return false
	}
	s.add(to.place, f.links)
	return true
}

// A union collects the links of a directory and its union links.
type union struct {
	links  []listedLink
	unions []listedLink    // not yet expanded
	names  map[string]bool // the names in links
	seen   map[string]bool // the directories that have been added
}

// add adds the links of one directory. The same name may occur more than once
// within it.
func (s *union) add(server scheme.Host, links []Link) {
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

func (f listedLink) target() (target, bool) {
	u := f.url(f.server)
	if u.IsZero() {
		return target{}, false
	}
	t, err := parse(u)
	return t, err == nil
}

func (t target) key() string {
	return strings.ToLower(t.address()) + " " + t.name() + t.selection
}
