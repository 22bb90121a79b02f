package extract

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"slices"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/extract"
	"locus/internal/lazy"
	"locus/limit"
	"locus/render"
	"locus/url"
)

// pageSize is how many bytes a page of a file has, or a little more.
const pageSize = 32 << 10

// A page is the output for some matches: lines, and errors. Several goroutines make
// pages, each its own, and one writes them.
type page struct {
	lines  bytes.Buffer
	count  int          // how many matches passed the filters
	unique []uniqueLine // with --unique: one for each of them
	errs   []error
	json   *render.Encoder // writes to lines
}

// A uniqueLine is a line of a page that is written if its URL is new.
type uniqueLine struct {
	end int       // of the line in page.lines
	key [2]uint64 // hashes of the URL
}

// matchJSON is a match in JSON.
type matchJSON struct {
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

// newPage returns an empty page. write takes it back.
func (x *extractor) newPage() *page {
	if p, ok := x.free.Get().(*page); ok {
		return p
	}
	p := &page{}
	p.json = render.NewEncoder(&p.lines)
	return p
}

// errorPage returns a page with an error.
func (x *extractor) errorPage(err error) *page {
	p := x.newPage()
	p.errs = append(p.errs, err)
	return p
}

// pages makes pages of the matches in an input. A page is full when its lines have size
// bytes, or more than 1000 matches are in it. With size 0 it has one match.
func (x *extractor) pages(in *input, matches iter.Seq2[extract.Match, error], size int) iter.Seq[*page] {
	return func(yield func(*page) bool) {
		p, n := x.newPage(), 0
		for m, err := range matches {
			x.add(p, in, m, err)
			if n++; p.lines.Len() < size && n < 1000 {
				continue
			}
			if !yield(p) {
				return
			}
			p, n = x.newPage(), 0
		}
		if n > 0 {
			yield(p)
		}
	}
}

// add adds a match to a page. err is the error of the match, or of the text from here on.
func (x *extractor) add(p *page, in *input, m extract.Match, err error) {
	if err != nil {
		p.errs = append(p.errs, in.explain(m, err))
		return
	}
	u, err := m.URL()
	if !x.isWanted(u) {
		return
	}
	p.count++
	text := u.String()
	if err != nil {
		text = url.Escape(m.Text, printable.Get())
	}
	switch {
	case x.options.Count:
	case x.options.JSON:
		x.addJSON(p, in, m, text, err == nil)
	default:
		p.lines.WriteString(text)
		p.lines.WriteByte('\n')
	}
	if x.seen != nil {
		key := [2]uint64{maphash.String(x.seeds[0], text), maphash.String(x.seeds[1], text)}
		p.unique = append(p.unique, uniqueLine{p.lines.Len(), key})
	}
}

func (x *extractor) addJSON(p *page, in *input, m extract.Match, text string, isValid bool) {
	j := matchJSON{
		Text: render.Value(m.Text), Kind: m.Kind.String(), File: render.Value(in.name), Offset: m.Offset, Length: m.Length,
		Line: m.Line, Column: m.Column, Base: m.Base, Place: m.Place, Context: contextOf(in.at, m),
	}
	if isValid {
		j.URL = text
	}
	if len(m.Hyphens) > 0 {
		j.Readings = slices.Collect(m.Readings())
	}
	if err := p.json.Encode(j); err != nil {
		p.errs = append(p.errs, err)
	}
}

// contextOf returns the line that a match is in; nil if it cannot be read any more.
func contextOf(at io.ReaderAt, m extract.Match) any {
	if line, ok := extract.Line(at, m); ok {
		return line
	}
	return nil
}

// printable are the bytes that are written unchanged in a text that is not a valid URL.
var printable = lazy.Value[url.Set]{Make: func() (set url.Set) {
	for c := '!'; c < 0x7f; c++ {
		set = set.With(string(c))
	}
	return set
}}

// explain adds the name of the input to an error, unless the error says enough.
func (in *input) explain(m extract.Match, err error) error {
	_, isAccess := errors.AsType[*access.Error](err) // which names its URL
	switch {
	case errors.Is(err, extract.ErrTooLong):
		return fmt.Errorf("%s:%d:%d: %w of %d bytes, left out", in.name, m.Line, m.Column, err, m.Length)
	case isAccess, cli.IsOutput(err), limit.IsTimeout(err):
		return err
	}
	return fmt.Errorf("read %s: %w", in.name, err)
}

// isWanted reports whether a URL passes the filters.
func (x *extractor) isWanted(u url.URL) bool {
	o := x.options
	return (len(o.Schemes) == 0 || slices.Contains(o.Schemes, u.Scheme())) &&
		(len(o.Hosts) == 0 || slices.ContainsFunc(o.Hosts, func(name string) bool { return isBelow(u, name) }))
}

// isBelow reports whether the host of u is name, or a subdomain of it.
func isBelow(u url.URL, name string) bool {
	host, _ := u.Host()
	host, name = strings.ToLower(strings.Trim(host, "[]")), strings.ToLower(strings.TrimPrefix(name, "."))
	return host == name || strings.HasSuffix(host, "."+name)
}

// write writes pages, and reports their errors.
func (x *extractor) write(pages iter.Seq[*page]) error {
	failed := false
	for p := range pages {
		if err := x.writeLines(p); err != nil {
			return err
		}
		for _, err := range p.errs {
			if cli.IsOutput(err) {
				return err
			}
			failed = true
			x.Report(err)
		}
		p.lines.Reset()
		p.count, p.unique, p.errs = 0, p.unique[:0], nil
		x.free.Put(p)
	}
	if failed {
		return cli.ErrReported
	}
	return nil
}

// writeLines writes the lines of a page; with --unique those that are new.
func (x *extractor) writeLines(p *page) error {
	if x.seen == nil {
		x.count += p.count
		_, err := x.Out.Write(p.lines.Bytes())
		return err
	}
	start := 0
	for _, l := range p.unique {
		line := p.lines.Bytes()[start:l.end]
		start = l.end
		if _, known := x.seen[l.key]; known {
			continue
		}
		x.seen[l.key] = struct{}{}
		x.count++
		if _, err := x.Out.Write(line); err != nil {
			return err
		}
	}
	return nil
}
