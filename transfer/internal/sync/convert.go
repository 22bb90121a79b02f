package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"slices"
	"strings"

	"locus/access/engine"
	"locus/internal/rewrite"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// convertAll writes the pages of this run with URLs that work in the copy.
func (m *crawl) convertAll(ctx context.Context) error {
	for t := range m.toConvert.All() {
		if err := m.stopped(ctx); err != nil {
			return err
		}
		if err := m.convert(t); err != nil {
			m.failed(t.url, t.name, false, fmt.Errorf("convert %q: %w", t.name, err))
		}
	}
	return m.stopped(ctx)
}

// convert writes a page with URLs that work in the copy, unless the file has that content. A
// panic is an error: the page comes from a stranger.
func (m *crawl) convert(t task) (err error) {
	defer engine.CatchPanic(&err)
	f, err := m.root.Open(m.storedName(t.name, t.title))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text, err := readPage(f, t.title)
	if err != nil {
		return err
	}
	options := rewrite.Options{Limit: 2 * maxPage}
	if isHTML(t.title) {
		options.Charset = charset(t.title)
	}
	if m.MaxSize > 0 {
		options.Limit = int(min(m.MaxSize, 2*maxPage))
	}
	text, err = rewrite.Rewrite(text, modeOf(t.title), t.url, options, func(r rewrite.Reference) (string, bool) {
		return m.replacement(t, r)
	})
	if err != nil {
		return err
	}
	if err := m.countBytes(int64(len(text))); err != nil {
		return err
	}
	if m.hasContent(t.name, text) {
		return nil
	}
	if err := m.writePage(t.name, text, info.ModTime(), m.Sync); err != nil {
		return err
	}
	m.update(func() { m.report.Converted++ })
	return nil
}

// charset returns the charset in a media type; "" if there is none.
func charset(mediaType string) string {
	_, params, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return ""
	}
	return params["charset"]
}

// replacement returns what a reference of a page becomes; false if it stays.
func (m *crawl) replacement(page task, r rewrite.Reference) (string, bool) {
	text := strings.TrimSpace(r.Text)
	switch {
	case r.Use == rewrite.Base:
		return ".", true
	case r.Use == rewrite.Hint, r.Use == rewrite.Part && slices.Contains(strings.Fields(r.Rel), "manifest"):
		return "", true // browsers load no manifest from a file
	case r.Use == rewrite.Name, text == "", text[0] == '#' && r.Base == page.url.String():
		return "", false
	}
	u, err := r.URL()
	if err != nil || !tree.IsWeb(u) {
		return "", false
	}
	if r.Use != rewrite.Submit {
		if name, ok := m.nameOf(page, u, r.Use); ok {
			return relativeName(page.name, name) + fragmentOf(u), true
		}
	}
	if given, err := url.Parse(text); err == nil && given.IsAbs() {
		return "", false
	}
	return u.String(), true
}

// nameOf returns the name in the copy of the file for u. Without one, what the page loads is
// reported as missing.
func (m *crawl) nameOf(page task, u url.URL, use rewrite.Use) (string, bool) {
	id := tree.Normalize(u)
	p, _ := m.places.find(id)
	if p.Name != "" {
		if info, err := m.root.Lstat(m.storedName(p.Name, p.Type)); err == nil && info.Mode().IsRegular() {
			return p.Name, true
		}
	}
	if use == rewrite.Part && m.missing.Add(pageID(id)) {
		why := whyMissing(p)
		m.update(func() {
			m.report.Missing++
			if errors.Is(why, ErrOtherHost) {
				m.report.MissingElsewhere++
			}
		})
		m.Event(fetch.Event{Kind: fetch.Missing, URL: u, Name: page.name, Size: -1, Err: why})
	}
	return "", false
}

// whyMissing returns why a place has no file.
func whyMissing(p place) error {
	switch p.Why {
	case "":
		return errors.New("it was not fetched")
	case ErrOtherHost.Error():
		return ErrOtherHost
	}
	return errors.New(p.Why)
}

// relativeName returns the URL of one file of the copy, relative to another one. It has no
// character that HTML or CSS treats as markup.
func relativeName(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for i := range b {
		b[i] = url.Escape(b[i], url.RFC3986.Unreserved())
	}
	return strings.Repeat("../", len(a)-1) + strings.Join(b, "/")
}

// fragmentOf returns the fragment of u with its "#"; "" if there is none.
func fragmentOf(u url.URL) string {
	fragment, ok := u.Fragment()
	if !ok {
		return ""
	}
	return "#" + fragment
}

// removeOldPages removes what is stored of pages that are not in the copy any more. Only
// Delete removes those.
func (m *crawl) removeOldPages() {
	if !m.Convert || !m.Delete || m.report.NotDeleted != nil {
		return
	}
	_ = fs.WalkDir(m.root.FS(), pagesDir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !m.names.has(shownName(name)) {
			_ = m.root.Remove(name) // what stays is only larger
		}
		return nil
	})
}
