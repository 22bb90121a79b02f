package get

import (
	"context"
	"strconv"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/form"
)

// parseAnswers parses texts, the values NAME=VALUE of --answer. A text without a NAME is a
// UsageError that does not show the text.
func parseAnswers(texts []string) ([]form.Answer, error) {
	var answers []form.Answer
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, cli.Misuse("--answer must be NAME=VALUE") // text may be a secret
		}
		answers = append(answers, form.Answer{Name: name, Value: value})
	}
	return answers, nil
}

// fillIn fetches the form at the URL of req, answers its questions, and opens the result. saveAs is
// the file that the user named for the result in an answer, or "".
func (g *getter) fillIn(ctx context.Context, req *access.Request) (r *access.Resource, saveAs string, err error) {
	asked, err := g.client.Do(ctx, req.WithOp(access.Ask))
	if err != nil {
		return nil, "", err
	}
	filler := &form.Filler{
		Answers: g.answers, KnowsFile: g.Given["output"] || g.hasRemoteNames(), Open: g.Open,
		HowTo: func(answer string) string { return "--answer " + strconv.Quote(answer) },
	}
	if cli.IsTerminal(g.Stdin) {
		filler.Terminal = &form.Terminal{In: g.Stdin, Say: g.Say, Ask: g.Ask, Hidden: g.AskHidden}
	}
	filled, err := filler.Fill(ctx, asked.Questions)
	if err != nil {
		return nil, "", err
	}
	defer filled.Close()
	withAnswers := *req
	withAnswers.Answers = filled.Answers
	r, err = g.client.Do(ctx, &withAnswers)
	return r, filled.SaveAs, err
}
