// Package lines writes the matches of package extract as lines: as URLs, or as JSON objects.
// Several goroutines may make pages of lines at the same time. One goroutine writes the pages in
// order:
//
//	w := lines.New(os.Stdout, lines.Options{Unique: true})
//	pages := w.Pages(lines.Text{Name: "notes.txt", At: file}, extract.All(file, extract.Options{}), 32<<10)
//	err := w.Write(pages, func(err error) error { return err })
package lines

import (
	"bytes"
	"hash/maphash"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"locus/extract"
	"locus/internal/render"
	"locus/url"
)

// Options select the matches and their form. The zero Options write the URL of each match.
type Options struct {
	JSON   bool // write a JSON object for each match, even without a valid URL
	Count  bool // write no lines, and only count the matches
	Unique bool // write only the first match of each URL

	// Schemes are in lower case. The URL of a match must have one of the Schemes, and a host that is
	// one of the Hosts or a subdomain of it. An empty list accepts everything. "example.org" and ".example.org" mean the
	// same.
	Schemes, Hosts []string
}

// wants reports whether the scheme and the host of u are selected. The zero URL, of an invalid match, has neither.
func (o Options) wants(u url.URL) bool {
	return (len(o.Schemes) == 0 || slices.Contains(o.Schemes, u.Scheme())) &&
		(len(o.Hosts) == 0 || slices.ContainsFunc(o.Hosts, func(name string) bool { return isBelow(u, name) }))
}

// isBelow reports whether the host of u is name, or a subdomain of name. It ignores case.
func isBelow(u url.URL, name string) bool {
	host, _ := u.Host()
	host, name = strings.ToLower(strings.Trim(host, "[]")), strings.ToLower(strings.TrimPrefix(name, "."))
	return host == name || strings.HasSuffix(host, "."+name)
}

// A Writer writes matches. [New] makes one. Pages and ErrorPage may be called by several goroutines at
// the same time, Write and Count by one.
type Writer struct {
	out     io.Writer
	options Options
	free    sync.Pool              // of *Page
	seen    map[[2]uint64]struct{} // hashes of the URLs that were written; nil without Unique
	seeds   [2]maphash.Seed
	count   int
}

// New returns a Writer that writes to out.
func New(out io.Writer, o Options) *Writer {
	w := &Writer{out: out, options: o}
	if o.Unique {
		w.seen, w.seeds = make(map[[2]uint64]struct{}), [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	return w
}

// A Text is a text in which matches were found.
type Text struct {
	Name string      // of the file or the URL, for JSON
	At   io.ReaderAt // the text, so that JSON can show the line around a match; nil: JSON does not show it

	// Explain returns the error for people. err is the error of m, or the error of the text from m
	// on. A nil Explain returns err unchanged.
	Explain func(m extract.Match, err error) error
}

// A Page has the lines and errors of some matches. [Writer.Write] takes it back.
type Page struct {
	lines  bytes.Buffer
	count  int          // the number of matches that the options select
	unique []uniqueLine // with Unique: one for each of these matches
	errs   []error
	json   *render.Encoder // writes to lines
}

// A uniqueLine is a line of a page that is written if its URL is new.
type uniqueLine struct {
	end int       // the offset in Page.lines after the line
	key [2]uint64 // hashes of the URL
}

// ErrorPage yields one page, which has only the error.
func (w *Writer) ErrorPage(err error) iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		p := w.newPage()
		p.errs = append(p.errs, err)
		yield(p)
	}
}

// maxMatches is the largest number of matches of a page.
const maxMatches = 1000

// Pages makes pages of the matches in a text. A page is full when its lines have size bytes, or
// when it has a thousand matches. With size 0 each page has one match. Use that for a text that
// arrives slowly.
func (w *Writer) Pages(t Text, matches iter.Seq2[extract.Match, error], size int) iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		p, n := w.newPage(), 0
		for m, err := range matches {
			w.add(p, t, m, err)
			if n++; p.lines.Len() < size && n < maxMatches {
				continue
			}
			if !yield(p) {
				return
			}
			p, n = w.newPage(), 0
		}
		if n > 0 {
			yield(p)
		}
	}
}

// Write writes pages in their order. It calls report with each error, after the lines of the error's page. It stops if
// report returns an error or if writing fails, and returns that error. After a page is written, the Writer uses its
// memory again.
func (w *Writer) Write(pages iter.Seq[*Page], report func(error) error) error {
	for p := range pages {
		if err := w.writeLines(p); err != nil {
			return err
		}
		for _, err := range p.errs {
			if err := report(err); err != nil {
				return err
			}
		}
		p.lines.Reset()
		p.count, p.unique, p.errs = 0, p.unique[:0], nil
		w.free.Put(p)
	}
	return nil
}

// Count returns the number of matches that were written, or that would have been written without
// Options.Count.
func (w *Writer) Count() int { return w.count }

// newPage returns an empty page. It reuses a page that was written before, if there is one.
func (w *Writer) newPage() *Page {
	if p, ok := w.free.Get().(*Page); ok {
		return p
	}
	p := &Page{}
	p.json = render.NewEncoder(&p.lines)
	return p
}

// add adds the line of a match to a page and counts it, if the options select the match's URL. With Count it only
// counts. If err is not nil, add adds err instead: the error of the match, or of the text from there on.
func (w *Writer) add(p *Page, t Text, m extract.Match, err error) {
	if err != nil {
		if t.Explain != nil {
			err = t.Explain(m, err)
		}
		p.errs = append(p.errs, err)
		return
	}
	u, err := m.URL()
	if !w.options.wants(u) {
		return
	}
	p.count++
	text := m.Output(u)
	if err != nil {
		text = url.Escape(m.Text, printable)
	}
	switch {
	case w.options.Count:
	case w.options.JSON:
		if err := p.json.Encode(newObject(t, m, text, err == nil)); err != nil {
			p.errs = append(p.errs, err)
		}
	default:
		p.lines.WriteString(text)
		p.lines.WriteByte('\n')
	}
	if w.seen != nil {
		key := [2]uint64{maphash.String(w.seeds[0], text), maphash.String(w.seeds[1], text)}
		p.unique = append(p.unique, uniqueLine{p.lines.Len(), key})
	}
}

// writeLines writes the lines of a page to out, and counts the matches. With Unique it writes and counts only lines
// whose URL is new.
func (w *Writer) writeLines(p *Page) error {
	if w.seen == nil {
		w.count += p.count
		_, err := w.out.Write(p.lines.Bytes())
		return err
	}
	start := 0
	for _, l := range p.unique {
		line := p.lines.Bytes()[start:l.end]
		start = l.end
		if _, known := w.seen[l.key]; known {
			continue
		}
		w.seen[l.key] = struct{}{}
		w.count++
		if _, err := w.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// An object is a match in JSON.
type object struct {
	URL      any      `json:"url"` // null if it is invalid
	Text     any      `json:"text"`
	Kind     string   `json:"kind"`
	File     any      `json:"file"`
	Offset   int64    `json:"offset"`
	Length   int      `json:"length"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Base     string   `json:"base,omitempty"`
	Place    string   `json:"place,omitempty"`
	Readings []string `json:"readings,omitempty"`
	Context  any      `json:"context,omitempty"`
}

// newObject returns a match as JSON. text is the URL of the match; the object has it only if isValid is set.
func newObject(t Text, m extract.Match, text string, isValid bool) object {
	o := object{
		Text: render.Value(m.Text), Kind: m.Kind.String(), File: render.Value(t.Name), Offset: m.Offset, Length: m.Length,
		Line: m.Line, Column: m.Column, Base: m.Base, Place: m.Place,
	}
	if isValid {
		o.URL = text
	}
	if len(m.Hyphens) > 0 {
		o.Readings = slices.Collect(m.Readings())
	}
	if t.At != nil {
		if line, ok := extract.Line(t.At, m); ok {
			o.Context = line
		}
	}
	return o
}

// printable are the bytes that are written unchanged in a text that is not a valid URL.
var printable = func() (set url.Set) {
	for c := '!'; c < 0x7f; c++ {
		set = set.With(string(c))
	}
	return set
}()
