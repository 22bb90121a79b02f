package page

import (
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/compare"
	"locus/internal/render"
	"locus/url"
)

// A comparisonPage shows how several programs read a URL.
type comparisonPage struct {
	frame
	Text     string
	Marked   []markedText // Text, without control characters
	Verdict  string
	Agreed   bool
	Columns  []comparedPart
	Readings []readingRow
	Findings []compare.Finding
}

// A markedText is a piece of a text. A piece is marked if programs read it differently.
type markedText struct {
	Text   string
	Marked bool
}

// A comparedPart is a column of the table: a part of a URL that some parser finds.
type comparedPart struct {
	Name   string
	Differ bool // parsers in use read it differently
}

// A readingRow is a row of the table: the parts that one parser finds.
type readingRow struct {
	Name, Software string
	LeadsTo        comparedValue
	Parts          []comparedValue // one for each column
	Refusal        string          // why the parser refuses the text; may be empty
}

// A comparedValue is a cell of the table.
type comparedValue struct {
	Name    string // the name of the column
	Value   string
	Present bool
	Odd     bool // browsers read another value
}

// Compare returns the page that shows how several programs read a text. If c.Text is "", the page
// asks for a text.
func Compare(l Links, c *compare.Comparison) templ.Component {
	p := comparisonPage{frame: l.frame("How programs read a URL"), Text: c.Text}
	p.Shown = ""
	if c.Text != "" {
		p.fill(c)
	}
	return p.html()
}

// fill sets the fields of p that depend on the comparison c.
func (p *comparisonPage) fill(c *compare.Comparison) {
	origin, agreed := c.Agree()
	p.Agreed = agreed
	p.Verdict = "These programs do not agree about where the URL leads. Do not open it if one program checked it and another will open it."
	if agreed {
		p.Verdict = "All these programs agree about where the URL leads: " + origin.String() + "."
	}
	p.Marked, p.Findings = markFindings(c.Text, c.Findings), c.Findings
	var shown []url.PartName
	for n := url.Scheme; n <= url.Fragment; n++ {
		if hasPart(c, n) {
			shown = append(shown, n)
			p.Columns = append(p.Columns, comparedPart{title(n.String()), c.Differ(n)})
		}
	}
	for i := range c.Readings {
		p.Readings = append(p.Readings, readingOf(c, compare.Parser(i), shown))
	}
}

// hasPart reports whether any parser finds a part n that is not empty. It ignores parsers that
// refuse the text.
func hasPart(c *compare.Comparison, n url.PartName) bool {
	for _, r := range c.Readings {
		if r.Err == nil && r.Parts.Part(n).Text != "" {
			return true
		}
	}
	return false
}

// readingOf returns the row of a parser, with a cell for each part in shown. If the parser refuses
// the text, the row has the reason instead of the cells.
func readingOf(c *compare.Comparison, parser compare.Parser, shown []url.PartName) readingRow {
	r, browser := c.Readings[parser], c.Readings[compare.WHATWG]
	row := readingRow{Name: parser.String(), Software: parser.Software()}
	row.LeadsTo = comparedValue{Name: "Leads to", Value: r.Origin.String(), Present: true, Odd: r.Origin != browser.Origin}
	if r.Err != nil {
		row.Refusal = r.Err.Error()
		row.LeadsTo.Odd = row.LeadsTo.Odd && r.Origin != (compare.Origin{})
		return row
	}
	for _, n := range shown {
		part := r.Parts.Part(n)
		row.Parts = append(row.Parts, comparedValue{title(n.String()), part.Text, part.Present, c.Odd(parser, n)})
	}
	return row
}

// markFindings divides a text into pieces, cleaned for the page. The character at each finding is a
// marked piece. It ignores a finding outside of text, and a finding before the end of the last
// marked piece.
func markFindings(text string, found []compare.Finding) []markedText {
	var pieces []markedText
	from := 0
	add := func(to int, marked bool) {
		if to > from {
			pieces = append(pieces, markedText{render.Clean(text[from:to]), marked})
			from = to
		}
	}
	for _, f := range found {
		if f.Offset < from || f.Offset >= len(text) {
			continue
		}
		add(f.Offset, false)
		_, size := utf8.DecodeRuneInString(text[f.Offset:])
		add(f.Offset+size, true)
	}
	add(len(text), false)
	return pieces
}
