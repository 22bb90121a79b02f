// Package compose implements the verb compose: write a message from a mailto URL.
package compose

import (
	"context"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/message"
)

// Options are the flags and arguments of compose.
type Options struct {
	URLs   []string `args:"1"`
	Output string   `flag:"output"`
	Edit   bool     `flag:"edit"`
	From   string   `flag:"from"`
}

// Verb returns the verb compose.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "compose",
		Summary:  "write a message from a mailto URL",
		Synopsis: "locus compose [-o FILE] [--edit] [--from ADDRESS] MAILTO-URL",
		Description: "Write a complete message, with a date, a message-id and a sender: --from, $EMAIL, or\n" +
			"the user on this machine. The message is not sent: locus send does that.\n\n" +
			"Safe header fields of the URL become part of the message: to, subject, cc, bcc, body,\n" +
			"in-reply-to, references, keywords, comments. The others are reported on stderr.\n" +
			"A mailserver URL, mailserver:USER@HOST/SUBJECT/BODY, is read too. A / in its body\n" +
			"ends a line.\n\n" +
			"--edit opens the message in $VISUAL or $EDITOR first. Its lines end in LF there.",
		Examples: []string{
			"locus compose 'mailto:ada@example.org?subject=Hello&body=Dear%20Ada,'",
			"locus compose mailserver:majordomo@example.org//subscribe%20news/end",
		},
	})
}

// Run writes the message of a mailto URL to stdout or to the file of --output. With --edit the user
// edits it first.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	text, err := message.Of(e, o.URLs[0], o.From)
	if err != nil {
		return err
	}
	if o.Edit {
		if text, err = e.EditText(ctx, "message", text, ".eml"); err != nil {
			return err
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if o.Output != "" && o.Output != "-" {
		return e.SaveText(o.Output, text)
	}
	_, err = e.Out.WriteString(text)
	return err
}
