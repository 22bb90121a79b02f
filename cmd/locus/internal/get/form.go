package get

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/console"
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

// fillIn answers the questions of a form, and opens the result. saveAs is the name of the
// file that the user gave it in an answer; "" for none.
func (g *getter) fillIn(ctx context.Context, req *access.Request) (r *access.Resource, saveAs string, err error) {
	asked, err := g.client.Do(ctx, req.WithOp(access.Ask))
	if err != nil {
		return nil, "", err
	}
	q := asked.Questions
	if err := g.checkNames(q); err != nil {
		return nil, "", err
	}
	if cli.IsTerminal(g.Stdin) && q.Title != "" {
		g.Say(q.Title)
	}
	answers := make([]access.Answer, len(q.Items))
	for i, question := range q.Items {
		answer, err := g.answer(ctx, question)
		if err != nil {
			return nil, "", err
		}
		if question.Kind == access.AskSave {
			saveAs = cmp.Or(saveAs, answer.Text)
			answer.Text = nameSent(answer.Text, question.Default)
		}
		answers[i] = answer
		if file, ok := answer.File.(*os.File); ok {
			defer file.Close()
		}
	}
	filled := *req
	filled.Answers = answers
	r, err = g.client.Do(ctx, &filled)
	return r, saveAs, err
}

// nameSent returns what the server is told about the file for the result: its name without
// the folders here, or what the form suggests.
func nameSent(file, suggested string) string {
	if file == "" {
		return suggested
	}
	return filepath.Base(file)
}

// checkNames returns an error for an answer without a question. So a typing mistake does
// not send the default.
func (g *getter) checkNames(q *access.Questions) error {
	var names []string // in quotation marks
	for _, question := range q.Items {
		if question.Kind != access.AskNote {
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
	given := slices.IndexFunc(g.answers, func(a namedAnswer) bool { return a.name == q.Name })
	switch {
	case q.Kind == access.AskNote:
		if interactive {
			g.Say(q.Prompt)
		}
		return access.Answer{}, nil
	case given >= 0:
		return g.answerFrom(q, g.answers[given].value)
	case q.Kind == access.AskSave && (!interactive || g.Given["output"] || g.hasRemoteNames()):
		return access.Answer{}, nil // the result is written where the flags say
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
	prompt, read := q.Prompt, g.readLine
	switch q.Kind {
	case access.AskPassword:
		text, err := g.AskHidden(ctx, prompt)
		return access.Answer{Text: text}, err
	case access.AskText:
		prompt += " (several lines; a line that is just a dot ends them)"
		read = func() (string, error) { return g.readText(q.Default) }
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
	g.Ask(prompt)
	text, err := console.Await(ctx, read)
	switch {
	case err != nil:
		return access.Answer{}, err
	case q.Kind == access.AskFile && text != "":
		return g.fileAnswer(text)
	case q.Kind != access.AskText && q.Kind != access.AskSave: // a server names no file here
		text = cmp.Or(text, q.Default)
	}
	return access.Answer{Text: text}, nil
}

// readText reads lines up to one that is just a dot. Without any, it returns usual.
func (g *getter) readText(usual string) (string, error) {
	var lines []string
	for {
		line, err := g.readLine()
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

// readLine reads a line from the terminal, byte by byte: the next line may be a password,
// for another reader.
func (g *getter) readLine() (string, error) {
	const most = 1 << 16
	var line []byte
	for b := make([]byte, 1); len(line) < most; line = append(line, b[0]) {
		_, err := g.Stdin.Read(b)
		if errors.Is(err, io.EOF) && len(line) > 0 || err == nil && b[0] == '\n' {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read the answer: %w", err)
		}
	}
	return strings.TrimSuffix(string(line), "\r"), nil
}
