// Package compare is the verb compare: show where nine parsers read URLs differently.
package compare

import (
	"context"
	"fmt"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/compare"
	"locus/render"
	"locus/url"
)

// Options are the flags and arguments of compare.
type Options struct {
	URLs []string `args:"0-"` // none: the lines of stdin
	Lint bool     `flag:"lint"`
	JSON bool     `flag:"json"`
}

// Verb describes compare.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "compare",
		Summary:  "show where nine parsers read URLs differently",
		Synopsis: "locus compare [--lint] [--json] [URL…]",
		Description: "Show the parts of each URL. A part that parsers in use read differently is marked\n" +
			"with \"!\", and so is the place that a reading leads to: scheme, host and port. The\n" +
			"exit status is 1 if the parsers disagree where a URL leads. Without URL, read URLs\n" +
			"from stdin, one a line.\n\n" +
			"With --lint, write the reasons for the differences instead (backslash, userinfo,\n" +
			"ipv4-shorthand, idna, …), and exit with 1 for every difference. doc/compare.md\n" +
			"explains the reasons. A note is no failure: only an old RFC, or a parser that is not\n" +
			"listed here, reads the URL differently.\n\n" +
			"A reading can lead to a place although its parser rejects the URL, because other\n" +
			"programs are less strict. The parsers, and the software that reads as they do:\n\n",
		Details: software,
		Examples: []string{
			`locus compare 'https://example.org/a?b#c'`,
			`locus compare --lint 'http://good.example\@evil.example/' || echo do not open it`,
		},
	})
}

// software lists the parsers, each with the software that reads as it does.
func software() string {
	var b strings.Builder
	for p := compare.RFC1738; p.Software() != ""; p++ {
		fmt.Fprintf(&b, "  %-13s  %s\n", p, p.Software())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Run compares the readings of each URL.
func Run(_ context.Context, e *cli.Env, o Options) error {
	t := table{e}
	write := t.comparison
	switch {
	case o.JSON:
		enc := render.NewEncoder(e.Out)
		write = func(c compare.Comparison) error { return enc.Encode(comparisonAnswer(c)) }
	case o.Lint:
		write = t.lint
	}
	total, differing := 0, 0
	err := text.Lines(e, o.URLs, func(text string) error {
		c := compare.Read(text)
		total++
		if _, agreed := c.Agree(); !agreed || o.Lint && len(c.Classes()) > 0 {
			differing++
		}
		return write(c)
	})
	if err == nil && differing > 0 {
		err = fmt.Errorf("parsers differ over %d of %d", differing, total)
	}
	return err
}

// A table writes comparisons as text.
type table struct{ *cli.Env }

// comparison writes the parts and the places of a URL side by side.
func (t table) comparison(c compare.Comparison) error {
	fmt.Fprintln(t.Out, render.Clean(c.Text))
	for n := url.Scheme; n <= url.Fragment; n++ {
		t.rows(c.Differ(n), n.String(), partRows(&c, n))
	}
	_, agreed := c.Agree()
	t.rows(!agreed, "leads to", placeRows(&c))
	t.refusals(c)
	if !agreed {
		t.readBy(c)
	}
	return nil
}

// readBy writes which software each reading that leads somewhere stands for.
func (t table) readBy(c compare.Comparison) {
	name := "read by"
	for _, r := range c.Readings {
		if r.Place != (compare.Place{}) {
			fmt.Fprintf(t.Out, "  %-9s %-14s %s\n", name, r.Parser, r.Parser.Software())
			name = ""
		}
	}
}

func (t table) refusals(c compare.Comparison) {
	for _, r := range c.Readings {
		if r.Err != nil {
			fmt.Fprintf(t.Out, "  refused by %s: %s\n", r.Parser, render.Clean(r.Err.Error()))
		}
	}
}

// everyone is what a row says that all parsers agree on.
const everyone = "all"

// A row is a value and who gives it.
type row struct{ value, parsers string }

// rows writes the values of a part, each with its parsers unless all agree.
func (t table) rows(marked bool, name string, rows []row) {
	mark := " "
	if marked {
		mark = "!"
	}
	for _, r := range rows {
		if r.parsers == everyone {
			r.parsers = ""
		}
		line := fmt.Sprintf("%s %-9s %-28s %s", mark, name, render.Clean(r.value), r.parsers)
		fmt.Fprintln(t.Out, strings.TrimRight(line, " "))
		mark, name = " ", ""
	}
}

// partRows returns the values that the accepting parsers give for a part, or one
// value if they are the same once folded.
func partRows(c *compare.Comparison, n url.PartName) []row {
	differ := c.Differ(n)
	_, agreed := c.Agree()
	var rows []row
	var accepting []string
	for _, r := range c.Readings {
		// What only the old RFCs read differently is seen in where they lead.
		if r.Err != nil || !differ && r.Parser < compare.RFC3986 {
			continue
		}
		accepting = append(accepting, r.Parser.String())
		value := "none"
		if part := r.Parts.Part(n); part.Present {
			value = part.Text
		}
		rows = addRow(rows, value, r.Parser.String())
	}
	switch {
	case differ:
		return rows
	case len(rows) == 0 || rows[0].value == "none" || rows[0].value == "":
		return nil
	case agreed:
		return []row{{rows[0].value, everyone}}
	}
	return []row{{rows[0].value, strings.Join(accepting, ", ")}}
}

func placeRows(c *compare.Comparison) []row {
	var rows []row
	for _, r := range c.Readings {
		parser := r.Parser.String()
		if r.Err != nil && r.Place != (compare.Place{}) {
			parser += " (refused)"
		}
		if r.Err == nil || r.Place != (compare.Place{}) {
			rows = addRow(rows, r.Place.String(), parser)
		}
	}
	if _, agreed := c.Agree(); agreed && len(rows) == 1 {
		rows[0].parsers = everyone
	}
	return rows
}

// addRow adds a parser to the row of its value.
func addRow(rows []row, value, parser string) []row {
	for i := range rows {
		if rows[i].value == value {
			rows[i].parsers += ", " + parser
			return rows
		}
	}
	return append(rows, row{value, parser})
}

// lint writes why the parsers differ over a URL, and where each reading leads.
func (t table) lint(c compare.Comparison) error {
	place, agreed := c.Agree()
	verdict := "they do not agree where it leads"
	if agreed {
		verdict = "all lead to " + place.String()
	}
	fmt.Fprintf(t.Out, "%s\n  %s\n", render.Clean(c.Text), render.Clean(verdict))
	for _, f := range c.Findings {
		why := f.Class.Why()
		if !f.Parted {
			why = "note: " + why
		}
		fmt.Fprintf(t.Out, "  %s at offset %d: %s\n", f.Class, f.Offset, why)
	}
	if !agreed {
		t.rows(true, "leads to", placeRows(&c))
		t.refusals(c)
		t.readBy(c)
	}
	return nil
}

// comparisonJSON is a comparison in JSON.
type comparisonJSON struct {
	URL      any           `json:"url"`
	Agree    bool          `json:"agree"`
	LeadsTo  any           `json:"leads_to"`
	Differ   []string      `json:"differ"`
	Findings []findingJSON `json:"findings"`
	Readings []readingJSON `json:"readings"`
}

type findingJSON struct {
	Class  compare.Class `json:"class"`
	Offset int           `json:"offset"`
	Parted bool          `json:"parted"`
	Why    string        `json:"why"`
}

type readingJSON struct {
	Parser   string `json:"parser"`
	Software string `json:"software"`
	Accepted bool   `json:"accepted"`
	LeadsTo  any    `json:"leads_to"`
	Sure     bool   `json:"sure"`
	text.Parts
	Error *string `json:"error"`
}

func comparisonAnswer(c compare.Comparison) comparisonJSON {
	place, agreed := c.Agree()
	a := comparisonJSON{
		URL: render.Value(c.Text), Agree: agreed, LeadsTo: placeJSON(place),
		Differ: []string{}, Findings: []findingJSON{}, Readings: []readingJSON{},
	}
	for n := url.Scheme; n <= url.Fragment; n++ {
		if c.Differ(n) {
			a.Differ = append(a.Differ, n.String())
		}
	}
	for _, f := range c.Findings {
		a.Findings = append(a.Findings, findingJSON{f.Class, f.Offset, f.Parted, f.Class.Why()})
	}
	for _, r := range c.Readings {
		a.Readings = append(a.Readings, readingAnswer(r))
	}
	return a
}

func readingAnswer(r compare.Reading) readingJSON {
	a := readingJSON{
		Parser: parserNames[r.Parser], Software: r.Parser.Software(), Accepted: r.Err == nil,
		LeadsTo: placeJSON(r.Place), Sure: r.Sure, Parts: text.PartsOf(r.Parts),
	}
	if r.Err != nil {
		a.Error = new(r.Err.Error())
	}
	return a
}

// parserNames are the names of the parsers in JSON.
var parserNames = map[compare.Parser]string{
	compare.RFC1738: "rfc1738", compare.RFC1630: "rfc1630", compare.RFC3986: "rfc3986", compare.WHATWG: "whatwg", compare.Go: "net/url",
	compare.Curl: "curl", compare.Python: "urllib", compare.Java: "java", compare.PHP: "php",
}

func placeJSON(place compare.Place) any {
	if place == (compare.Place{}) {
		return nil
	}
	return struct {
		Scheme string `json:"scheme"`
		Host   any    `json:"host"`
		Port   uint16 `json:"port"`
	}{place.Scheme, render.Value(place.Host), place.Port}
}
