package document

import (
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"sort"
	"sync"

	"locus/extract"
)

// A format reads the text of an emitter, and emits the matches in it.
type format func(d *document)

// settings say how a text is read. The fields are those of document.Options, where they are
// explained.
type settings struct {
	Find       extract.Options
	Base       string // of the matches, unless the text sets another
	References bool
	SkipCode   bool
	Roles      bool
	Limit      int64

	Anchor  func(name string)
	Script  func()
	Content func(text string) (more bool)
	Refresh func(seconds int, to, base string)
	Known   func(text []byte, place, base string, line, column int) bool
}

// errTooLarge comes after the matches in a text that is longer than the limit.
var errTooLarge = errors.New("a document longer than the limit")

// readAs reads the text of r in a format, and calls yield with the matches in the order of
// their places, and then with an error if there is one. A text in a *bytes.Buffer is not
// copied, nor read from it.
func readAs(read format, r io.Reader, o settings, yield func(extract.Match, error) bool) {
	limit := o.Limit
	switch {
	case limit == 0:
		limit = 64 << 20
	case limit < 0:
		limit = math.MaxInt64
	}
	limit = min(limit, math.MaxInt64-1)
	b := buffers.Get().(*buffer)
	text, err := b.read(r, limit)
	d := newDocument(text, o, yield)
	d.run.texts, d.matches, d.errs = &b.texts, b.matches[:0], b.errs[:0]
	defer func() { b.keep(d) }()
	read(d)
	d.flush()
	if err != nil && !d.run.isStopped {
		yield(extract.Match{}, err)
	}
}

// newDocument returns an emitter of a text. It calls yield with the matches as they are flushed.
func newDocument(text []byte, o settings, yield func(extract.Match, error) bool) *document {
	return &document{text: text, options: o, base: o.Base, run: &run{yield: yield}}
}

// A buffer holds a document and its matches while it is read.
type buffer struct {
	text    []byte
	matches []extract.Match
	errs    []error
	texts   recentTexts
}

// buffers are reused. Larger texts than maxKeptBuffer are not kept.
var buffers = sync.Pool{New: func() any {
	return &buffer{text: make([]byte, 0, 64<<10), texts: recentTexts{seed: maphash.MakeSeed()}}
}}

const maxKeptBuffer = 4 << 20

// read returns the text of a document of up to limit bytes. The error may be errTooLarge.
func (b *buffer) read(r io.Reader, limit int64) ([]byte, error) {
	if whole, ok := r.(*bytes.Buffer); ok {
		if text := whole.Bytes(); int64(len(text)) > limit {
			return text[:limit], errTooLarge
		}
		return whole.Bytes(), nil
	}
	text, err := readAll(r, b.text[:0], limit)
	if cap(text) <= maxKeptBuffer {
		b.text = text
	}
	return text, err
}

// keep keeps the memory of the matches for the next document.
func (b *buffer) keep(d *document) {
	if cap(d.matches) <= 2*flushAt {
		clear(d.matches[:cap(d.matches)]) // their texts are not kept
		clear(d.errs[:cap(d.errs)])
		b.matches, b.errs = d.matches, d.errs
	}
	buffers.Put(b)
}

// readAll appends all that r has to text. If text is then longer than limit, the result is its
// first limit bytes and errTooLarge.
func readAll(r io.Reader, text []byte, limit int64) ([]byte, error) {
	for {
		if len(text) == cap(text) {
			text = append(make([]byte, 0, min(int64(cap(text))*3/2, limit+1)), text...)
		}
		n, err := r.Read(text[len(text):min(int64(cap(text)), limit+1)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > limit:
			return text[:limit], errTooLarge
		case errors.Is(err, io.EOF):
			return text, nil
		case err != nil:
			return text, err
		}
	}
}

// A document is a text that is being read, or a part of one.
type document struct {
	text    []byte
	options settings
	base    string
	depth   int // how many parts this one is nested in
	run     *run
	parent  func(extract.Match, error) // takes the matches of a part
	skipped []interval                 // in order; no URLs are found there as text

	// inOrder means that matches are added in the order of their places.
	inOrder bool
	matches []extract.Match
	errs    []error // one for each match

	finished lineCounter // where finish stopped
	end      int64       // of the last reference of finish
	known    lineCounter // of Options.Known
}

// A lineCounter counts the lines of a text.
type lineCounter struct {
	lines int // the line breaks before at
	from  int // the place of the line that at is in
	at    int // how far was counted
}

// count returns the line and the column of a place. It is quick if the place is after the last
// one, and not far.
func (c *lineCounter) count(text []byte, at int) (line, column int) {
	if at < c.at {
		*c = lineCounter{}
	}
	if n := bytes.Count(text[c.at:at], []byte{'\n'}); n > 0 {
		c.lines += n
		c.from = c.at + bytes.LastIndexByte(text[c.at:at], '\n') + 1
	}
	c.at = at
	return c.lines + 1, at - c.from + 1
}

// A run is what a document and its parts share while they are read.
type run struct {
	yield     func(extract.Match, error) bool
	isStopped bool // yield returned false
	places    map[[2]string]string
	last      struct{ element, attribute, place string } // of places
	scanner   *extract.Scanner                           // nil until it is needed
	names     headingNames
	texts     *recentTexts
}

// place returns the Match.Place for an attribute of an element.
func (r *run) place(element, attribute string) string {
	if r.last.element == element && r.last.attribute == attribute && r.last.place != "" {
		return r.last.place
	}
	key := [2]string{element, attribute}
	place, ok := r.places[key]
	if !ok {
		place = element + " " + attribute
		if r.places == nil {
			r.places = map[[2]string]string{}
		}
		if len(r.places) < maxPlaces {
			r.places[key] = place
		}
	}
	r.last.element, r.last.attribute, r.last.place = element, attribute, place
	return place
}

// maxPlaces is how many places are remembered.
const maxPlaces = 256

// An interval is a range of a text.
type interval struct{ from, to int }

// addReference adds a reference with a text, which stands from one place to
// another. An empty text adds nothing. name becomes Match.Place.
func (d *document) addReference(from, to int, text, name string) {
	if text == "" {
		return
	}
	d.add(extract.Match{Offset: int64(from), Length: to - from, Text: text, Kind: extract.Reference, Place: name}, nil)
}

// Matches are handed on when there are flushAt of them. More are kept if they have one
// place, up to maxKept.
const (
	flushAt = 64
	maxKept = 4096
)

func (d *document) add(m extract.Match, err error) {
	if m.Base == "" {
		m.Base = d.base
	}
	d.matches, d.errs = append(d.matches, m), append(d.errs, err)
	n := len(d.matches)
	switch {
	case !d.inOrder || n < flushAt:
	case d.matches[n-2].Offset < m.Offset:
		d.flushBefore(m.Offset)
	case n >= maxKept:
		d.flush()
	}
}

// flushBefore hands on the matches before a place, which are complete.
func (d *document) flushBefore(at int64) {
	n := len(d.matches)
	for n > 0 && d.matches[n-1].Offset >= at {
		n--
	}
	matches, errs := d.matches, d.errs
	d.matches, d.errs = matches[:n:n], errs[:n:n]
	d.flush()
	d.matches, d.errs = append(matches[:0], matches[n:]...), append(errs[:0], errs[n:]...)
}

// flush hands the matches on: those of a part to the document that it is in, those of
// the document to the caller.
func (d *document) flush() {
	if d.parent == nil || !d.inOrder {
		d.finish()
	}
	for i, found := range d.matches {
		switch {
		case d.parent != nil:
			d.parent(found, d.errs[i])
		case !d.run.isStopped:
			d.run.isStopped = !d.run.yield(found, d.errs[i])
		}
	}
	d.matches, d.errs = d.matches[:0], d.errs[:0]
}

func (d *document) plain() { d.plainIn(0, len(d.text)) }

// plainIn finds URLs in a range of the text.
func (d *document) plainIn(from, to int) {
	text := d.text[from:to]
	if !d.mayHaveURLs(text) {
		return
	}
	if d.run.scanner == nil {
		d.run.scanner = extract.NewScanner(nil, d.options.Find)
	}
	d.run.scanner.Reset(bytes.NewReader(text))
	for !d.run.isStopped {
		m, err := d.run.scanner.Next()
		if m == nil {
			return // the text is in memory, so its end is the only error
		}
		if d.isSkipped(from + int(m.Offset)) {
			continue
		}
		found := m.Match()
		found.Offset += int64(from)
		if d.base != "" {
			found.Base = d.base // instead of Options.Find.Base
		}
		d.add(found, err)
	}
}

// mayHaveURLs reports whether URLs may be found in a text without structure.
func (d *document) mayHaveURLs(text []byte) bool {
	find := d.options.Find
	if d.options.References || len(text) == 0 {
		return false
	}
	return find.Bare || find.Mail || !find.Base.IsZero() || bytes.IndexByte(text, ':') >= 0
}

// isSkipped reports whether no URL is found as text at a place.
func (d *document) isSkipped(at int) bool {
	n := sort.Search(len(d.skipped), func(n int) bool { return d.skipped[n].to > at })
	return n < len(d.skipped) && d.skipped[n].from <= at
}

// skip adds a range to skipped.
func (d *document) skip(from, to int) {
	n := len(d.skipped)
	switch {
	case n > 0 && from < d.skipped[n-1].from:
		at := sort.Search(n, func(n int) bool { return d.skipped[n].from > from })
		d.skipped = slices.Insert(d.skipped, at, interval{from, to})
	case n > 0 && from <= d.skipped[n-1].to:
		d.skipped[n-1].to = max(d.skipped[n-1].to, to)
	default:
		d.skipped = append(d.skipped, interval{from, to})
	}
}

// maxDepth is how deep parts may be nested.
const maxDepth = 16

// isStopped reports whether the caller wants no more matches.
func (d *document) isStopped() bool { return d.run.isStopped }

// attributePlace returns the Match.Place for an attribute of an element.
func (d *document) attributePlace(element, attribute string) string {
	return d.run.place(element, attribute)
}

// repeat returns how often a heading with a name has come before.
func (d *document) repeat(name string) int { return d.run.names.repeat(name) }

// addLink adds a reference to a text that stands in the document as it is. It does not if
// Options.Known says that it is known.
func (d *document) addLink(from, to int, text []byte, where string) {
	if d.options.Known != nil && d.parent == nil && len(text) > 0 {
		if len(d.matches) > 0 {
			d.flush() // the order stays
		}
		line, column := d.known.count(d.text, from)
		if d.options.Known(text, where, d.base, line, column) {
			return
		}
	}
	d.addReference(from, to, d.run.texts.of(text), where)
}

// setBase makes a URL the base. It may be relative to the old base; if the result
// is not absolute, nothing changes.
func (d *document) setBase(href string) {
	u, err := extract.Match{Text: href, Kind: extract.Reference, Base: d.base}.URL()
	if err == nil && u.IsAbs() {
		d.base = u.String()
	}
}

// unskipped yields the ranges of the text between the skipped ones, which are then skipped no
// more.
func (d *document) unskipped(yield func(from, to int) bool) {
	at, skipped := 0, append(d.skipped, interval{len(d.text), len(d.text)})
	d.skipped = nil
	for _, s := range skipped {
		if !yield(at, s.from) {
			return
		}
		at = s.to
	}
}

// flushSkipped hands the matches on, and forgets which ranges are skipped.
func (d *document) flushSkipped() {
	d.flush()
	d.skipped = d.skipped[:0]
}

// readText finds URLs in a part of the document that is plain text. name becomes the
// Match.Place of matches that have none.
func (d *document) readText(p part, name string) {
	if d.mayHaveURLs(p.text) {
		d.nested(p, name, (*document).read)
	}
}

// read reads plain text.
func (d *document) read() {
	d.inOrder = true
	d.plain()
}

// nested calls read with a document that is a part of d.
func (d *document) nested(p part, name string, read format) {
	if len(p.text) == 0 || d.depth == maxDepth || d.run.isStopped {
		return
	}
	sub := &document{text: p.text, options: d.options, base: d.base, depth: d.depth + 1, run: d.run}
	sub.parent = func(found extract.Match, err error) {
		from, to := p.place(int(found.Offset), int(found.Offset)+found.Length)
		found.Offset, found.Length = int64(from), to-from
		if found.Place == "" {
			found.Place = name
		}
		d.add(found, err)
	}
	read(sub)
	sub.flush()
}

// finish sorts the matches by place, removes those inside references, and sets
// their lines and columns. Later calls continue after the last match.
func (d *document) finish() {
	d.sort()
	n := 0
	for i := range d.matches {
		m := &d.matches[i]
		if m.Kind != extract.Reference && m.Offset < d.end {
			continue
		}
		if m.Kind == extract.Reference {
			d.end = max(d.end, m.Offset+int64(m.Length))
		}
		m.Line, m.Column = d.finished.count(d.text, int(m.Offset))
		if n != i {
			d.matches[n], d.errs[n] = *m, d.errs[i]
		}
		n++
	}
	d.matches, d.errs = d.matches[:n], d.errs[:n]
}

// sort sorts the matches by place, and those in one place by what finish keeps.
func (d *document) sort() {
	compare := func(a, b *extract.Match) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Kind, a.Kind), cmp.Compare(b.Length, a.Length))
	}
	isSorted := true
	for i := 1; i < len(d.matches) && isSorted; i++ {
		isSorted = compare(&d.matches[i-1], &d.matches[i]) <= 0
	}
	if isSorted {
		return
	}
	order := make([]int, len(d.matches))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return compare(&d.matches[order[i]], &d.matches[order[j]]) < 0 })
	matches, errs := make([]extract.Match, len(order)), make([]error, len(order))
	for i, from := range order {
		matches[i], errs[i] = d.matches[from], d.errs[from]
	}
	d.matches, d.errs = matches, errs
}
