package nntp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A Spool is a collection of received articles, from which news URLs are answered (RFC 1630, News).
//
// It is a tree of files. Each file that starts with a header with a Message-ID is an article. In
// the layout of news servers, article 7 of comp.lang.misc is comp/lang/misc/7. A file with another
// name belongs to the groups in its Newsgroups field. Lines may end in LF or CR LF. INN's wire
// format, with doubled periods, is recognised.
//
// Several goroutines may use a Spool at once. It keeps an index in memory, a few hundred bytes per
// article, and updates it when files change. A spool of more than 500 000 files is refused. Header
// fields are cut after 1024 bytes.
type Spool struct {
	files fs.FS
	index index
}

// NewSpool returns a Spool of the articles in files. It reads no file before the first request. It
// recognises the wire format only in files that are io.ReaderAts, such as os.File.
func NewSpool(files fs.FS) *Spool { return &Spool{files, index{maxFiles: maxSpooled}} }

// do executes Get or Stat for a news URL: it opens the article or listing that to names, or
// returns its attributes. The error is fs.ErrNotExist if the spool lacks the article or the group.
func (s *Spool) do(ctx context.Context, to target, req *access.Request) (*access.Resource, error) {
	if to.kind == oneArticle {
		return s.article(ctx, to, req)
	}
	e := access.Entry{Title: "*", URL: req.URL, Kind: access.Directory, Size: -1}
	if to.kind == allGroups && req.Op == access.Stat {
		return engine.Found(e, nil)
	}
	files, err := s.index.all(ctx, s.files)
	if err != nil {
		return nil, err
	}
	if to.kind == allGroups {
		return listSpoolGroups(ctx, to, req.URL, files), nil
	}
	found := articlesIn(files, to)
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	g := groupOf(to.group, found)
	if req.Op == access.Stat {
		e.Title, e.Header, e.Sys = to.group, g.fields(), g
		return engine.Found(e, nil)
	}
	return listingOf(ctx, to, req.URL, found, 0, 0, g), nil
}

// article executes Get or Stat for the article with the id in to. The Resource owns the file.
func (s *Spool) article(ctx context.Context, to target, req *access.Request) (*access.Resource, error) {
	found, err := s.index.find(ctx, s.files, to.id)
	if err != nil {
		return nil, err
	}
	if req.Op == access.Stat {
		e := found.header.entry(to)
		e.URL = req.URL
		return engine.Found(e, nil)
	}
	f, err := s.files.Open(found.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	a := Article{MessageID: to.id}
	r := &access.Resource{
		Entry:     access.Entry{URL: req.URL, Type: mediaType, Size: info.Size(), ModTime: info.ModTime(), Sys: a},
		Immutable: a.isImmutable(),
	}

	b := &body{Reader: f, ctx: ctx, url: req.URL, file: f}
	if isWireFormat(f, info.Size()) {
		r.Size = -1
		b.Reader = &dotReader{r: bufio.NewReader(f)}
	}
	r.Body = b
	return r, nil
}

// isWireFormat reports whether f, which has size bytes, is in INN's wire format: it ends in a line
// with only a period. It is false if f is not an io.ReaderAt.
func isWireFormat(f fs.File, size int64) bool {
	const end = "\r\n.\r\n"
	at, ok := f.(io.ReaderAt)
	if !ok || size < int64(len(end)) {
		return false
	}
	last := make([]byte, len(end))
	_, err := at.ReadAt(last, size-int64(len(end)))
	return (err == nil || access.IsEnd(err)) && bytes.Equal(last, []byte(end))
}

// articlesIn returns the articles among files that are in the group of to and whose number is in
// its range, newest first. Articles of the same date are sorted by number, the highest first.
func articlesIn(files []spoolFile, to target) []header {
	var found []header
	for _, a := range files {
		if n, in := a.numberIn(to.group); in && n >= to.first && n <= to.last {
			h := a.header
			h.number = n
			found = append(found, h)
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		return cmp.Or(b.time().Compare(a.time()), cmp.Compare(b.number, a.number)) < 0
	})
	return found
}

// groupOf returns the Group with this name. Its range of numbers covers the articles found;
// numbers of 0 do not count. Without numbers Low is 1 and High is 0.
func groupOf(name string, found []header) Group {
	g := Group{Name: name}
	for _, h := range found {
		g.High = max(g.High, h.number)
		if h.number > 0 && (g.Low == 0 || h.number < g.Low) {
			g.Low = h.number
		}
	}
	g.Low = max(g.Low, 1)
	return g
}

// listSpoolGroups returns the listing, with the URL u, of all groups that the articles in files
// belong to, sorted by name.
func listSpoolGroups(ctx context.Context, to target, u url.URL, files []spoolFile) *access.Resource {
	groups := map[string]bool{}
	for _, a := range files {
		for _, name := range a.groups() {
			groups[name] = true
		}
	}
	all := slices.Sorted(maps.Keys(groups))
	l := &listing{body: body{ctx: ctx, url: u}}
	for _, name := range all {
		l.entries = append(l.entries, Group{Name: name, Low: 1}.entry(to))
	}
	l.Reader = strings.NewReader(strings.Join(append(all, ""), "\r\n"))
	return &access.Resource{Entry: access.Entry{URL: u, Type: "text/plain", Size: -1}, Body: l, List: l}
}
