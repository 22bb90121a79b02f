package transfer

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"locus/access"
	"locus/internal/autoindex"
	"locus/url"
)

var (
	errOutside = errors.New("it leads out of the tree")
	errTwice   = errors.New("it leads to what was found before")
	errNoPage  = errors.New("there is nothing at this link")
)

// indexName is the file for a URL that ends in a slash. A server that has both
// is taken to have one page.
const indexName = "index.html"

// identity returns what tells pages apart.
func identity(u url.URL) string {
	text := anonymous(u)
	if dir, ok := strings.CutSuffix(text, "/"+indexName); ok {
		return dir + "/"
	}
	return text
}

// page fetches a page or a file of the web, and pushes what it links to.
func (m *mirror) page(ctx context.Context, t task, leave func()) {
	if err := m.disallowed(ctx, t, t.url); err != nil {
		emit(m.Event, Event{Kind: Skipped, URL: t.url, Size: -1, Err: err})
		return
	}
	if m.unchanged(ctx, t) {
		return
	}
	req := &access.Request{URL: t.url, Login: m.Login}
	if m.DryRun {
		m.look(ctx, t, req)
		return
	}
	d := m.download(req, "", leave)
	d.choose = func(r *access.Resource) (string, error) { return m.chosen(ctx, t, r) }
	d.inspect = func(f io.Reader, u url.URL, mime string) (bool, error) { return m.inspect(t, f, u, d.name, mime) }
	d.quiet = func(err error) bool {
		return m.spool.failure() != nil || t.level > 0 && errors.Is(err, fs.ErrNotExist)
	}
	result, err := d.run(ctx)
	switch {
	case err == nil:
		m.fetched(result)
		if !result.Skipped {
			m.etags.note(result.Name, d.known, d.mime)
		}
	case t.level > 0 && errors.Is(err, fs.ErrNotExist):
		emit(m.Event, Event{Kind: Skipped, URL: t.url, Size: -1, Err: errNoPage})
	default:
		m.failed(t.url, d.name, true, nil)
	}
}

// chosen returns the name for a page that was opened, unless it is not to be
// fetched.
func (m *mirror) chosen(ctx context.Context, t task, r *access.Resource) (string, error) {
	u := page(r.URL)
	name, ok, err := m.pageName(u, r.Type)
	switch {
	case !ok:
		return "", &skip{Skipped, errOutside}
	case err != nil:
		return "", err
	}
	if err := m.redirected(ctx, t, u); err != nil {
		return "", &skip{Skipped, err}
	}
	if hasLinks(r.Type) {
		return name, m.mkdir(path.Dir(name)) // whether it is kept is known once it is read
	}
	if !m.Filter.Takes(name, false) {
		return "", &skip{Skipped, errLeftOut}
	}
	if err := m.names.file(name, identity(u)); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return name, m.mkdir(path.Dir(name))
}

// redirected returns why the page at u, to which a redirect may have led, is not
// to be fetched; nil if it is.
func (m *mirror) redirected(ctx context.Context, t task, u url.URL) error {
	switch {
	case identity(u) == identity(t.url):
		return nil
	case !m.pages.add(identity(u)):
		return errTwice
	}
	return m.disallowed(ctx, t, u)
}

// pageName returns the name of the file for a page of a media type; ok is false
// if it is not in the tree. A page of HTML gets the suffix ".html" if it has none
// such, because there may be others below its URL.
func (m *mirror) pageName(u url.URL, mime string) (name string, ok bool, err error) {
	dirs, last, ok := m.tree.place(u)
	if !ok {
		return "", false, nil
	}
	if last == "" {
		last = indexName
	}
	dir, err := m.local(dirs, "")
	if err != nil {
		return "", true, err
	}
	query, has := u.Query()
	if has {
		last, err = m.naming.page(last, query)
	} else {
		if isHTML(mime) && !hasSuffix(last) {
			last += ".html"
		}
		last, err = m.naming.file(last)
	}
	return path.Join(dir, last), true, err
}

func hasSuffix(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".xhtml", ".xht":
		return true
	}
	return false
}

// inspect reads the links of a page, and reports whether to keep it.
func (m *mirror) inspect(t task, f io.Reader, u url.URL, name, mime string) (keep bool, err error) {
	if !hasLinks(mime) {
		return true, nil
	}
	u = page(u)
	r := bufio.NewReaderSize(f, autoindex.HeadSize)
	listing := isHTML(mime) && strings.HasSuffix(u.Path(), "/") && isListing(r)
	links := &stream{spool: m.spool}
	err = readLinks(r, u, mime, func(to url.URL) error {
		links.add(streamed{task: task{url: to}})
		return m.count()
	})
	if err != nil {
		links.drop()
		return false, fmt.Errorf("%s: read its links: %w", u.Redacted(), err)
	}
	m.links(t, u, links, listing)
	if listing && !m.Listings || !m.Filter.Takes(name, false) {
		return false, nil
	}
	return true, m.names.file(name, identity(u))
}

// links pushes what a page links to.
func (m *mirror) links(t task, u url.URL, links *stream, listing bool) {
	if m.Level > 0 && t.level >= m.Level {
		links.drop()
		return
	}
	tasks := &stream{spool: m.spool}
	for link := range links.all {
		to := link.url
		dirs, _, ok := m.tree.place(to)
		if !ok {
			continue
		}
		if _, sorted := to.Query(); listing && sorted && to.Path() == u.Path() {
			continue // the same in another order
		}
		if dir, err := m.local(dirs, ""); err == nil && m.leavesOut(dir) || !m.pages.add(identity(to)) {
			continue
		}
		tasks.add(streamed{task: task{url: m.tree.entry(to), size: -1, level: t.level + 1}})
	}
	m.counts.Lock()
	m.found += tasks.count
	m.counts.Unlock()
	if listing {
		emit(m.Event, Event{Kind: Listed, URL: u, Done: int64(tasks.count), Size: -1})
	}
	m.pushAll(tasks)
}

// leavesOut reports whether a directory, or one above it, is excluded.
func (m *mirror) leavesOut(dir string) bool {
	for ; dir != "." && dir != ""; dir = path.Dir(dir) {
		if !m.Filter.Takes(dir, true) {
			return true
		}
	}
	return false
}

// unchanged reports whether a page is here already, by what the server says of
// it, and reads its links here if so.
func (m *mirror) unchanged(ctx context.Context, t task) bool {
	for _, mime := range []string{"", "text/html"} {
		name, ok, err := m.pageName(t.url, mime)
		if !ok || err != nil {
			return false
		}
		info, err := m.root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		kind, same := m.sameAs(ctx, t, name, info)
		if !same {
			return false
		}
		return m.again(t, name, kind, info)
	}
	return false
}

// sameAs asks the server whether a page is still the one that is here.
func (m *mirror) sameAs(ctx context.Context, t task, name string, info fs.FileInfo) (mime string, same bool) {
	o := m.retrying(name)
	req := &access.Request{URL: t.url, Login: m.Login}
	if known, ok := m.etags.of(name, info); ok {
		req.IfChanged = access.Validator{ETag: known.ETag}
		r, err := o.Do(ctx, req)
		if err == nil {
			r.Body.Close()
		}
		return known.Type, errors.Is(err, access.ErrNotModified)
	}
	e, err := o.Do(ctx, req.WithOp(access.Stat))
	return e.Type, err == nil && e.Size == info.Size() && !e.ModTime.IsZero() && sameTime(e.ModTime, info.ModTime()) &&
		identity(page(e.URL)) == identity(t.url)
}

// again reads the links of a page that is here. It reports whether all went
// well, and the page need not be fetched.
func (m *mirror) again(t task, name, mime string, info fs.FileInfo) bool {
	keep := m.Filter.Takes(name, false)
	if hasLinks(mime) {
		f, err := m.root.Open(name)
		if err != nil {
			return false
		}
		defer f.Close()
		if keep, err = m.inspect(t, f, t.url, name, mime); err != nil {
			return false
		}
	} else if keep && m.names.file(name, identity(t.url)) != nil {
		return false
	}
	if keep {
		t.name = name
		m.skipped(t, info)
	}
	return true
}

// look reads a page for a dry run, and keeps nothing of it.
func (m *mirror) look(ctx context.Context, t task, req *access.Request) {
	r, err := m.retrying("").Do(ctx, req)
	if err != nil {
		m.lookFailed(t, err)
		return
	}
	defer r.Body.Close()
	u := page(r.URL)
	name, ok, err := m.pageName(u, r.Type)
	if !ok || m.redirected(ctx, t, u) != nil {
		return
	}
	keep := err == nil && m.Filter.Takes(name, false)
	if err == nil && hasLinks(r.Type) {
		keep, err = m.inspect(t, r.Body, u, name, r.Type)
	} else if keep {
		err = m.names.file(name, identity(u))
	}
	if err != nil {
		m.lookFailed(t, err)
		return
	}
	if keep {
		t.name, t.size = name, r.Size
		m.planned(t)
	}
}

func (m *mirror) lookFailed(t task, err error) {
	if t.level > 0 && errors.Is(err, fs.ErrNotExist) {
		emit(m.Event, Event{Kind: Skipped, URL: t.url, Size: -1, Err: errNoPage})
		return
	}
	m.failed(t.url, t.name, true, err)
}

// download returns what fetches a file for the mirror.
func (m *mirror) download(req *access.Request, name string, leave func()) *download {
	options := m.Options
	options.Received = leave
	key := hashOf(anonymous(req.URL))
	of := hex.EncodeToString(key[:])
	part, left := of+m.tag+partSuffix, m.left[of]
	return &download{
		Options: options, opener: m.opener, req: *req, root: m.root, name: name,
		parts: m.parts, part: part, from: path.Join(stateDir, part), state: part + stateSuffix,
		left: left, fresh: left == "", alone: m.held != nil,
	}
}

// fetched counts a file.
func (m *mirror) fetched(r Result) {
	m.counts.Lock()
	defer m.counts.Unlock()
	if r.Skipped {
		return
	}
	m.report.Files++
	m.report.Octets += r.Size - r.Resumed
}

// skipped counts a file that is here already.
func (m *mirror) skipped(t task, info fs.FileInfo) {
	m.counts.Lock()
	m.report.Skipped++
	m.counts.Unlock()
	emit(m.Event, Event{Kind: Skipped, URL: t.url, Name: t.name, Done: info.Size(), Size: info.Size(), Err: ErrHere})
}

// planned counts a file that a dry run would fetch.
func (m *mirror) planned(t task) {
	m.counts.Lock()
	m.report.Files++
	m.counts.Unlock()
	emit(m.Event, Event{Kind: Planned, URL: t.url, Name: t.name, Size: t.size})
}

// A known is what is kept of a page whose server tells an entity tag and no time
// of change.
type known struct {
	Name    string    `json:"name"`
	ETag    string    `json:"etag"`
	Type    string    `json:"type,omitempty"`
	Size    int64     `json:"size"`     // of the file here
	ModTime time.Time `json:"modified"` // of the file here
}
