package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"locus/access"
)

// A namedAnswer is a value of --answer.
type namedAnswer struct{ name, value string }

func parseAnswers(texts []string) ([]namedAnswer, error) {
	var answers []namedAnswer
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, misuse("--answer wants NAME=VALUE") // text may be a secret
		}
		answers = append(answers, namedAnswer{name, value})
	}
	return answers, nil
}

// fillIn answers the questions of a form, and opens the result.
func (g *getter) fillIn(ctx context.Context, req *access.Request) (*access.Resource, error) {
	asked, err := g.opener.Do(ctx, req.WithOp(access.Ask))
	if err != nil {
		return nil, err
	}
	q := asked.Questions
	if err := g.checkNames(q); err != nil {
		return nil, err
	}
	if isTerminal(g.stdin) && q.Title != "" {
		g.say(q.Title)
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
	return g.opener.Do(ctx, &filled)
}

// checkNames returns an error for an answer without a question. So a typing mistake does
// not send the default.
func (g *getter) checkNames(q *access.Questions) error {
	var names []string
	for _, question := range q.Items {
		if question.Kind != access.AskNote && question.Kind != access.AskSave {
			names = append(names, question.Name)
		}
	}
	for _, a := range g.answers {
		if !slices.Contains(names, a.name) {
			return &hinted{fmt.Errorf("the form does not ask %q", a.name), "it asks " + quoteAll(names)}
		}
	}
	return nil
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

// answer returns the answer to a question: from --answer, from the user, or the form's
// default.
func (g *getter) answer(ctx context.Context, q access.Question) (access.Answer, error) {
	interactive := isTerminal(g.stdin)
	switch q.Kind {
	case access.AskNote:
		if interactive {
			g.say(q.Prompt)
		}
		return access.Answer{}, nil
	case access.AskSave: // -o names the file; the form's default is sent
		return access.Answer{Text: q.Default}, nil
	}
	for _, a := range g.answers {
		if a.name == q.Name {
			return named(q, a.value)
		}
	}
	switch {
	case interactive:
		return g.askQuestion(ctx, q)
	case q.Default != "" || q.Kind == access.AskSelect || q.Kind == access.AskFile:
		return access.Answer{Text: q.Default}, nil
	}
	return access.Answer{}, &hinted{
		fmt.Errorf("the form asks %q, and there is no terminal to ask on", q.Name),
		"--answer " + quote(q.Name+"=VALUE"),
	}
}

// named returns the answer with a value of --answer. A file becomes an answer only here
// and where the user types its name.
func named(q access.Question, value string) (access.Answer, error) {
	if q.Kind != access.AskFile {
		return access.Answer{Text: value}, nil
	}
	name, ok := strings.CutPrefix(value, "@")
	if !ok {
		return access.Answer{}, &hinted{fmt.Errorf("the form asks for a file as %q", q.Name), "--answer " + quote(q.Name+"=@FILE")}
	}
	return fileAnswer(name)
}

func fileAnswer(name string) (access.Answer, error) {
	f, err := os.Open(name)
	if err != nil {
		return access.Answer{}, err
	}
	return access.Answer{Text: f.Name(), File: f}, nil
}

// askQuestion asks the user at the terminal.
func (g *getter) askQuestion(ctx context.Context, q access.Question) (access.Answer, error) {
	switch q.Kind {
	case access.AskPassword:
		text, err := g.askHidden(ctx, q.Prompt)
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
	g.ask(prompt)
	text, err := await(ctx, g.readAnswer)
	switch {
	case err != nil:
		return access.Answer{}, err
	case q.Kind == access.AskFile && text != "":
		return fileAnswer(text)
	case text == "":
		text = q.Default
	}
	return access.Answer{Text: text}, nil
}

// askText asks for several lines.
func (g *getter) askText(ctx context.Context, q access.Question) (access.Answer, error) {
	g.ask(q.Prompt + " (several lines; a line that is just a dot ends them)")
	var lines []string
	for {
		line, err := await(ctx, g.readAnswer)
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
func (p *process) readAnswer() (string, error) {
	const most = 1 << 16
	var line []byte
	octet := make([]byte, 1)
	for len(line) < most {
		if _, err := p.stdin.Read(octet); err != nil {
			if err == io.EOF && len(line) > 0 {
				break
			}
			return "", fmt.Errorf("read the answer: %w", err)
		}
		if octet[0] == '\n' {
			break
		}
		line = append(line, octet[0])
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}

// await returns the result of do, or the error of ctx if ctx ends first.
func await(ctx context.Context, do func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := do()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
