package nntp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"locus/access"
	"locus/url"
)

// A Spool is a body of articles already received, from which news URLs are
// answered (RFC 1630, News).
//
// It is a tree of files, of which each that starts with a header with a
// Message-ID is an article: in the traditional form of news servers, where the
// article 7 of comp.lang.misc is comp/lang/misc/7, or under any name, where the
// Newsgroups field says which groups it is in. Its lines may end in LF or CR LF,
// and INN's wire format, with periods doubled, is known.
//
// A Spool may be used by several goroutines at once. It keeps an index in memory,
// some hundred octets for an article, which follows the files when they change. A
// spool of more than 500 000 files is refused; of a long header field the first
// 1024 octets are known.
type Spool struct {
	files fs.FS
	index index
}

// NewSpool returns the spool of the articles in files, which are not read until
// they are asked for. For the wire format to be known they must be io.ReaderAts,
// as an os.File is.
func NewSpool(files fs.FS) *Spool { return &Spool{files: files} }

// open opens what a news URL names in the spool.
func (s *Spool) open(ctx context.Context, to target, u url.URL) (*access.Resource, error) {
	if to.what == article {
		return s.article(ctx, to.id, u)
	}
	kept, err := s.index.all(ctx, s.files)
	if err != nil {
		return nil, err
	}
	if to.what == groups {
		return spooledGroups(ctx, to, u, kept), nil
	}
	found := inGroup(kept, to)
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	return listingOf(ctx, to, u, found, 0, 0, groupOf(to.group, found)), nil
}

// stat finds the attributes of what a news URL names in the spool.
func (s *Spool) stat(ctx context.Context, to target, u url.URL) (access.Entry, error) {
	switch to.what {
	case groups:
		return access.Entry{Title: "*", URL: u, Kind: access.Directory, Size: -1}, nil
	case group:
		kept, err := s.index.all(ctx, s.files)
		if err != nil {
			return access.Entry{}, err
		}
		found := inGroup(kept, to)
		if len(found) == 0 {
			return access.Entry{}, fs.ErrNotExist
		}
		return access.Entry{Title: to.group, URL: u, Kind: access.Directory, Size: -1, Sys: groupOf(to.group, found)}, nil
	}
	kept, err := s.index.find(ctx, s.files, to.id)
	if err != nil {
		return access.Entry{}, err
	}
	e := kept.header.entry(to)
	e.URL = u
	return e, nil
}

// article opens the article with a message-id.
func (s *Spool) article(ctx context.Context, id string, u url.URL) (*access.Resource, error) {
	kept, err := s.index.find(ctx, s.files, id)
	if err != nil {
		return nil, err
	}
	f, err := s.files.Open(kept.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{URL: u, Type: mediaType, Size: info.Size(), ModTime: info.ModTime(), Sys: Article{MessageID: id}}}
	body := &file{ctx: ctx, url: u, Reader: f, file: f}
	if isWire(f, info.Size()) {
		r.Size = -1
		body.Reader = &dots{r: bufio.NewReader(f)}
	}
	r.Body = body
	return r, nil
}

// isWire reports whether a file is an article as it is sent, up to the period
// that ends it.
func isWire(f fs.File, size int64) bool {
	const end = "\r\n.\r\n"
	at, ok := f.(io.ReaderAt)
	if !ok || size < int64(len(end)) {
		return false
	}
	last := make([]byte, len(end))
	_, err := at.ReadAt(last, size-int64(len(end)))
	return (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(last, []byte(end))
}

// A file is the Body of an article of a spool.
type file struct {
	io.Reader
	ctx    context.Context
	url    url.URL
	file   fs.File
	closed atomic.Bool
}

func (f *file) Read(p []byte) (int, error) {
	err := f.ctx.Err()
	if err == nil && f.closed.Load() {
		err = fs.ErrClosed
	}
	if err != nil {
		return 0, access.Fail("read", f.url, err)
	}
	n, err := f.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = access.Fail("read", f.url, err)
	}
	return n, err
}

// Close closes the file.
func (f *file) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	return f.file.Close()
}

// inGroup returns the articles of a group, newest first.
func inGroup(kept []spooled, to target) []header {
	var found []header
	for _, a := range kept {
		if n, in := a.in(to.group); in && n >= to.first && n <= to.last {
			h := a.header
			h.number = n
			found = append(found, h)
		}
	}
	slices.SortStableFunc(found, func(a, b header) int {
		return cmp.Or(b.time().Compare(a.time()), cmp.Compare(b.number, a.number))
	})
	return found
}

// groupOf returns what is known of a group by its articles.
func groupOf(name string, found []header) Group {
	g := Group{Name: name, Low: 1}
	for _, h := range found {
		g.High = max(g.High, h.number)
		if h.number > 0 && (g.Low == 1 || h.number < g.Low) {
			g.Low = h.number
		}
	}
	return g
}

// spooledGroups returns the listing of all groups that have articles.
func spooledGroups(ctx context.Context, to target, u url.URL, kept []spooled) *access.Resource {
	count := map[string]int{}
	for _, a := range kept {
		for _, name := range a.groups() {
			count[name]++
		}
	}
	var all []string
	for name := range count {
		all = append(all, name)
	}
	slices.Sort(all)
	l := &listing{ctx: ctx, url: u}
	for _, name := range all {
		l.entries = append(l.entries, Group{Name: name, Low: 1}.entry(to))
	}
	l.text = strings.NewReader(strings.Join(append(all, ""), "\r\n"))
	return &access.Resource{Entry: access.Entry{URL: u, Type: "text/plain", Size: -1}, Body: l, List: l}
}
