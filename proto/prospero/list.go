package prospero

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// A body is octets that have all arrived. It is an io.ReadCloser.
type body struct {
	ctx    context.Context
	url    url.URL
	data   *bytes.Reader
	closed *atomic.Bool
}

func newBody(ctx context.Context, u url.URL, data []byte) body {
	return body{ctx: ctx, url: u, data: bytes.NewReader(data), closed: new(atomic.Bool)}
}

// ended returns why nothing is read any more; nil if something may be.
func (b body) ended(op string) error {
	err := b.ctx.Err()
	if b.closed.Load() {
		err = fs.ErrClosed
	}
	return access.Fail(op, b.url, err)
}

func (b body) Read(p []byte) (int, error) {
	if err := b.ended("read"); err != nil {
		return 0, err
	}
	return b.data.Read(p)
}

func (b body) Close() error {
	b.closed.Store(true)
	return nil
}

// A listing is the body of a directory: its octets are the reply.
type listing struct {
	body
	entries []found
}

// A found is a link, and who gave it.
type found struct {
	Link
	asked scheme.Host
}

func (l *listing) Next() (access.Entry, error) {
	if err := l.ended("list"); err != nil {
		return access.Entry{}, err
	}
	if len(l.entries) == 0 {
		return access.Entry{}, io.EOF
	}
	next := l.entries[0]
	l.entries = l.entries[1:]
	return next.entry(), nil
}

func (f found) entry() access.Entry {
	e := access.Entry{
		Title: f.Name, Type: mediaType(f.Attributes, f.Name), Size: sizeOf(f.Attributes),
		ModTime: modTime(f.Attributes), Sys: &f.Link,
	}
	e.URL, e.Kind = f.lead()
	if e.Kind == access.Directory && e.URL.Scheme() == "prospero" {
		e.Type = directoryType
	}
	return e
}

// lead returns what opens the object of the link, and what that gives.
func (f found) lead() (url.URL, access.Kind) {
	switch f.Target {
	case "EXTERNAL":
		return f.external()
	case "SYMBOLIC", "NULL":
		return url.URL{}, access.Unknown
	}
	u := f.url(f.asked)
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

// external returns the URL of the first access method that has one.
func (f found) external() (url.URL, access.Kind) {
	all := ways(f.Attributes, f.Link, f.asked)
	switch {
	case len(all) == 0:
		return url.URL{}, access.Unknown
	case all[0].contents:
		return f.url(f.asked), access.Object
	}
	return all[0].to, kindOf(all[0].to)
}

// maxUnions is how many directories are listed to complete one.
const maxUnions = 20

// splice returns the links of a directory that are to be shown, and those of
// the directories that its union links lead to. A name that is there hides the
// same name in what is added later.
func (c Client) splice(ctx context.Context, t target, links []Link) ([]found, error) {
	s := splicing{seen: map[string]bool{t.key(): true}, names: make(map[string]bool)}
	s.add(t.place, links)
	for n := 0; len(s.unions) > 0; n++ {
		next := s.unions[0]
		s.unions = s.unions[1:]
		if n >= maxUnions || !c.expand(ctx, &s, next) {
			s.found = append(s.found, next)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(s.found) > maxLinks:
			return nil, fmt.Errorf("%w: more than %d links", access.ErrTooLong, maxLinks)
		}
	}
	return s.found, nil
}

// expand adds the links of the directory that a union link leads to, unless
// they are there already. It reports whether they are there.
func (c Client) expand(ctx context.Context, s *splicing, union found) bool {
	to, ok := union.target()
	switch {
	case !ok, !mayAsk(to.port()), isLoopback(to.place.Name) && !isLoopback(union.asked.Name):
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

// A splicing is a directory that is put together.
type splicing struct {
	found  []found
	unions []found
	names  map[string]bool // in found
	seen   map[string]bool // directories
}

// add takes the links of one directory, in which a name may stand for several.
func (s *splicing) add(asked scheme.Host, links []Link) {
	before := len(s.found)
	for _, l := range links {
		switch {
		case l.Type == "U":
			s.unions = append(s.unions, found{l, asked})
		case l.Type != "I" && !s.names[l.Name]:
			s.found = append(s.found, found{l, asked})
		}
	}
	for _, f := range s.found[before:] {
		s.names[f.Name] = true
	}
}

// target returns the directory that a union link leads to.
func (f found) target() (target, bool) {
	u := f.url(f.asked)
	if u.IsZero() {
		return target{}, false
	}
	t, err := parse(u)
	return t, err == nil
}

func (t target) key() string {
	return strings.ToLower(t.address()) + " " + t.name() + t.selection
}

func (t target) port() uint16 {
	if t.place.Port == 0 {
		return defaultPort
	}
	return t.place.Port
}

// octets reads a size; -1 if it is none.
func octets(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
