// Package compose is the verb compose: write a message from a mailto URL.
package compose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/message"
	"locus/console"
)

// Options are the flags and arguments of compose.
type Options struct {
	URLs   []string `args:"1"`
	Output string   `flag:"output"`
	Edit   bool     `flag:"edit"`
	From   string   `flag:"from"`
}

// Verb describes compose.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "compose",
		Summary:  "write a message from a mailto URL",
		Synopsis: "locus compose [-o FILE] [--edit] [--from ADDRESS] MAILTO-URL",
		Description: "Write a complete message, with a date, a message-id and a sender: --from, $EMAIL, or\n" +
			"the user on this machine. Nothing is sent: locus send does that.\n\n" +
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

// Run writes the message of a mailto URL.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	text, err := message.Of(e, o.URLs[0], o.From)
	if err != nil {
		return err
	}
	if o.Edit {
		if text, err = edited(ctx, e, text); err != nil {
			return err
		}
	}
	if o.Output != "" && o.Output != "-" {
		return e.SaveText(o.Output, text)
	}
	_, err = e.Out.WriteString(text)
	return err
}

// edited returns a message after the user has edited it.
func edited(ctx context.Context, e *cli.Env, text string) (string, error) {
	editor := strings.Fields(cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR")))
	if len(editor) == 0 {
		return "", &cli.Hinted{Err: errors.New("no editor is known"), Hint: "EDITOR names one"}
	}
	changed, err := console.Edit(strings.ReplaceAll(text, "\r\n", "\n"), "locus-*.eml", func(name string) error {
		cmd := e.Command(ctx, editor[0], append(editor[1:], name)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stderr, e.Stderr // stdout gets the message
		if cli.IsTerminal(e.Stdout) {
			cmd.Stdout = e.Stdout
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("edit the message with %s: %w", editor[0], err)
		}
		return nil
	})
	return strings.ReplaceAll(strings.ReplaceAll(changed, "\r\n", "\n"), "\n", "\r\n"), err
}
