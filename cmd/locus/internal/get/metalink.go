package get

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/transfer"
	"locus/url"
)

// checkMetalink returns a UsageError for flags that do not go with --metalink.
func (o Options) checkMetalink() error {
	if len(o.URLs) > 0 {
		return cli.Misuse("--metalink takes no URL: the Metalink has them")
	}
	if o.Metalink == "" {
		return cli.Misuse("--metalink wants a file or a URL")
	}
	not := append(cli.FlagNames[cli.Tree](), "output", "remote-name", "recursive", "sha256", "checksum-file", "input", "offset", "search", "answer", "raw")
	if flag := o.Given.First(not...); flag != "" {
		return cli.Misuse("%s is not for --metalink", flag)
	}
	return nil
}

// getMetalink fetches the files that a Metalink describes.
func (g *getter) getMetalink(ctx context.Context) error {
	files, publicOnly, err := g.readMetalink(ctx)
	if err != nil {
		return err
	}
	root, _, err := g.folder()
	if err != nil {
		return err
	}
	defer root.Close()
	return g.fetcher().Fetch(ctx, root, func(yield func(download.File) bool) {
		for _, f := range files {
			file := download.File{
				URL: f.URLs[0], Others: f.URLs[1:], PublicOnly: publicOnly, Unnamed: true, Name: f.Name, Digest: f.Digest, Size: max(f.Size, 0),
			}
			if !yield(file) {
				return
			}
		}
	})
}

// readMetalink reads the Metalink from a file or a URL. publicOnly says that it came from a
// public address: then it may lead only to public addresses.
func (g *getter) readMetalink(ctx context.Context) (files []transfer.MetalinkFile, publicOnly bool, err error) {
	from, publicOnly, err := g.openMetalink(ctx)
	if err != nil {
		return nil, false, err
	}
	defer from.Close()
	files, err = transfer.ParseMetalink(from)
	if err != nil {
		return nil, false, fmt.Errorf("read %q: %w", cli.HideLogin(g.Metalink), err)
	}
	return files, publicOnly, nil
}

func (g *getter) openMetalink(ctx context.Context) (from io.ReadCloser, isPublic bool, err error) {
	if !strings.Contains(g.Metalink, ":") {
		from, err = g.OpenInput(g.Metalink)
		return from, false, err
	}
	u, err := url.Parse(g.Metalink)
	if err != nil {
		return nil, false, cli.Explain(err)
	}
	return fetchMetalink(ctx, g.Env.Retrying(g.client, g.Fetch), &access.Request{URL: u, Login: g.Login()})
}

// fetchMetalink opens a Metalink. isPublic reports whether it is at a public address.
func fetchMetalink(ctx context.Context, engine access.Engine, req *access.Request) (from io.ReadCloser, isPublic bool, err error) {
	public := *req
	public.PublicOnly = true
	r, err := engine.Do(ctx, &public)
	isPublic = !errors.Is(err, access.ErrNotPublic)
	if !isPublic {
		r, err = engine.Do(ctx, req)
	}
	if err != nil {
		return nil, false, err
	}
	return r.Body, isPublic, nil
}
