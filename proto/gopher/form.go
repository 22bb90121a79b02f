package gopher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// ask executes Ask: it fetches the questions of the form, and returns them in a Resource with an
// empty Body.
func (c Client) ask(ctx context.Context, req *access.Request) (*access.Resource, error) {
	greq, err := parseRequest(req.URL)
	if err != nil {
		return nil, err
	}
	q, err := c.questions(ctx, req, greq)
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Title: q.Title, Kind: access.Form, Size: -1}, Body: access.NoBody, Questions: q}, nil
}

// questions fetches the +ASK attribute of the item that greq requests, and parses its questions.
// The error wraps errors.ErrUnsupported if the URL is not the URL of a form, or the item has no
// questions.
func (c Client) questions(ctx context.Context, req *access.Request, greq request) (*access.Questions, error) {
	if greq.command != "?" {
		return nil, errors.ErrUnsupported
	}
	r, err := c.do(ctx, req, greq.attributes())
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	list, ok := r.List.(*listing)
	if !ok || list.attributes == nil {
		return nil, engine.Reason("the server sends no attributes", errors.ErrUnsupported)
	}
	var item Item
	err = list.limited(list.lines, func() (err error) {
		item, err = list.attributes.next()
		return err
	})
	if err != nil {
		return nil, wire.Early(err)
	}
	lines, _ := item.Attribute("ASK")
	q := &access.Questions{Title: item.Title, Items: parseQuestions(lines)}
	if len(q.Items) == 0 {
		return nil, engine.Reason("the item has no questions", errors.ErrUnsupported)
	}
	return q, nil
}

// sendAnswers sends req.Answers, the answers to a form, and returns the server's reply. It
// fetches the questions again, so that the answers fit the current form, and fails if their
// number differs.
func (c Client) sendAnswers(ctx context.Context, req *access.Request) (*access.Resource, error) {
	greq, err := parseRequest(req.URL)
	if err != nil {
		return nil, err
	}
	q, err := c.questions(ctx, req, greq)
	if err != nil {
		return nil, err
	}
	if len(req.Answers) != len(q.Items) {
		return nil, fmt.Errorf("%d answers to %d questions", len(req.Answers), len(q.Items))
	}
	var f form
	for i, question := range q.Items {
		if err := f.add(question, req.Answers[i]); err != nil {
			return nil, fmt.Errorf("answer to %q: %w", question.Name, err)
		}
	}
	greq.command = "+\t1"
	greq.block, greq.closesWrite = f.block()
	return c.do(ctx, req, greq)
}

// parseQuestions parses the lines of +ASK. Each question gets a unique name, derived from its
// prompt:
//
//	Kind: prompt[TAB default or choice]…
func parseQuestions(lines []string) []access.Question {
	var questions []access.Question
	used := make(map[string]int)
	for _, l := range lines {
		keyword, text, _ := strings.Cut(l, ":")
		fields := strings.Split(strings.TrimPrefix(text, " "), "\t")
		q := access.Question{Kind: questionKinds()[strings.ToLower(strings.TrimSpace(keyword))], Prompt: fields[0]}
		setDefault(&q, fields[1:])
		q.Name = uniqueName(q.Prompt, used)
		questions = append(questions, q)
	}
	return questions
}

// questionKinds returns the kinds of questions by their keywords in lower case. Any other
// keyword asks for a line of text (access.AskLine, the zero kind), as in Minnesota's client.
func questionKinds() map[string]access.QuestionKind {
	return map[string]access.QuestionKind{
		"note": access.AskNote, "askp": access.AskPassword, "askl": access.AskText, "select": access.AskSelect,
		"choose": access.AskChoice, "askf": access.AskSave, "choosef": access.AskFile,
	}
}

// uniqueName derives a name from a prompt: "your-name" from "Your name?". If an earlier question
// has that name, it appends a number: "your-name-2". used counts the uses of each name, and
// uniqueName updates it.
func uniqueName(prompt string, used map[string]int) string {
	const maxLength = 40
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
	base := strings.Join(words, "-")
	base = strings.Trim(base[:min(len(base), maxLength)], "-")
	if base == "" {
		base = "question"
	}
	name := base
	for used[name] > 0 {
		used[base]++
		name = base + "-" + strconv.Itoa(used[base])
	}
	used[name]++
	return name
}

// setDefault sets the default and the choices of q from fields, the texts after its prompt. A
// choice without choices becomes a question for a line of text. A default at the end of the
// prompt of a Select is removed from the prompt.
//
// QUIRK: in the memo a Select has no default. Minnesota's client accepts ":1" at the end of the
// prompt. Other servers send the default as a field.
func setDefault(q *access.Question, fields []string) {
	switch {
	case q.Kind == access.AskChoice && len(fields) == 0:
		q.Kind = access.AskLine
	case q.Kind == access.AskChoice:
		q.Choices = fields
	case q.Kind == access.AskSelect && len(fields) == 0:
		prompt, isSet := strings.CutSuffix(q.Prompt, ":1")
		if !isSet {
			prompt = strings.TrimSuffix(q.Prompt, ":0")
		}
		q.Prompt, q.Default = prompt, map[bool]string{true: "1", false: "0"}[isSet]
		return
	}
	if len(fields) > 0 {
		q.Default = fields[0]
	}
	if q.Kind == access.AskSelect && q.Default != "1" {
		q.Default = "0"
	}
}

// A form collects the answers in the format that is sent.
type form struct {
	lines []string
	file  io.Reader // sent after the lines; may be nil
}

// add appends a, the answer to q. It returns an error if the answer does not fit the question.
func (f *form) add(q access.Question, a access.Answer) error {
	switch q.Kind {
	case access.AskNote:
		return nil
	case access.AskFile:
		return f.attach(a.File)
	case access.AskText:
		return f.addText(a.Text)
	case access.AskChoice:
		if !slices.Contains(q.Choices, a.Text) {
			return fmt.Errorf("%q is not one of the choices %q", a.Text, q.Choices)
		}
	case access.AskSelect:
		if a.Text != "0" && a.Text != "1" {
			return fmt.Errorf("%q is neither 0 nor 1", a.Text)
		}
	}
	if err := wire.CheckArgument("the answer", a.Text, ""); err != nil {
		return err
	}
	f.lines = append(f.lines, a.Text)
	return nil
}

// addText appends a text of several lines: the number of its lines, and then the lines. It
// returns an error for a line with CR or NUL.
func (f *form) addText(text string) error {
	var lines []string
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
		if err := wire.CheckArgument("the answer", l, ""); err != nil {
			return err
		}
		lines = append(lines, l)
	}
	f.lines = append(f.lines, strconv.Itoa(len(lines)))
	f.lines = append(f.lines, lines...)
	return nil
}

// attach sets the file that is sent after the lines. A nil file has no effect. A second file is
// an error.
func (f *form) attach(file io.Reader) error {
	if file != nil && f.file != nil {
		return errors.New("a form can send only one file")
	}
	if file != nil {
		f.file = file
	}
	return nil
}

// block returns the Gopher+ data block. If closesWrite is true, the end of the block is marked
// only by the end of the connection, so the client must close the writing side after it.
//
//	"+-1" CR LF *( line CR LF ) "." CR LF    the usual block
//	"+"N  CR LF N bytes                      with a file, or a line that is "."
//	"+-2" CR LF bytes                        with a file of unknown size
func (f *form) block() (block io.Reader, closesWrite bool) {
	var text strings.Builder
	for _, l := range f.lines {
		text.WriteString(l + "\r\n")
	}
	if f.file == nil {
		if !slices.Contains(f.lines, ".") {
			return strings.NewReader("+-1\r\n" + text.String() + ".\r\n"), false
		}
		return strings.NewReader("+" + strconv.Itoa(text.Len()) + "\r\n" + text.String()), false
	}
	size, ok := sizeOf(f.file)
	if !ok {
		return io.MultiReader(strings.NewReader("+-2\r\n"+text.String()), f.file), true
	}
	head := "+" + strconv.FormatInt(int64(text.Len())+size, 10) + "\r\n" + text.String()
	return io.MultiReader(strings.NewReader(head), &sizedReader{r: f.file, remaining: size}), false
}

// sizeOf returns the number of bytes from the current position of r to its end. ok is false if r
// cannot seek. The position stays.
func sizeOf(r io.Reader) (size int64, ok bool) {
	s, ok := r.(io.Seeker)
	if !ok {
		return 0, false
	}
	here, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, false
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, false
	}
	_, err = s.Seek(here, io.SeekStart)
	return end - here, err == nil
}
