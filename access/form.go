package access

import "io"

// Questions are what a form asks before it opens.
type Questions struct {
	Title string     // of the form; "" if it has none
	Items []Question // in the order of the form; never empty
}

// A Question is one line of a form.
type Question struct {
	Name    string       // unique in the form; never empty
	Kind    QuestionKind // how to ask
	Prompt  string       // what to ask
	Default string       // the answer if the user gives none
	Choices []string     // for AskChoice
}

// A QuestionKind is how a [Question] is asked.
type QuestionKind uint8

const (
	AskLine     QuestionKind = iota // one line of text
	AskPassword                     // one line that is not shown
	AskText                         // several lines
	AskChoice                       // one of Choices
	AskSelect                       // "1" or "0"
	AskFile                         // the content of a file that the user names
	AskSave                         // the name of a file to store the result in; the name is sent
	AskNote                         // no question: a text to show
)

// An Answer is the user's answer to one [Question].
type Answer struct {
	Text string    // the line or lines, the choice, "1" or "0"
	File io.Reader // for AskFile: what to send; nil sends nothing
}
