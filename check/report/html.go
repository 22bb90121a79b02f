package report

import (
	"context"
	_ "embed"
	"io"
	"iter"
	"strings"

	"locus/check"
	"locus/internal/facts"
	"locus/internal/render"

	"github.com/a-h/templ"
)

// The style and the script of the page that HTML writes.
var (
	//go:embed report.css
	reportStyle string

	//go:embed report.js
	reportScript string
)

// HTML writes a report as a page that contains its style and its script. If the browser runs scripts, the table can be
// sorted and filtered.
func HTML(w io.Writer, r *check.Report) error {
	return reportPage(r.Summary(), rows(r)).Render(context.Background(), w)
}

// rows yields a row for each finding of r, and at last an error if a finding cannot be read.
func rows(r *check.Report) iter.Seq2[reportRow, error] {
	return func(yield func(reportRow, error) bool) {
		for f, err := range r.Findings {
			if err != nil {
				yield(reportRow{}, err)
				return
			}
			if !yield(rowOf(f), nil) {
				return
			}
		}
	}
}

// failing returns a component that fails with err, so that Render stops and returns err.
func failing(err error) templ.Component {
	return templ.ComponentFunc(func(context.Context, io.Writer) error { return err })
}

// A reportRow is a finding in the page.
type reportRow struct {
	Label, Link, Why string
	Target           templ.SafeURL // the URL of the link; "" if a browser does not open it
	Places           []string
}

// rowOf returns the row for a finding. Its Target is "" unless the link is a web URL.
func rowOf(f check.Finding) reportRow {
	row := reportRow{Label: f.Label(), Link: render.Redacted(f.Link), Why: f.Explain()}
	if isWebText(row.Link) {
		row.Target = templ.SafeURL(row.Link)
	}
	for _, p := range f.Places {
		row.Places = append(row.Places, p.String())
	}
	return row
}

// isWebText reports whether text begins as a web URL: with http:// or https://.
func isWebText(text string) bool {
	scheme, _, hasHost := strings.Cut(text, "://")
	return hasHost && facts.Of(scheme).Has(facts.Web)
}
