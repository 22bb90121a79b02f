package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/compare"
	"locus/render"
	"locus/url"
)

func (p *process) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare how five parsers read URLs",
		UsageText: "locus compare [--lint] [--json] [URL…]",
		Description: "The parsers are RFC 1738, RFC 1630, RFC 3986, the browsers' URL Standard (WHATWG) and\n" +
			"Go's net/url. A part that they read differently is marked with \"!\". The exit status\n" +
			"is 1 if the parsers disagree on the scheme, host and port that a URL leads to.\n" +
			"Without URL, read URLs from stdin, one a line.\n\n" +
			"With --lint, name the kind of each difference (backslash, userinfo, ipv4-shorthand,\n" +
			"idna, …), and exit with 1 for every difference. doc/compare.md explains the kinds. A\n" +
			"difference among parsers of no standard part is noted, and is no failure.\n\n" +
			"A parser that rejects a URL may still divide it into parts. Where those lead is shown\n" +
			"too, since other programs are less strict.",
		Flags: flags("lint json"),
		Metadata: example(`locus compare 'https://example.org/a?b#c'`,
			`locus compare --lint 'http://good.example\@evil.example/' || echo do not open it`),
		Action: p.compare,
	}
}

func (p *process) compare(_ context.Context, c *cli.Command) error {
	write, lint := p.comparison, c.Bool("lint")
	if lint {
		write = p.lint
	}
	if c.Bool("json") {
		enc := render.NewEncoder(p.out)
		write = func(c compare.Comparison) error { return enc.Encode(comparisonAnswer(c)) }
	}
	total, parted := 0, 0
	err := p.texts(c.Args().Slice(), func(text string) error {
		c := compare.Read(text)
		total++
		if _, agreed := c.Agree(); !agreed || lint && len(c.Classes()) > 0 {
			parted++
		}
		return write(c)
	})
	if err == nil && parted > 0 {
		err = fmt.Errorf("parsers part over %d of %d", parted, total)
	}
	return err
}

// comparison writes the parts and the places of a URL side by side.
func (p *process) comparison(c compare.Comparison) error {
	fmt.Fprintln(p.out, render.Clean(c.Text))
	for n := url.Scheme; n <= url.Fragment; n++ {
		p.rows(c.Differ(n), n.String(), partRows(&c, n))
	}
	_, agreed := c.Agree()
	p.rows(!agreed, "leads to", placeRows(&c))
	p.refusals(c)
	return nil
}

func (p *process) refusals(c compare.Comparison) {
	for _, r := range c.Readings {
		if r.Err != nil {
			fmt.Fprintf(p.out, "  refused by %s: %s\n", r.Parser, render.Clean(r.Err.Error()))
		}
	}
}

// everyone is what a row says that all parsers agree on.
const everyone = "all"

// A row is a value and who gives it.
type row struct{ value, parsers string }

// rows writes the values of a part; those that are not marked without their
// parsers if there is but one.
func (p *process) rows(marked bool, name string, rows []row) {
	mark := " "
	if marked {
		mark = "!"
	}
	for _, r := range rows {
		if r.parsers == everyone {
			r.parsers = ""
		}
		line := fmt.Sprintf("%s %-9s %-28s %s", mark, name, render.Clean(r.value), r.parsers)
		fmt.Fprintln(p.out, strings.TrimRight(line, " "))
		mark, name = " ", ""
	}
}

// partRows returns the values that the parsers that accept a text give for a
// part: only one if they are the same once folded.
func partRows(c *compare.Comparison, n url.PartName) []row {
	var rows []row
	var accepting []string
	for _, r := range c.Readings {
		part := r.Parts.Part(n)
		if r.Err != nil {
			continue
		}
		accepting = append(accepting, r.Parser.String())
		value := "none"
		if part.Present {
			value = part.Text
		}
		rows = addRow(rows, value, r.Parser.String())
	}
	_, agreed := c.Agree()
	switch {
	case c.Differ(n):
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
	if _, agreed := c.Agree(); agreed {
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

// lint writes why the parsers part over a URL, and which reading leads where.
func (p *process) lint(c compare.Comparison) error {
	place, agreed := c.Agree()
	verdict := "they do not agree where it leads"
	if agreed {
		verdict = "all lead to " + place.String()
	}
	fmt.Fprintf(p.out, "%s\n  %s\n", render.Clean(c.Text), render.Clean(verdict))
	for _, f := range c.Findings {
		why := f.Class.Why()
		if !f.Parted {
			why = "these parsers agree, others do not: " + why
		}
		fmt.Fprintf(p.out, "  %s at offset %d: %s\n", f.Class, f.Offset, why)
	}
	if !agreed {
		p.rows(true, "leads to", placeRows(&c))
		p.refusals(c)
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
	Parser   string  `json:"parser"`
	Accepted bool    `json:"accepted"`
	LeadsTo  any     `json:"leads_to"`
	Sure     bool    `json:"sure"`
	Scheme   any     `json:"scheme"`
	User     any     `json:"user"`
	Password any     `json:"password"`
	Host     any     `json:"host"`
	Port     any     `json:"port"`
	Path     any     `json:"path"`
	Query    any     `json:"query"`
	Fragment any     `json:"fragment"`
	Error    *string `json:"error"`
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
	p := r.Parts
	a := readingJSON{
		Parser: parserNames[r.Parser], Accepted: r.Err == nil, LeadsTo: placeJSON(r.Place), Sure: r.Sure,
		Scheme: render.Part(p.Scheme), User: render.Part(p.User), Password: render.Part(p.Password),
		Host: render.Part(p.Host), Port: portOf(p.Port), Path: render.Value(p.Path),
		Query: render.Part(p.Query), Fragment: render.Part(p.Fragment),
	}
	if r.Err != nil {
		text := r.Err.Error()
		a.Error = &text
	}
	return a
}

// parserNames are the parsers as programs name them.
var parserNames = map[compare.Parser]string{
	compare.RFC1738: "rfc1738", compare.RFC1630: "rfc1630", compare.RFC3986: "rfc3986", compare.WHATWG: "whatwg", compare.Go: "net/url",
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
