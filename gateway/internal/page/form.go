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
	ID   string // of its field: "q0" and on
	Kind string // "line", "password", "text", "choice", "select", "file", "note", "save"
}

// questionKinds returns the values of Question.Kind.
func questionKinds() map[access.QuestionKind]string {
	return map[access.QuestionKind]string{
		access.AskLine: "line", access.AskPassword: "password", access.AskText: "text", access.AskChoice: "choice",
		access.AskSelect: "select", access.AskFile: "file", access.AskSave: "save", access.AskNote: "note",
	}
}

// Questions returns the questions of a form as its page has them.
func Questions(q *access.Questions) []Question {
	all := make([]Question, len(q.Items))
	for i, item := range q.Items {
		all[i] = Question{item, "q" + strconv.Itoa(i), questionKinds()[item.Kind]}
	}
	return all
}

// Form is the page that asks the questions of a form.
func Form(l Links, q *access.Questions) templ.Component {
	all := Questions(q)
	hasFiles := slices.ContainsFunc(all, func(q Question) bool { return q.Kind == "file" })
	return formPage{l.frame(cmp.Or(q.Title, entry.Name(l.URL))), l.to(l.URL), hasFiles, all}.html()
}

// A formPage asks the questions of a form.
type formPage struct {
	frame
	Action    templ.SafeURL
	Files     bool // a file is asked for
	Questions []Question
}
