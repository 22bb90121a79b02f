package get

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
)

// A namedAnswer is a value of --answer.
type namedAnswer struct{ name, value string }

func parseAnswers(texts []string) ([]namedAnswer, error) {
	var answers []namedAnswer
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, cli.Misuse("--answer wants NAME=VALUE") // text may be a secret
		}
		answers = append(answers, namedAnswer{name, value})
	}
	return answers, nil
}

// fillIn answers the questions of a form, and opens the result.
func (g *getter) fillIn(ctx context.Context, req *access.Request) (*access.Resource, error) {
	asked, err := g.client.Do(ctx, req.WithOp(access.Ask))
	if err != nil {
		return nil, err
	}
	q := asked.Questions
	if err := g.checkNames(q); err != nil {
		return nil, err
	}
	if cli.IsTerminal(g.Stdin) && q.Title != "" {
		g.Say(q.Title)
	}
	answers := make([]access.Answer, len(q.Items))
	for i, question := range q.Items {
		answer, err := g.answer(ctx, question)
		if err != nil {
			return nil, err
		}
		answers[i] = answer
		if file, ok := answer.File.(*os.File); ok {
			defer file.Close()
		}
	}
	filled := *req
	filled.Answers = answers
	return g.client.Do(ctx, &filled)
}

// checkNames returns an error for an answer without a question. So a typing mistake does
// not send the default.
func (g *getter) checkNames(q *access.Questions) error {
	var names []string // in quotation marks
	for _, question := range q.Items {
		if question.Kind != access.AskNote && question.Kind != access.AskSave {
			names = append(names, strconv.Quote(question.Name))
		}
	}
	for _, a := range g.answers {
		if name := strconv.Quote(a.name); !slices.Contains(names, name) {
			return &cli.Hinted{Err: fmt.Errorf("the form does not ask %s", name), Hint: "it asks " + strings.Join(names, ", ")}
		}
	}
	return nil
}

// answer returns the answer to a question: from --answer, from the user, or the form's
// default.
func (g *getter) answer(ctx context.Context, q access.Question) (access.Answer, error) {
	interactive := cli.IsTerminal(g.Stdin)
	switch q.Kind {
	case access.AskNote:
		if interactive {
			g.Say(q.Prompt)
		}
		return access.Answer{}, nil
	case access.AskSave: // -o names the file; the form's default is sent
		return access.Answer{Text: q.Default}, nil
	}
	for _, a := range g.answers {
		if a.name == q.Name {
			return g.answerFrom(q, a.value)
		}
	}
	switch {
	case interactive:
		return g.askQuestion(ctx, q)
	case q.Default != "" || q.Kind == access.AskSelect || q.Kind == access.AskFile:
		return access.Answer{Text: q.Default}, nil
	}
	return access.Answer{}, &cli.Hinted{Err: fmt.Errorf("the form asks %q, and there is no terminal to ask on", q.Name), Hint: "--answer " + strconv.Quote(q.Name+"=VALUE")}
}

// answerFrom returns the answer that a value of --answer gives. A file becomes an answer
// only here and where the user types its name.
func (g *getter) answerFrom(q access.Question, value string) (access.Answer, error) {
	if q.Kind != access.AskFile {
		return access.Answer{Text: value}, nil
	}
	name, ok := strings.CutPrefix(value, "@")
	if !ok {
		return access.Answer{}, &cli.Hinted{Err: fmt.Errorf("the form asks for a file as %q", q.Name), Hint: "--answer " + strconv.Quote(q.Name+"=@FILE")}
	}
	return g.fileAnswer(name)
}

func (g *getter) fileAnswer(name string) (access.Answer, error) {
	f, err := g.Open(name)
	if err != nil {
		return access.Answer{}, err
	}
	return access.Answer{Text: name, File: f}, nil
}

// askQuestion asks the user at the terminal.
func (g *getter) askQuestion(ctx context.Context, q access.Question) (access.Answer, error) {
	switch q.Kind {
	case access.AskPassword:
		text, err := g.AskHidden(ctx, q.Prompt)
		return access.Answer{Text: text}, err
	case access.AskText:
		return g.askText(ctx, q)
	}
	prompt := q.Prompt
	switch q.Kind {
	case access.AskChoice:
		prompt += " (" + strings.Join(q.Choices, ", ") + ")"
	case access.AskSelect:
		prompt += " (1 is yes, 0 is no)"
	case access.AskFile:
		prompt += " (name of a file to send, empty for none)"
	}
	if q.Default != "" {
		prompt += " [" + q.Default + "]"
	}
	g.Ask(prompt)
	text, err := cli.Await(ctx, g.readAnswer)
	switch {
	case err != nil:
		return access.Answer{}, err
	case q.Kind == access.AskFile && text != "":
		return g.fileAnswer(text)
	case text == "":
		text = q.Default
	}
	return access.Answer{Text: text}, nil
}

// askText asks for several lines.
func (g *getter) askText(ctx context.Context, q access.Question) (access.Answer, error) {
	g.Ask(q.Prompt + " (several lines; a line that is just a dot ends them)")
	var lines []string
	for {
		line, err := cli.Await(ctx, g.readAnswer)
		if err != nil {
			return access.Answer{}, err
		}
		if line == "." {
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return access.Answer{Text: q.Default}, nil
	}
	return access.Answer{Text: strings.Join(lines, "\n")}, nil
}

// readAnswer reads a line from the terminal, byte by byte: the next line may be a
// password, for another reader.
func (g *getter) readAnswer() (string, error) {
	const most = 1 << 16
	var line []byte
	b := make([]byte, 1)
	for len(line) < most {
		if _, err := g.Stdin.Read(b); err != nil {
			if err == io.EOF && len(line) > 0 {
				break
			}
			return "", fmt.Errorf("read the answer: %w", err)
		}
		if b[0] == '\n' {
			break
		}
		line = append(line, b[0])
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}
