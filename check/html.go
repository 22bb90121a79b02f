package check

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	"sync"
)

// The page that HTML writes: its head, a row for each finding, its end.
//
//go:embed report.html
var reportPage string

var reportTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(reportPage))
})

// HTML writes the report as a page that needs no other file. Where scripts run, its
// table can be sorted and filtered.
func (r *Report) HTML(w io.Writer) error {
	if err := reportTemplates().ExecuteTemplate(w, "head", r.Summary()); err != nil {
		return err
	}
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if err := reportTemplates().ExecuteTemplate(w, "row", f.row()); err != nil {
			return err
		}
	}
	return reportTemplates().ExecuteTemplate(w, "end", nil)
}

// A reportRow is a finding in the page.
type reportRow struct {
	Label, Link, Why string
	Target           string // what the link leads to; "" if a browser does not open it
	Places           []string
}

func (f Finding) row() reportRow {
	row := reportRow{Label: f.label(), Link: display(f.Link), Why: f.Explain()}
	if isWebText(row.Link) {
		row.Target = row.Link
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
