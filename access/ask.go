package access

import (
	"context"
	"fmt"
	"io"

	"locus/url"
)

// A Challenge says which server wants a login.
type Challenge struct {
	// URL is the URL of the request.
	URL url.URL

	// Host is the server, without its port: "ftp.example.org".
	Host string

	// User is the user in the URL, decoded; "" if the URL has no user.
	User string

	// Optional says that the request also works without a login. Do not prompt a person
	// then; a Login may return the zero Credentials without an error.
	Optional bool
}

// Prompt returns a question for the user: `password for "ada" at ftp.example.org`.
func (c Challenge) Prompt() string {
	if c.User == "" {
		return "password at " + c.Host
	}
	return fmt.Sprintf("password for %q at %s", c.User, c.Host)
}

// Credentials are a user and a password, decoded. They are secret: URLs and errors do not
// contain them.
type Credentials struct {
	User     string // "": the User of the Challenge
	Password string // may be ""
}

// A Login returns the user and the password for a server, such as by asking a person.
type Login func(ctx context.Context, c Challenge) (Credentials, error)

// Questions are the questions that a form asks before it opens.
type Questions struct {
	Title string     // of the form; "" if the form has no title
	Items []Question // in the order of the form; never empty
}

// A Question is one line of a form.
type Question struct {
	Name    string       // unique in the form; never empty
	Kind    QuestionKind // how to ask
	Prompt  string       // the text of the question
	Default string       // the answer if the user gives none
	Choices []string     // for AskChoice
}

// A QuestionKind says which answers a [Question] takes.
type QuestionKind uint8

const (
	AskLine     QuestionKind = iota // one line of text
	AskPassword                     // one line that is not shown
	AskText                         // several lines
	AskChoice                       // one of Choices
	AskSelect                       // "1" or "0"
	AskFile                         // the content of a file that the user names
	AskSave                         // the name of a file to store the result in; the name is sent
	AskNote                         // a text to show, which takes no answer
)

// An Answer is the user's answer to one [Question].
type Answer struct {
	Text string    // the line or lines, the choice, "1" or "0"
	File io.Reader // for AskFile: the content to send; nil sends an empty file
}
