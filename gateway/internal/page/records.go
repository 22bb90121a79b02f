package page

import (
	"errors"
	"fmt"
	"io"

	"github.com/a-h/templ"

	"locus/gateway/internal/refuse"
	"locus/internal/marc"
	"locus/internal/render"
)

// A page of records of library catalogues shows so many records and fields.
const (
	maxRecords      = 100
	maxRecordFields = 5000
)

// recordsPage has the data of the page of records of library catalogues (MARC).
type recordsPage struct {
	frame
	Facts   []fact
	Records []record
	Cut     bool   // the page does not show all
	Problem string // why not all could be read
	Raw     templ.SafeURL
}

// A record is a MARC record on its page.
type record struct {
	Title    string // "" if the page has its title
	Fields   []field
	Problems []string
}

// A Catalogue is what a page shows of the records of a library catalogue.
type Catalogue struct {
	Records []marc.Record
	Size    int64  // bytes of the resource; -1 if unknown
	Cut     bool   // there are more
	Problem string // why not all could be read
}

// ReadCatalogue reads records. errs are the mistakes in single ones. The error is that the
// gateway is full.
func ReadCatalogue(body io.Reader) (c Catalogue, errs []error, err error) {
	in := &io.LimitedReader{R: body, N: MaxText}
	fields := 0
	for r, err := range marc.Read(in) {
		_, isFull := errors.AsType[*refuse.Error](err)
		switch {
		case isFull:
			return c, errs, err
		case err != nil && in.N <= 0, len(c.Records) == maxRecords:
			c.Cut = true
			return c, errs, nil
		case err != nil:
			errs = append(errs, err)
			continue
		}
		c.Records = append(c.Records, r)
		if fields += len(r.Lines()); fields > maxRecordFields {
			c.Cut = true
			return c, errs, nil
		}
	}
	return c, errs, nil
}

// Records is the page of the records of a library catalogue.
func Records(l Links, c Catalogue) templ.Component {
	p := recordsPage{frame: l.frame(l.titleOf()), Raw: l.raw(), Cut: c.Cut, Problem: c.Problem}
	p.Tools = append(l.besideLinks(), link{Title: "View source", Href: p.Raw}, link{Title: "Download", Href: l.download(l.URL)})
	fields := 0
	for _, r := range c.Records {
		shown := record{Title: render.Clean(r.Title()), Problems: r.Problems}
		for _, line := range r.Lines() {
			if fields++; fields > maxRecordFields {
				break
			}
			shown.Fields = append(shown.Fields, field{render.Clean(line.Name), l.text(line.Value)})
		}
		p.Records = append(p.Records, shown)
	}
	if len(p.Records) == 1 && p.Records[0].Title != "" && !p.Cut {
		p.Title, p.Records[0].Title = p.Records[0].Title, ""
	}
	if len(p.Records) > 1 || p.Cut {
		p.Facts = append(p.Facts, fact{Name: "Records", Value: countOf(len(p.Records), p.Cut)})
	}
	if c.Size >= 0 {
		p.Facts = append(p.Facts, fact{Name: "Size", Value: humanSize(c.Size)})
	}
	return p.html()
}

// countOf returns a number of records for a reader.
func countOf(n int, more bool) string {
	if more {
		return fmt.Sprintf("the first %d", n)
	}
	return fmt.Sprint(n)
}
