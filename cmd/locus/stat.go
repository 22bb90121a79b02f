package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/render"
	"locus/url"
)

func (p *process) statCommand() *cli.Command {
	return &cli.Command{
		Name:      "stat",
		Usage:     "show size, type and time of what URLs name",
		UsageText: "locus stat [--json] [FLAG…] URL…",
		Description: "Write one line for each URL, as ls does, without fetching the content. If a protocol\n" +
			"cannot do that, open the URL and close it again.",
		Flags:    flags("json " + accessFlags),
		Metadata: details("json timeout proxy allow-port", "locus stat file:///etc/hosts", "locus stat --json https://example.org/"),
		Action:   p.stat,
	}
}

func (p *process) stat(ctx context.Context, c *cli.Command) error {
	o, err := p.opener(c)
	if err != nil {
		return err
	}
	write := p.entries(c)
	return p.eachURL(ctx, c, func(ctx context.Context, u url.URL) error {
		req := &access.Request{URL: u, Login: p.login()}
		e, err := attributes(ctx, o, req)
		if errors.Is(err, errors.ErrUnsupported) {
			e, err = statByOpening(ctx, o, req)
		}
		if err != nil {
			return err
		}
		if e.Title == "" {
			e.Title = render.Title(u)
		}
		return write(e)
	})
}

func attributes(ctx context.Context, o access.Engine, req *access.Request) (access.Entry, error) {
	r, err := o.Do(ctx, req.WithOp(access.Stat))
	if err != nil {
		return access.Entry{}, err
	}
	return r.Entry, nil
}

func statByOpening(ctx context.Context, o access.Engine, req *access.Request) (access.Entry, error) {
	r, err := o.Do(ctx, req)
	if err != nil {
		return access.Entry{}, err
	}
	return render.EntryOf(r), r.Body.Close()
}
