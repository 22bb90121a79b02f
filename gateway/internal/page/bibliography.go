package page

import (
	"errors"
	"fmt"
	"io"

	"github.com/a-h/templ"

	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/internal/bibliography"
	"locus/internal/render"
)

const (
	maxDescriptions      = 100  // records that one page shows
	maxDescriptionFields = 5000 // fields that one page shows
)

// A Bibliography has the data of the page of bibliographic records.
type Bibliography struct {
	Descriptions []bibliography.Description
	Size         int64  // bytes of the resource; -1 if unknown
	Cut          bool   // the resource has more records
	Problem      string // why some records could not be read
}

// ReadBibliography reads the records of a body with a media type for which Viewer returns
// "records". mistakes has the errors of the records that it leaves out. An error that ends the
// body is one of the mistakes too, unless it is an error of the gateway itself, such as a lack of
// memory. Then ReadBibliography returns it as err.
func ReadBibliography(mediaType string, body io.Reader) (b Bibliography, mistakes []error, err error) {
	in := &io.LimitedReader{R: body, N: MaxText}
	format, ok := bibliography.Of(entry.BaseType(mediaType))
	if !ok || format.Read == nil {
		return b, nil, fmt.Errorf("%s has no bibliographic records", mediaType)
	}
	fields := 0
	for d, err := range format.Read(in) {
		_, isOwn := errors.AsType[*refuse.Error](err)
		switch {
		case isOwn:
			return b, mistakes, err
		case err != nil && in.N <= 0, len(b.Descriptions) == maxDescriptions:
			b.Cut = true
			return b, mistakes, nil
		case err != nil:
			mistakes = append(mistakes, err)
			continue
		}
		b.Descriptions = append(b.Descriptions, d)
		if fields += len(d.Fields); fields > maxDescriptionFields {
			b.Cut = true
			return b, mistakes, nil
		}
	}
	return b, mistakes, nil
}

// A bibliographyPage is the page of bibliographic records.
type bibliographyPage struct {
	frame
	Facts        []fact
	Descriptions []description
	Cut          bool   // the page does not show all records
	Problem      string // why some records could not be read
	Raw          templ.SafeURL
}

// A description is a bibliographic record on its page.
type description struct {
	Title    string // "" if the page itself has the title
	Fields   []field
	Problems []string
}

// Records is the page of bibliographic records. The title of a single record is the title of the
// page.
func Records(l Links, b Bibliography) templ.Component {
	p := bibliographyPage{frame: l.frame(l.titleOf()), Raw: l.raw(), Cut: b.Cut, Problem: b.Problem}
	p.Tools = append(l.besideLinks(), link{Title: "View source", Href: p.Raw}, link{Title: "Download", Href: l.download(l.URL)})
	left := maxDescriptionFields
	for _, d := range b.Descriptions {
		shown := description{Title: render.Clean(d.Title), Problems: d.Problems}
		for _, f := range d.Fields[:min(len(d.Fields), left)] {
			shown.Fields = append(shown.Fields, field{render.Clean(f.Name), l.text(f.Value)})
		}
		left -= len(shown.Fields)
		p.Descriptions = append(p.Descriptions, shown)
	}
	if len(p.Descriptions) == 1 && p.Descriptions[0].Title != "" && !p.Cut {
		p.Title, p.Descriptions[0].Title = p.Descriptions[0].Title, ""
	}
	if len(p.Descriptions) > 1 || p.Cut {
		p.Facts = append(p.Facts, fact{Name: "Records", Value: countOf(len(p.Descriptions), p.Cut)})
	}
	if b.Size >= 0 {
		p.Facts = append(p.Facts, fact{Name: "Size", Value: humanSize(b.Size)})
	}
	return p.html()
}

// countOf formats a number of records for people. isCut says that the resource has more.
func countOf(n int, isCut bool) string {
	if isCut {
		return fmt.Sprintf("the first %d", n)
	}
	return fmt.Sprint(n)
}
