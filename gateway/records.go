package gateway

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/a-h/templ"

	"locus/access"
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
	page
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

// isMARC reports whether a media type is that of records of library catalogues.
func isMARC(mediaType string) bool { return baseType(mediaType) == "application/marc" }

// records answers with the page of the MARC records in a resource.
func (x *exchange) records(resource *access.Resource, in io.Reader) error {
	p := recordsPage{page: x.page(x.titleOf())}
	p.Raw = x.rawURL()
	p.Tools = append(x.besideLinks(), link{Title: "View source", Href: p.Raw}, link{Title: "Download", Href: x.downloadLink()})
	limited := &io.LimitedReader{R: x.reserving(in), N: maxText}
	if err := x.readRecords(&p, limited); err != nil {
		return err
	}
	resource.Body.Close() // the client may read slowly
	if len(p.Records) == 1 && p.Records[0].Title != "" && !p.Cut {
		p.Title, p.Records[0].Title = p.Records[0].Title, ""
	}
	if len(p.Records) > 1 || p.Cut {
		p.Facts = append(p.Facts, fact{Name: "Records", Value: countOf(len(p.Records), p.Cut)})
	}
	if resource.Size >= 0 {
		p.Facts = append(p.Facts, fact{Name: "Size", Value: humanSize(resource.Size)})
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Sec-Fetch-Mode, Sec-Fetch-Dest, Range, Authorization")
	x.write(http.StatusOK, p.html())
	return nil
}

// countOf returns a number of records for a reader.
func countOf(n int, more bool) string {
	if more {
		return fmt.Sprintf("the first %d", n)
	}
	return fmt.Sprint(n)
}

// readRecords adds the records in to the page. The error is that the gateway is full.
func (x *exchange) readRecords(p *recordsPage, in *io.LimitedReader) error {
	fields := 0
	for r, err := range marc.Read(in) {
		switch {
		case errors.Is(err, errFull):
			return err
		case err != nil && in.N <= 0, len(p.Records) == maxRecords:
			p.Cut = true
			return nil
		case err != nil:
			p.Problem = translatePanic(err).Error()
			x.log(err)
			continue
		}
		shown := record{Title: render.Clean(r.Title()), Problems: r.Problems}
		for _, l := range r.Lines() {
			if fields++; fields > maxRecordFields {
				p.Cut = true
				break
			}
			shown.Fields = append(shown.Fields, field{render.Clean(l.Name), x.text(l.Value)})
		}
		p.Records = append(p.Records, shown)
		if p.Cut {
			return nil
		}
	}
	return nil
}
