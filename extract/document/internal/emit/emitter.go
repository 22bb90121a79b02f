// Package emit collects the matches in a text for the formats of locus/extract/document.
//
// A format is a function that reads Emitter.Text, and adds the references in it with their offsets. It gives text
// without structure to [Emitter.Plain] or [Emitter.ReadText], which look for URLs. Text that is written with escapes
// is a [Part], which knows the offset of each byte in the document. [Emitter.Nested] reads a part in another format:
// styles in HTML, HTML in Markdown, an attachment in a message.
//
// The Emitter sorts the matches by their offsets, counts their lines, and yields them as soon as no further match can
// come before them. The matches of a part go to the Emitter that the part is nested in, which converts their offsets.
package emit

import (
	"bytes"
	"cmp"
	"sort"

	"locus/extract"
	"locus/extract/document/dialect"
	"locus/extract/document/internal/slug"
	"locus/internal/ascii"
	"locus/internal/charset"
)

// A Format is a function that reads the text of an Emitter and adds the matches in it.
type Format func(d *Emitter)

// Options say how a text is read. The fields are explained in document.Options.
type Options struct {
	Find       extract.Options
	Base       string // of the matches, unless the text sets another base
	Charset    string // that the server gave; "" if unknown
	References bool
	SkipCode   bool
	SkipLabels bool
	Roles      bool
	Dialect    dialect.Dialect
	Limit      int64

	Inserts string // see dialect.Dialect; with the marks of the format

	Anchor     func(name string)
	Incomplete func()
	Script     func()
	Element    func(name string)
	Content    func(text string) (more bool)
	Refresh    func(seconds int, to, base string)
	Known      func(text []byte, place, base string, line, column int) bool
}

// An Emitter collects the matches of a document, or of a part of one, while a Format reads it. One goroutine at a
// time may use it.
type Emitter struct {
	Text    []byte
	Options Options
	Base    string // the base of the matches that are added next
	charset string // the Charset of the matches that are added next

	// InOrder means that the format adds matches in the order of their offsets. Then matches are yielded while the
	// text is read.
	InOrder bool

	// Attachments are the names of the files that are attached to the text, such as the images of a cell of a notebook.
	// It is nil if the text cannot have attachments.
	Attachments map[string]bool

	depth   int                        // how many parts this part is nested in
	run     *run                       // what the parts of a document share
	parent  func(extract.Match, error) // takes the matches of a part; nil for a document
	skipped intervals                  // URLs in these ranges are not found as text
	muted   intervals                  // matches that start in these ranges are dropped
	matches []extract.Match
	errs    []error // errs[i] is the error of matches[i], or nil

	finished lineCounter // counts the lines for finish
	end      int64       // where the last reference that finish has seen ends
	known    lineCounter // counts the lines for Options.Known
}

// New returns an Emitter for text, the whole text of a document. The Emitter calls yield with the matches while it is
// used. Once yield returns false, it is not called again.
func New(text []byte, o Options, yield func(extract.Match, error) bool) *Emitter {
	d := &Emitter{Text: text, Options: o, Base: o.Base, run: &run{yield: yield}}
	if !bytes.HasPrefix(text, []byte("\ufeff")) {
		d.setCharset(o.Charset)
	}
	return d
}

// Declare makes label, the encoding that the text names, the Charset of the matches that are added next. It has no
// effect in a part of a document, if the server or a byte order mark has named the encoding already, or if label is not
// a legacy encoding.
func (d *Emitter) Declare(label string) {
	if d.parent == nil && d.Options.Charset == "" && !bytes.HasPrefix(d.Text, []byte("\ufeff")) {
		d.setCharset(label)
	}
}

// setCharset makes label the Charset of the matches that are added next, if label names a legacy encoding. It ignores
// other labels, such as utf-8.
func (d *Emitter) setCharset(label string) {
	if label != "" && charset.Legacy(label) != nil {
		d.charset = label
	}
}

// A lineCounter counts the lines of a text.
type lineCounter struct {
	lines int // the number of line breaks before at
	from  int // the offset of the start of the line that contains at
	at    int // the offset up to which lines were counted
}

// count returns the line and the column of offset at, both from 1 and the column in bytes. It is quick if the offset is
// shortly after the offset of the last call.
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

// A run is the state that a document and its parts share while the document is read.
type run struct {
	yield     func(extract.Match, error) bool
	isStopped bool                                       // yield returned false
	places    map[[2]string]string                       // Match.Place by the names of an element and an attribute
	last      struct{ element, attribute, place string } // the last place that was returned
	scanners  [2]*extract.Scanner                        // for text, and for Markdown; nil until they are needed
	names     headingNames
	ids       slug.Ids
	texts     *recentTexts // texts of recent links; may be nil

	bases       int  // the length of the bases of all relative references so far
	hasLongBase bool // ErrLongBase was yielded
}

// place returns the Match.Place for an attribute of an element, such as "a href". It reuses the string of an earlier
// call if it can, because most attributes occur many times.
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

// scanner returns a Scanner with the given options, which must be Reset. It reuses its Scanners, because the options
// differ in the parts of a document only by Markdown.
func (r *run) scanner(o extract.Options) *extract.Scanner {
	s := &r.scanners[0]
	if o.Markdown {
		s = &r.scanners[1]
	}
	if *s == nil {
		*s = extract.NewScanner(nil, o)
	}
	return *s
}

// maxPlaces is how many strings place keeps.
const maxPlaces = 256

// AddReference adds a reference with a text, which is at [from, to) of d.Text. It does nothing if text is empty. name
// becomes Match.Place.
func (d *Emitter) AddReference(from, to int, text, name string) {
	if text == "" {
		return
	}
	d.Add(extract.Match{Offset: int64(from), Length: to - from, Text: text, Kind: extract.Reference, Place: name}, nil)
}

// Matches are yielded when there are flushAt of them. If all of them have the same offset, up to maxKept are kept,
// because finish must sort them together.
const (
	flushAt = 64
	maxKept = 4096
)

// Add adds a match, whose Offset is in d.Text, and the error that is yielded with it, or nil. A match without a Base
// gets d.Base, and a match without a Charset gets the charset of the text. Relative references beyond the bounds of
// bases are not added (see ErrLongBase). If d.InOrder is set, Add may yield earlier matches.
func (d *Emitter) Add(m extract.Match, err error) {
	if m.Base == "" {
		m.Base = d.Base
	}
	if m.Charset == "" {
		m.Charset = d.charset
	}
	if err == nil && d.parent == nil {
		var ok bool
		if ok, err = d.run.resolvable(&m, len(d.Text)); !ok {
			return
		}
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

// flushBefore flushes the matches before an offset, because no further match can come before it, and keeps the others.
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

// flush gives all matches to the parent of a part, or to yield in a document, and forgets them. In a document, or if d
// is not InOrder, it calls finish first.
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

// Plain calls PlainIn for the whole text.
func (d *Emitter) Plain() { d.PlainIn(0, len(d.Text)) }

// PlainIn finds the URLs in a range of the text by Options.Find and adds them, except where the text is skipped. It
// does nothing if Options.References is set.
func (d *Emitter) PlainIn(from, to int) {
	text := d.Text[from:to]
	if !d.mayHaveURLs(text) {
		return
	}
	s := d.run.scanner(d.Options.Find)
	s.Reset(bytes.NewReader(text))
	for !d.run.isStopped {
		m, err := s.Next()
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

// mayHaveURLs returns false if PlainIn cannot find URLs in text, so that it need not be searched.
func (d *Emitter) mayHaveURLs(text []byte) bool {
	find := d.Options.Find
	if d.Options.References || len(text) == 0 {
		return false
	}
	return find.Bare || find.Mail || !find.Base.IsZero() || bytes.IndexByte(text, ':') >= 0
}

// IsSkipped reports whether the offset at is in a range that [Emitter.Skip] has skipped.
func (d *Emitter) IsSkipped(at int) bool { return d.skipped.has(at) }

// Skip makes PlainIn ignore the URLs that start in [from, to) of the text. References in the range are still added.
func (d *Emitter) Skip(from, to int) { d.skipped.add(from, to) }

// Mute drops all matches that start in [from, to) of the text, also the matches that were added before and are not
// yielded yet.
func (d *Emitter) Mute(from, to int) { d.muted.add(from, to) }

// IsMuted reports whether the offset at is in a range that [Emitter.Mute] has muted.
func (d *Emitter) IsMuted(at int) bool { return d.muted.has(at) }

// Unmute ends the muted ranges at an offset, so that matches at and after it are no longer dropped.
func (d *Emitter) Unmute(at int) { d.muted.cut(at) }

// maxDepth is how deep parts may be nested.
const maxDepth = 16

// IsStopped reports whether the caller wants no further matches.
func (d *Emitter) IsStopped() bool { return d.run.isStopped }

// AttributePlace returns the Match.Place for an attribute of an element, such as "a href".
func (d *Emitter) AttributePlace(element, attribute string) string {
	return d.run.place(element, attribute)
}

// Repeat returns how many headings with the given name came before, and counts this one.
func (d *Emitter) Repeat(name string) int { return d.run.names.repeat(name) }

// AddLink adds a reference with the given text, which is at [from, to) of d.Text. where becomes Match.Place. It does
// not add the reference if Options.Known returns true for it. Known is asked only in a document, not in its parts, and
// not about letters of a legacy charset. Before Known is asked, the matches so far are yielded.
func (d *Emitter) AddLink(from, to int, text []byte, where string) {
	if d.Options.Known != nil && d.parent == nil && len(text) > 0 && (d.charset == "" || ascii.IsASCII(string(text))) {
		if len(d.matches) > 0 {
			d.flush() // keep the order of the matches
		}
		line, column := d.known.count(d.Text, from)
		if d.Options.Known(text, where, d.Base, line, column) {
			return
		}
	}
	d.AddReference(from, to, d.run.texts.intern(text), where)
}

// SetBase makes href the base of the matches that follow. href may be relative to the old base. If the result is not
// absolute, the base does not change.
func (d *Emitter) SetBase(href string) {
	u, err := extract.Match{Text: href, Kind: extract.Reference, Base: d.Base}.URL()
	if err == nil && u.IsAbs() {
		d.Base = u.String()
	}
}

// Unskipped forgets the skipped ranges, and yields the ranges of the text that were not skipped.
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

// FlushSkipped flushes the matches so far, as Nested and Read do at the end, and forgets the skipped ranges.
func (d *Emitter) FlushSkipped() {
	d.flush()
	d.skipped = d.skipped[:0]
}

// ReadText finds URLs in a part of the document that is plain text. name becomes the Match.Place of matches that have
// no Place.
func (d *Emitter) ReadText(p Part, name string) {
	if d.mayHaveURLs(p.Text) {
		d.Nested(p, name, (*Emitter).ReadPlain)
	}
}

// ReadPlain reads plain text. It is a Format.
func (d *Emitter) ReadPlain() {
	d.InOrder = true
	d.Plain()
}

// Nested calls read with an Emitter for a part of d, and adds the matches of the part to d. name becomes the
// Match.Place of matches that have no Place. Nested does nothing if the part is empty or nested too deep, or if d is
// stopped.
func (d *Emitter) Nested(p Part, name string, read Format) {
	if len(p.Text) == 0 || d.depth == maxDepth || d.run.isStopped {
		return
	}
	sub := &Emitter{Text: p.Text, Options: d.Options, Base: d.Base, charset: d.charset, depth: d.depth + 1, run: d.run}
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

// finish prepares the matches for yield: it sorts them by offset, removes muted matches and plain matches inside
// references, and sets Line and Column. A later call must have only matches after the last one.
func (d *Emitter) finish() {
	d.sort()
	n := 0
	for i := range d.matches {
		m := &d.matches[i]
		if m.Kind != extract.Reference && m.Offset < d.end || d.muted.has(int(m.Offset)) {
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

// sort sorts the matches by offset. At one offset, references come before plain matches, and longer matches before
// shorter ones.
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
