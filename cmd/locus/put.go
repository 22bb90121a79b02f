package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/render"
	"locus/url"
)

func (p *process) putCommand() *cli.Command {
	return &cli.Command{
		Name:      "put",
		Usage:     "send an article to a newsgroup",
		UsageText: "locus put [--spool DIR] [--news-user NAME] [--news-tls|--news-no-tls] [--timeout D] [--allow-port N…] FILE URL",
		Description: "FILE, or stdin if it is -, is an article: lines such as From: and Subject:, an\n" +
			"empty line, and the text. Without a Newsgroups line it goes to the group that the\n" +
			"URL names. The URL of the article is written to stdout, if it is known.",
		Flags:    openFlags(),
		Metadata: example("locus put article.txt nntp://example.org/misc.test"),
		Action:   p.put,
	}
}

func (p *process) put(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 2, 2)
	if err != nil {
		return err
	}
	o, err := opener(c)
	if err != nil {
		return err
	}
	return p.eachOf(ctx, c, args[1:], func(ctx context.Context, u url.URL) error {
		body, size, err := p.source(args[0])
		if err != nil {
			return err
		}
		defer body.Close()
		added, err := access.Append(ctx, o, &access.Request{URL: u, Length: size, Password: p.passwordPrompt()}, untilDone(ctx, body))
		switch {
		case errors.Is(err, errors.ErrUnsupported) && access.Hint(err) == "":
			return &hinted{err, "put sends articles to newsgroups: locus put FILE news:GROUP"}
		case err != nil || added.IsZero():
			return err
		}
		_, err = fmt.Fprintln(p.out, render.Clean(added.String()))
		return err
	})
}

// source opens a file to be sent, or stdin for "-". Its size is 0 if it is not
// known.
func (p *process) source(name string) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(p.stdin), 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%q is a directory", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
