package check

import (
	"context"
	_ "embed"
	"io"
	"iter"
	"strings"

	"github.com/a-h/templ"
)

// The style and the script of the page that HTML writes.
var (
	//go:embed report.css
	reportStyle string

	//go:embed report.js
	reportScript string
)

// HTML writes the report as a page that needs no other file. Where scripts run, its
// table can be sorted and filtered.
func (r *Report) HTML(w io.Writer) error {
	return reportPage(r.Summary(), r.rows()).Render(context.Background(), w)
}

// rows returns the rows of the page. After an error there are no more.
func (r *Report) rows() iter.Seq2[reportRow, error] {
	return func(yield func(reportRow, error) bool) {
		for f, err := range r.Findings {
			if err != nil {
				yield(reportRow{}, err)
				return
			}
			if !yield(f.row(), nil) {
				return
			}
		}
	}
}

// failing ends a page with an error.
func failing(err error) templ.Component {
	return templ.ComponentFunc(func(context.Context, io.Writer) error { return err })
}

// A reportRow is a finding in the page.
type reportRow struct {
	Label, Link, Why string
	Target           templ.SafeURL // what the link leads to; "" if a browser does not open it
	Places           []string
}

func (f Finding) row() reportRow {
	row := reportRow{Label: f.label(), Link: display(f.Link), Why: f.Explain()}
	if isWebText(row.Link) {
		row.Target = templ.SafeURL(row.Link)
	}
	for _, p := range f.Places {
		row.Places = append(row.Places, p.String())
	}
	return row
}

// isWebText reports whether a text is the URL of a page that a browser opens.
func isWebText(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}
