package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
)

// A Question is an access.Question on a page.
type Question struct {
	access.Question
	ID string // the name of its field: "q0", "q1" …
}

// Questions returns the questions of a form with the names of their fields.
func Questions(q *access.Questions) []Question {
	all := make([]Question, len(q.Items))
	for i, item := range q.Items {
		all[i] = Question{item, "q" + strconv.Itoa(i)}
	}
	return all
}

// Form returns the page that asks the questions of the form at l.URL. The answers are sent to
// l.URL.
func Form(l Links, q *access.Questions) templ.Component {
	all := Questions(q)
	hasFiles := slices.ContainsFunc(all, func(q Question) bool { return q.Kind == access.AskFile })
	return formPage{l.frame(cmp.Or(q.Title, entry.Name(l.URL))), l.to(l.URL), hasFiles, all}.html()
}

// A formPage asks the questions of a form.
type formPage struct {
	frame
	Action    templ.SafeURL
	Files     bool // a question asks for a file
	Questions []Question
}
