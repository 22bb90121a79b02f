package gateway

import (
	"bytes"
	"net/http"
	"unicode/utf8"

	"locus/compare"
	"locus/internal/render"
	"locus/url"
)

// maxCompared is how many bytes a text that is compared may have.
const maxCompared = 8 << 10

var errLongText = &refusal{http.StatusRequestURITooLong, "the text is longer than this page compares", "it compares at most 8192 bytes"}

// A comparisonPage shows how several programs read a URL.
type comparisonPage struct {
	page
	Text     string
	Marked   []markedText // Text, without control characters
	Verdict  string
	Agreed   bool
	Columns  []comparedPart
	Readings []readingRow
	Findings []compare.Finding
}

// A markedText is a piece of a text. It is marked if programs differ over it.
type markedText struct {
	Text   string
	Marked bool
}

// A comparedPart is a column of the table: a part that some reading has.
type comparedPart struct {
	Name   string
	Differ bool // parsers in use read it differently
}

// A readingRow is a row of the table: what one parser reads.
type readingRow struct {
	Name, Software string
	LeadsTo        comparedValue
	Parts          []comparedValue // one for each column
	Refusal        string          // why the parser refuses the text; "" if it does not
}

// A comparedValue is a cell of the table.
type comparedValue struct {
	Name    string // of the column
	Value   string
	Present bool
	Odd     bool // browsers read something else
}

// compare answers with how several programs read the text in the query: as a page, or as
// the JSON of "locus compare --json". Nothing is opened.
func (x *exchange) compare() error {
	text := x.query("url")
	if len(text) > maxCompared {
		return errLongText
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	c := compare.Read(text)
	if text != "" && formatOf(x.r.Header) == asJSON {
		return x.compareJSON(c)
	}
	p := comparisonPage{page: x.page("How programs read a URL"), Text: text}
	p.Shown = ""
	if text != "" {
		p.fill(&c)
	}
	x.write(http.StatusOK, p.html())
	return nil
}

func (x *exchange) compareJSON(c compare.Comparison) error {
	var text bytes.Buffer
	if err := render.WriteComparisonJSON(&text, c); err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Content-Type", asJSON.contentType())
	h.Add("Vary", "Accept")
	x.toClient().Write(text.Bytes()) //nolint:errcheck // the client has gone
	return nil
}

// fill sets what p shows of a comparison.
func (p *comparisonPage) fill(c *compare.Comparison) {
	place, agreed := c.Agree()
	p.Agreed = agreed
	p.Verdict = "These programs do not agree where the URL leads. Do not open it if one program checked it and another will open it."
	if agreed {
		p.Verdict = "All these programs agree where the URL leads: " + place.String() + "."
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

// hasPart reports whether any parser reads a part n that is not empty.
func hasPart(c *compare.Comparison, n url.PartName) bool {
	for _, r := range c.Readings {
		if r.Err == nil && r.Parts.Part(n).Text != "" {
			return true
		}
	}
	return false
}

// readingOf returns the row of a parser, with the parts in shown.
func readingOf(c *compare.Comparison, parser compare.Parser, shown []url.PartName) readingRow {
	r, browser := c.Readings[parser], c.Readings[compare.WHATWG]
	row := readingRow{Name: parser.String(), Software: parser.Software()}
	row.LeadsTo = comparedValue{Name: "Leads to", Value: r.Place.String(), Present: true, Odd: r.Place != browser.Place}
	if r.Err != nil {
		row.Refusal = r.Err.Error()
		row.LeadsTo.Odd = false
		return row
	}
	for _, n := range shown {
		part := r.Parts.Part(n)
		odd := c.Differ(n) && browser.Err == nil && part.Text != browser.Parts.Part(n).Text
		row.Parts = append(row.Parts, comparedValue{title(n.String()), part.Text, part.Present, odd})
	}
	return row
}

// markFindings divides a text at its findings: the character at each is marked.
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

// tools answers with the index of the gateway's own pages.
func (x *exchange) tools() {
	x.w.Header().Set("Cache-Control", "no-cache")
	p := toolsPage{x.page("Tools"), "http://" + x.r.Host + ownPath + davPath + "ftp://ftp.example.org/"}
	x.write(http.StatusOK, p.html())
}

// A toolsPage is the index of the gateway's own pages.
type toolsPage struct {
	page
	Mount string // an address for a file manager
}
