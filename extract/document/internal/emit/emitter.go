// Package emit collects the matches in a text for the formats of locus/extract/document.
//
// A format is a function that reads Emitter.Text, and adds the references in it with their
// places. Text without structure it gives to [Emitter.Plain] or [Emitter.ReadText], which look
// for URLs. Text that is written with escapes is a [Part], which knows where each byte stands in
// the document. [Emitter.Nested] reads a part in another format: styles in HTML, HTML in
// Markdown, an attachment in a message.
//
// The Emitter sorts the matches by their places, counts their lines, and hands them on as soon
// as no match can come before them.
package emit

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"locus/extract"
)

// A Format reads the text of an Emitter, and adds the matches in it.
type Format func(d *Emitter)

// Options say how a text is read. The fields are those of document.Options, where they are
// explained.
type Options struct {
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

// An Emitter is a text that is being read, or a part of one. One goroutine at a time may use
// it.
type Emitter struct {
	Text    []byte
	Options Options
	Base    string // of the next matches

	// InOrder means that the format adds matches in the order of their places. Then matches
	// are handed on while the text is read.
	InOrder bool

	depth   int // how many parts this one is nested in
	run     *run
	parent  func(extract.Match, error) // takes the matches of a part
	skipped []Interval                 // in order; no URLs are found there as text
	matches []extract.Match
	errs    []error // one for each match

	finished lineCounter // where finish stopped
	end      int64       // of the last reference of finish
	known    lineCounter // of Options.Known
}

// New returns an emitter of a text. It calls yield with the matches as they are flushed.
func New(text []byte, o Options, yield func(extract.Match, error) bool) *Emitter {
	return &Emitter{Text: text, Options: o, Base: o.Base, run: &run{yield: yield}}
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

// An Interval is a range of a text.
type Interval struct{ From, To int }

// AddReference adds a reference with a text, which stands from one place to
// another. An empty text adds nothing. name becomes Match.Place.
func (d *Emitter) AddReference(from, to int, text, name string) {
	if text == "" {
		return
	}
	d.Add(extract.Match{Offset: int64(from), Length: to - from, Text: text, Kind: extract.Reference, Place: name}, nil)
}

// Matches are handed on when there are flushAt of them. More are kept if they have one
// place, up to maxKept.
const (
	flushAt = 64
	maxKept = 4096
)

func (d *Emitter) Add(m extract.Match, err error) {
	if m.Base == "" {
		m.Base = d.Base
	}
	d.matches, d.errs = append(d.matches, m), append(d.errs, err)
	n := len(d.matches)
	switch {
	case !d.InOrder || n < flushAt:
	case d.matches[n-2].Offset < m.Offset:
		d.flushBefore(m.Offset)
	case n >= maxKept:
		d.flush()
	}
}

// flushBefore hands on the matches before a place, which are complete.
func (d *Emitter) flushBefore(at int64) {
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
func (d *Emitter) flush() {
	if d.parent == nil || !d.InOrder {
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

func (d *Emitter) Plain() { d.PlainIn(0, len(d.Text)) }

// PlainIn finds URLs in a range of the text.
func (d *Emitter) PlainIn(from, to int) {
	text := d.Text[from:to]
	if !d.mayHaveURLs(text) {
		return
	}
	if d.run.scanner == nil {
		d.run.scanner = extract.NewScanner(nil, d.Options.Find)
	}
	d.run.scanner.Reset(bytes.NewReader(text))
	for !d.run.isStopped {
		m, err := d.run.scanner.Next()
		if m == nil {
			return // the text is in memory, so its end is the only error
		}
		if d.IsSkipped(from + int(m.Offset)) {
			continue
		}
		found := m.Match()
		found.Offset += int64(from)
		if d.Base != "" {
			found.Base = d.Base // instead of Options.Find.Base
		}
		d.Add(found, err)
	}
}

// mayHaveURLs reports whether URLs may be found in a text without structure.
func (d *Emitter) mayHaveURLs(text []byte) bool {
	find := d.Options.Find
	if d.Options.References || len(text) == 0 {
		return false
	}
	return find.Bare || find.Mail || !find.Base.IsZero() || bytes.IndexByte(text, ':') >= 0
}

// IsSkipped reports whether no URL is found as text at a place.
func (d *Emitter) IsSkipped(at int) bool {
	n := sort.Search(len(d.skipped), func(n int) bool { return d.skipped[n].To > at })
	return n < len(d.skipped) && d.skipped[n].From <= at
}

// Skip adds a range to skipped.
func (d *Emitter) Skip(from, to int) {
	n := len(d.skipped)
	switch {
	case n > 0 && from < d.skipped[n-1].From:
		at := sort.Search(n, func(n int) bool { return d.skipped[n].From > from })
		d.skipped = slices.Insert(d.skipped, at, Interval{from, to})
	case n > 0 && from <= d.skipped[n-1].To:
		d.skipped[n-1].To = max(d.skipped[n-1].To, to)
	default:
		d.skipped = append(d.skipped, Interval{from, to})
	}
}

// maxDepth is how deep parts may be nested.
const maxDepth = 16

// IsStopped reports whether the caller wants no more matches.
func (d *Emitter) IsStopped() bool { return d.run.isStopped }

// AttributePlace returns the Match.Place for an attribute of an element.
func (d *Emitter) AttributePlace(element, attribute string) string {
	return d.run.place(element, attribute)
}

// Repeat returns how often a heading with a name has come before.
func (d *Emitter) Repeat(name string) int { return d.run.names.repeat(name) }

// AddLink adds a reference to a text that stands in the document as it is. It does not if
// Options.Known says that it is known.
func (d *Emitter) AddLink(from, to int, text []byte, where string) {
	if d.Options.Known != nil && d.parent == nil && len(text) > 0 {
		if len(d.matches) > 0 {
			d.flush() // the order stays
		}
		line, column := d.known.count(d.Text, from)
		if d.Options.Known(text, where, d.Base, line, column) {
			return
		}
	}
	d.AddReference(from, to, d.run.texts.of(text), where)
}

// SetBase makes a URL the base. It may be relative to the old base; if the result
// is not absolute, nothing changes.
func (d *Emitter) SetBase(href string) {
	u, err := extract.Match{Text: href, Kind: extract.Reference, Base: d.Base}.URL()
	if err == nil && u.IsAbs() {
		d.Base = u.String()
	}
}

// Unskipped yields the ranges of the text between the skipped ones, which are then skipped no
// more.
func (d *Emitter) Unskipped(yield func(from, to int) bool) {
	at, skipped := 0, append(d.skipped, Interval{len(d.Text), len(d.Text)})
	d.skipped = nil
	for _, s := range skipped {
		if !yield(at, s.From) {
			return
		}
		at = s.To
	}
}

// FlushSkipped hands the matches on, and forgets which ranges are skipped.
func (d *Emitter) FlushSkipped() {
	d.flush()
	d.skipped = d.skipped[:0]
}

// ReadText finds URLs in a part of the document that is plain text. name becomes the
// Match.Place of matches that have none.
func (d *Emitter) ReadText(p Part, name string) {
	if d.mayHaveURLs(p.Text) {
		d.Nested(p, name, (*Emitter).ReadPlain)
	}
}

// ReadPlain reads plain text.
func (d *Emitter) ReadPlain() {
	d.InOrder = true
	d.Plain()
}

// Nested calls read with a document that is a part of d.
func (d *Emitter) Nested(p Part, name string, read Format) {
	if len(p.Text) == 0 || d.depth == maxDepth || d.run.isStopped {
		return
	}
	sub := &Emitter{Text: p.Text, Options: d.Options, Base: d.Base, depth: d.depth + 1, run: d.run}
	sub.parent = func(found extract.Match, err error) {
		from, to := p.Place(int(found.Offset), int(found.Offset)+found.Length)
		found.Offset, found.Length = int64(from), to-from
		if found.Place == "" {
			found.Place = name
		}
		d.Add(found, err)
	}
	read(sub)
	sub.flush()
}

// finish sorts the matches by place, removes those inside references, and sets
// their lines and columns. Later calls continue after the last match.
func (d *Emitter) finish() {
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
		m.Line, m.Column = d.finished.count(d.Text, int(m.Offset))
		if n != i {
			d.matches[n], d.errs[n] = *m, d.errs[i]
		}
		n++
	}
	d.matches, d.errs = d.matches[:n], d.errs[:n]
}

// sort sorts the matches by place, and those in one place by what finish keeps.
func (d *Emitter) sort() {
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
