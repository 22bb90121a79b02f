package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"locus/compare"
	"locus/url"
)

// WriteComparison writes the parts of the URL that was compared, and where it leads. If
// parsers in use read a part differently, its row begins with "!" and names the parsers of
// each value. If they disagree about where the URL leads, it also writes the software that each
// parser stands for. The text is cleaned by [Clean]. If underline is set, values that differ from
// the value that browsers read are underlined, for a terminal.
func WriteComparison(w io.Writer, c compare.Comparison, underline bool) error {
	t := &table{underline: underline}
	fmt.Fprintln(t, Clean(c.Text))
	for n := url.Scheme; n <= url.Fragment; n++ {
		t.rows(c.Differ(n), n.String(), partRows(&c, n))
	}
	_, agreed := c.Agree()
	t.rows(!agreed, "leads to", originRows(&c))
	t.refusals(c)
	if !agreed {
		t.softwareRows(c)
	}
	_, err := t.WriteTo(w)
	return err
}

// WriteReasons writes where the URL of a comparison leads and why the parsers disagree about it, a
// line for each finding. If they disagree about where it leads, it also writes the destination of each
// parser, the parsers that refuse the URL, and the software that each parser stands for. The text
// is cleaned by [Clean]. If underline is set, destinations that differ from the destination in
// browsers are underlined.
func WriteReasons(w io.Writer, c compare.Comparison, underline bool) error {
	t := &table{underline: underline}
	origin, agreed := c.Agree()
	verdict := "parsers disagree about where it leads"
	if agreed {
		verdict = "all lead to " + origin.String()
	}
	fmt.Fprintf(t, "%s\n  %s\n", Clean(c.Text), Clean(verdict))
	for _, f := range c.Findings {
		why := f.Class.Why()
		if !f.Disagrees {
			why = "note: " + why
		}
		fmt.Fprintf(t, "  %s at byte %d: %s\n", f.Class, f.Offset, why)
	}
	if !agreed {
		t.rows(true, "leads to", originRows(&c))
		t.refusals(c)
		t.softwareRows(c)
	}
	_, err := t.WriteTo(w)
	return err
}

// WriteComparisonJSON writes the comparison as an object on one line. It has "url", "agree",
// "leads_to" (null, or an object with "scheme", "host" and "port"), "differ" (the names of
// the parts that are read differently), "findings" and "readings". The object for each
// reading has the parts as [PartsOf] returns them.
func WriteComparisonJSON(w io.Writer, c compare.Comparison) error {
	return NewEncoder(w).Encode(comparisonAnswer(c))
}

// A table is the text of a comparison.
type table struct {
	bytes.Buffer
	underline bool
}

// softwareRows writes a row for each parser that found an origin. The row names the software that
// reads URLs as this parser does.
func (t *table) softwareRows(c compare.Comparison) {
	name := "read by"
	for _, r := range c.Readings {
		if r.Origin != (compare.Origin{}) {
			fmt.Fprintf(t, "  %-9s %-14s %s\n", name, r.Parser, r.Parser.Software())
			name = ""
		}
	}
}

// refusals writes a line for each parser that refuses the URL.
func (t *table) refusals(c compare.Comparison) {
	for _, r := range c.Readings {
		if r.Err != nil {
			fmt.Fprintf(t, "  refused by %s: %s\n", r.Parser, Clean(r.Err.Error()))
		}
	}
}

// everyone takes the place of the names in a row if all parsers agree.
const everyone = "all"

// A row is a value with the names of its parsers. It is odd if browsers read another value.
type row struct {
	value, parsers string
	odd            bool
}

// rows writes a row for each value of the part name, with the parsers that read this value unless
// all agree. If marked is set, the first row begins with "!".
func (t *table) rows(marked bool, name string, rows []row) {
	mark := " "
	if marked {
		mark = "!"
	}
	for _, r := range rows {
		if r.parsers == everyone {
			r.parsers = ""
		}
		value := Clean(r.value)
		blanks := strings.Repeat(" ", max(0, 28-utf8.RuneCountInString(value)))
		if r.odd && t.underline {
			value = "\x1b[4m" + value + "\x1b[24m"
		}
		line := fmt.Sprintf("%s %-9s %s%s %s", mark, name, value, blanks, r.parsers)
		fmt.Fprintln(t, strings.TrimRight(line, " "))
		mark, name = " ", ""
	}
}

// partRows returns the values that the accepting parsers read for part n, each with its parsers. If
// all these values mean the same, the result is one row, or nil if the part is empty or absent.
func partRows(c *compare.Comparison, n url.PartName) []row {
	differ := c.Differ(n) // or an RFC differs from a browser
	_, agreed := c.Agree()
	var rows []row
	var accepting []string
	for _, r := range c.Readings {
		if r.Err != nil {
			continue
		}
		accepting = append(accepting, r.Parser.String())
		odd := c.Odd(r.Parser, n)
		differ = differ || odd
		value := "none"
		if part := r.Parts.Part(n); part.Present {
			value = part.Text
		}
		rows = addRow(rows, value, r.Parser.String(), odd)
	}
	switch {
	case differ:
		return rows
	case len(rows) == 0 || rows[0].value == "none" || rows[0].value == "":
		return nil
	case agreed:
		return []row{{rows[0].value, everyone, false}}
	}
	return []row{{rows[0].value, strings.Join(accepting, ", "), false}}
}

// originRows returns the origins to which the parsers lead, each with its parsers.
func originRows(c *compare.Comparison) []row {
	var rows []row
	for _, r := range c.Readings {
		parser := r.Parser.String()
		if r.Err != nil && r.Origin != (compare.Origin{}) {
			parser += " (refused)"
		}
		if r.Err == nil || r.Origin != (compare.Origin{}) {
			odd := r.Origin != c.Readings[compare.WHATWG].Origin
			rows = addRow(rows, r.Origin.String(), parser, odd)
		}
	}
	if _, agreed := c.Agree(); agreed && len(rows) == 1 {
		rows[0].parsers = everyone
	}
	return rows
}

// addRow returns rows with a parser added to the row of its value, or with a new row. odd says
// whether the value differs from the value that browsers read.
func addRow(rows []row, value, parser string, odd bool) []row {
	for i := range rows {
		if rows[i].value == value && rows[i].odd == odd {
			rows[i].parsers += ", " + parser
			return rows
		}
	}
	return append(rows, row{value, parser, odd})
}

// comparisonJSON is the JSON of a comparison.
type comparisonJSON struct {
	URL      any           `json:"url"`
	Agree    bool          `json:"agree"`
	LeadsTo  any           `json:"leads_to"`
	Differ   []string      `json:"differ"`
	Findings []findingJSON `json:"findings"`
	Readings []readingJSON `json:"readings"`
}

type findingJSON struct {
	Class     compare.Class `json:"class"`
	Offset    int           `json:"offset"`
	Disagrees bool          `json:"disagrees"`
	Why       string        `json:"why"`
}

type readingJSON struct {
	Parser   string `json:"parser"`
	Software string `json:"software"`
	Accepted bool   `json:"accepted"`
	LeadsTo  any    `json:"leads_to"`
	Sure     bool   `json:"sure"`
	Parts
	Error *string `json:"error"`
}

// comparisonAnswer returns the value that [WriteComparisonJSON] encodes.
func comparisonAnswer(c compare.Comparison) comparisonJSON {
	origin, agreed := c.Agree()
	a := comparisonJSON{
		URL: Value(c.Text), Agree: agreed, LeadsTo: originJSON(origin),
		Differ: []string{}, Findings: []findingJSON{}, Readings: []readingJSON{},
	}
	for n := url.Scheme; n <= url.Fragment; n++ {
		if c.Differ(n) {
			a.Differ = append(a.Differ, n.String())
		}
	}
	for _, f := range c.Findings {
		a.Findings = append(a.Findings, findingJSON{f.Class, f.Offset, f.Disagrees, f.Class.Why()})
	}
	for _, r := range c.Readings {
		a.Readings = append(a.Readings, readingAnswer(r))
	}
	return a
}

// readingAnswer returns the value to encode for the reading of one parser.
func readingAnswer(r compare.Reading) readingJSON {
	a := readingJSON{
		Parser: parserNames()[r.Parser], Software: r.Parser.Software(), Accepted: r.Err == nil,
		LeadsTo: originJSON(r.Origin), Sure: r.Sure, Parts: PartsOf(r.Parts),
	}
	if r.Err != nil {
		a.Error = new(r.Err.Error())
	}
	return a
}

// parserNames returns the names of the parsers in JSON.
func parserNames() map[compare.Parser]string {
	return map[compare.Parser]string{
		compare.RFC1738: "rfc1738", compare.RFC1630: "rfc1630", compare.RFC3986: "rfc3986", compare.WHATWG: "whatwg",
		compare.Go: "net/url", compare.Curl: "curl", compare.Python: "urllib", compare.Java: "java", compare.PHP: "php",
		compare.Ruby: "ruby", compare.Perl: "perl", compare.Node: "node", compare.PHPURI: "php-uri",
	}
}

// originJSON returns the value to encode for an origin, or nil, which becomes null, for the zero
// Origin.
func originJSON(origin compare.Origin) any {
	if origin == (compare.Origin{}) {
		return nil
	}
	return struct {
		Scheme string `json:"scheme"`
		Host   any    `json:"host"`
		Port   uint16 `json:"port"`
	}{origin.Scheme, Value(origin.Host), origin.Port}
}
