package page

import (
	"fmt"

	"github.com/a-h/templ"

	"locus/gateway/internal/content"
	"locus/internal/render"
)

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

// Records returns the page of bibliographic records. The title of a single record is the title of
// the page.
func Records(l Links, b content.Bibliography) templ.Component {
	p := bibliographyPage{frame: l.frame(l.titleOf()), Raw: l.raw(), Cut: b.Cut, Problem: b.Problem}
	p.Tools = append(l.besideLinks(), link{Title: "View source", Href: p.Raw}, link{Title: "Download", Href: l.download(l.URL)})
	for _, d := range b.Descriptions {
		shown := description{Title: render.Clean(d.Title), Problems: d.Problems}
		for _, f := range d.Fields {
			shown.Fields = append(shown.Fields, field{render.Clean(f.Name), l.text(f.Value)})
		}
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

// countOf formats a number of records for people: "7", or "the first 7" if isCut says that the
// resource has more.
func countOf(n int, isCut bool) string {
	if isCut {
		return fmt.Sprintf("the first %d", n)
	}
	return fmt.Sprint(n)
}
