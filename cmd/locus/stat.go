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
		Usage:     "say what is known about resources without opening them",
		UsageText: "locus stat [--json] [--timeout D] [--allow-port N…] URL…",
		Description: "It writes what ls does. Where a protocol cannot tell, the resource is opened and\n" +
			"closed again.",
		Flags:    openFlags(jsonFlag()),
		Metadata: example("locus stat file:///etc/hosts", "locus stat --json https://example.org/"),
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
