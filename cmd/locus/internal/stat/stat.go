// Package stat is the verb stat: show size, type and time of what URLs name.
package stat

import (
	"cmp"
	"context"
	"errors"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/render"
	"locus/url"
)

// Options are the flags and arguments of stat.
type Options struct {
	URLs []string `args:"1-"`
	JSON bool     `flag:"json"`
	cli.Access
}

// Verb describes stat.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "stat",
		Summary:  "show size, type and time of what URLs name",
		Synopsis: "locus stat [--json] [FLAG…] URL…",
		Description: "Write one line for each URL, as ls does, without fetching the content. If a protocol\n" +
			"cannot do that, open the URL and close it again.",
		Common:   "json max-time proxy allow-port",
		Examples: []string{"locus stat file:///etc/hosts", "locus stat --json https://example.org/"},
	})
}

// Run writes the attributes of URLs.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	client, err := e.Client(o.Access, o.URLs)
	if err != nil {
		return err
	}
	write := cli.Listing{JSON: o.JSON}.Writer(e)
	return e.EachURL(ctx, o.URLs, o.Timeout, func(ctx context.Context, u url.URL) error {
		entry, err := attributes(ctx, client, &access.Request{URL: u, Login: e.Login()})
		if err != nil {
			return err
		}
		entry.Title = cmp.Or(entry.Title, render.Title(u))
		return write(entry)
	})
}

// attributes returns what is known of a resource. If the protocol cannot tell, it opens
// the resource.
func attributes(ctx context.Context, engine access.Engine, req *access.Request) (access.Entry, error) {
	r, err := engine.Do(ctx, req.WithOp(access.Stat))
	if err == nil {
		return r.Entry, nil
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return access.Entry{}, err
	}
	if r, err = engine.Do(ctx, req); err != nil {
		return access.Entry{}, err
	}
	return render.EntryOf(r), r.Body.Close()
}
