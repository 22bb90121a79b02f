// Package form answers the questions of a form, such as one of Gopher+: with answers that
// were given before, by asking a person at a terminal, or with the defaults of the form.
package form

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/console"
)

// An Answer was given before the form was fetched. It answers the question with its name. If the
// question asks for a file, the value is "@" and the name of the file.
type Answer struct{ Name, Value string }

// A Filler answers the questions of forms. Open and HowTo must be set.
type Filler struct {
	Answers   []Answer                             // if several have the same name, the first counts
	KnowsFile bool                                 // the caller knows where the result goes, so the Filler asks for no file
	Terminal  *Terminal                            // nil if no person can be asked
	Open      func(name string) (*os.File, error)  // opens a file that is an answer
	HowTo     func(answer string) (command string) // returns the command that gives an Answer such as "name=VALUE", for hints
}

// A Terminal asks a person. All fields must be set.
type Terminal struct {
	In     io.Reader                                                // is read byte by byte, up to the end of a line
	Say    func(text string)                                        // shows a line
	Ask    func(prompt string)                                      // shows a question, for an answer on In
	Hidden func(ctx context.Context, prompt string) (string, error) // asks for a line without showing it
}

// Filled are the answers to the questions of a form.
type Filled struct {
	Answers []access.Answer // as many as there are questions; open files are in them
	SaveAs  string          // the file that the person named for the result; "": show the result
}

// Close closes the files in Answers.
func (f *Filled) Close() {
	for _, answer := range f.Answers {
		if file, ok := answer.File.(*os.File); ok {
			file.Close()
		}
	}
}

// Fill answers the questions. The caller closes the result. An Answer without a question is an
// error, because otherwise a typing mistake would send the default. A question without an answer
// and a default is an error if no person can be asked. The errors do not show a Value, and their
// hints say what to do.
func (f *Filler) Fill(ctx context.Context, q *access.Questions) (*Filled, error) {
	if err := f.checkNames(q); err != nil {
		return nil, err
	}
	if f.Terminal != nil && q.Title != "" {
		f.Terminal.Say(q.Title)
	}
	filled := &Filled{Answers: make([]access.Answer, len(q.Items))}
	for i, question := range q.Items {
		answer, err := f.answer(ctx, question)
		if err != nil {
			filled.Close()
			return nil, err
		}
		if question.Kind == access.AskSave {
			filled.SaveAs = cmp.Or(filled.SaveAs, answer.Text)
			answer.Text = nameSent(answer.Text, question.Default)
		}
		filled.Answers[i] = answer
	}
	return filled, nil
}

// nameSent returns the name that the server is told for the result: the file's name without its
// folders on this machine, or suggested if the result is not saved in a file.
func nameSent(file, suggested string) string {
	if file == "" {
		return suggested
	}
	return filepath.Base(file)
}

// checkNames returns an error if the form has no question with the name of one of f.Answers.
func (f *Filler) checkNames(q *access.Questions) error {
	var names []string // each in quotation marks
	for _, question := range q.Items {
		if question.Kind != access.AskNote {
			names = append(names, strconv.Quote(question.Name))
		}
	}
	for _, a := range f.Answers {
		if name := strconv.Quote(a.Name); !slices.Contains(names, name) {
			return access.WithRemedy(fmt.Errorf("the form has no question %s", name), access.Advice("its questions are "+strings.Join(names, ", ")))
		}
	}
	return nil
}

// answer returns the answer to a question. It comes from the Answers, from the person, or from the
// form's default. Notes, selections, files and the name for the result may stay without an answer.
// For any other question without an answer, the error says how to give one.
func (f *Filler) answer(ctx context.Context, q access.Question) (access.Answer, error) {
	given := slices.IndexFunc(f.Answers, func(a Answer) bool { return a.Name == q.Name })
	switch {
	case q.Kind == access.AskNote:
		if f.Terminal != nil {
			f.Terminal.Say(q.Prompt)
		}
		return access.Answer{}, nil
	case given >= 0:
		return f.answerFrom(q, f.Answers[given].Value)
	case q.Kind == access.AskSave && (f.Terminal == nil || f.KnowsFile):
		return access.Answer{}, nil
	case f.Terminal != nil:
		return f.ask(ctx, q)
	case q.Default != "" || q.Kind == access.AskSelect || q.Kind == access.AskFile:
		return access.Answer{Text: q.Default}, nil
	}
	return access.Answer{}, f.hinted(fmt.Errorf("the form asks %q, and there is no terminal to ask on", q.Name), q.Name+"=VALUE")
}

// hinted returns err with the hint that f.HowTo makes of answer, such as "name=VALUE".
func (f *Filler) hinted(err error, answer string) error {
	return access.WithRemedy(err, access.Advice(f.HowTo(answer)))
}

// answerFrom converts the Value that was given for the question q to an answer. For a question that
// asks for a file, it opens the file whose name follows "@". Other values never open a file.
func (f *Filler) answerFrom(q access.Question, value string) (access.Answer, error) {
	if q.Kind != access.AskFile {
		return access.Answer{Text: value}, nil
	}
	name, ok := strings.CutPrefix(value, "@")
	if !ok {
		return access.Answer{}, f.hinted(fmt.Errorf("the form asks for a file as %q", q.Name), q.Name+"=@FILE")
	}
	return f.fileAnswer(name)
}

// fileAnswer opens the file called name, and returns it as the answer.
func (f *Filler) fileAnswer(name string) (access.Answer, error) {
	file, err := f.Open(name)
	if err != nil {
		return access.Answer{}, err
	}
	return access.Answer{Text: name, File: file}, nil
}

// ask asks the person the question q. An empty line means the default of the form, except for
// AskSave, where it means to show the result.
func (f *Filler) ask(ctx context.Context, q access.Question) (access.Answer, error) {
	prompt, read := q.Prompt, f.Terminal.readLine
	switch q.Kind {
	case access.AskPassword:
		text, err := f.Terminal.Hidden(ctx, prompt)
		return access.Answer{Text: text}, err
	case access.AskText:
		prompt += " (several lines; a line that is just a dot ends them)"
		read = func() (string, error) { return f.Terminal.readText(q.Default) }
	case access.AskChoice:
		prompt += " (" + strings.Join(q.Choices, ", ") + ")"
	case access.AskSelect:
		prompt += " (1 is yes, 0 is no)"
	case access.AskFile:
		prompt += " (name of a file to send, empty for none)"
	case access.AskSave:
		prompt += " (name of a file for the result, empty to show it)"
	}
	if q.Default != "" && q.Kind != access.AskText && q.Kind != access.AskSave {
		prompt += " [" + q.Default + "]"
	}
	f.Terminal.Ask(prompt)
	text, err := console.Await(ctx, read)
	switch {
	case err != nil:
		return access.Answer{}, err
	case q.Kind == access.AskFile && text != "":
		return f.fileAnswer(text)
	case q.Kind != access.AskText && q.Kind != access.AskSave: // the server's default must not name a file of this machine
		text = cmp.Or(text, q.Default)
	}
	return access.Answer{Text: text}, nil
}

// readLine reads a line from t.In. It fails if the input ends first.
func (t *Terminal) readLine() (string, error) {
	line, err := console.ReadLine(t.In)
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return line, nil
}

// readText reads lines up to a line that is just a dot, and joins them with LF. If there are no
// lines before the dot, it returns usual.
func (t *Terminal) readText(usual string) (string, error) {
	var lines []string
	for {
		line, err := t.readLine()
		switch {
		case err != nil:
			return "", err
		case line != ".":
			lines = append(lines, line)
		case lines == nil:
			return usual, nil
		default:
			return strings.Join(lines, "\n"), nil
		}
	}
}
