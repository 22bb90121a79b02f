package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"locus/check"
	"locus/internal/render"
)

// maxPlaces is how many places of a finding Text lists.
const maxPlaces = 5

// Text writes the findings of a report for people. Each finding is a line with its reason. Its first five places are
// indented below it, and the others are counted.
func Text(w io.Writer, r *check.Report) error { return text(w, r, maxPlaces) }

// FullText writes the findings of a report as Text does, with all their places.
func FullText(w io.Writer, r *check.Report) error { return text(w, r, math.MaxInt) }

// text writes the findings, each with at most most of its places, and the number of the places that it leaves out.
func text(w io.Writer, r *check.Report, most int) error {
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, f); err != nil {
			return err
		}
		for _, p := range f.Places[:min(most, len(f.Places))] {
			if _, err := io.WriteString(w, "    "+p.String()+"\n"); err != nil {
				return err
			}
		}
		switch more := len(f.Places) - most; {
		case more == 1:
			_, err = io.WriteString(w, "    and 1 more place\n")
		case more > 1:
			_, err = fmt.Fprintf(w, "    and %d more places\n", more)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes a report as a heading, the summary, and a table with a row for each finding.
func Markdown(w io.Writer, r *check.Report) error {
	if _, err := fmt.Fprintf(w, "# Links\n\n%s.\n", r.Summary()); err != nil {
		return err
	}
	head := "\n| Link | Status | Why | Where |\n|---|---|---|---|\n"
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		var places []string
		for _, p := range f.Places {
			places = append(places, cell(p.String()))
		}
		_, err = fmt.Fprintf(w, "%s| %s | %s | %s | %s |\n", head, cell(render.Redacted(f.Link)), f.Label(), cell(f.Explain()), strings.Join(places, "<br>"))
		if err != nil {
			return err
		}
		head = ""
	}
	return nil
}

// cell returns s with the characters escaped that have a meaning in a cell of a Markdown table.
func cell(s string) string {
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("\\`*_{}[]<>()#!|~&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
