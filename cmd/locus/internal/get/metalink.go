package get

import (
	"context"
	"fmt"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/transfer"
	"locus/url"
)

// getMetalink fetches the files that a Metalink describes, each from its best mirror that works.
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
			file := download.File{Unnamed: true, File: transfer.File{
				URL: f.URLs[0], Others: f.URLs[1:], PublicOnly: publicOnly, Name: f.Name, Digest: f.Digest, Size: max(f.Size, 0),
			}}
			if !yield(file) {
				return
			}
		}
	})
}

// readMetalink reads the Metalink from a file or a URL. publicOnly says that it came from a public
// address, so that its files may only be fetched from public addresses.
func (g *getter) readMetalink(ctx context.Context) (files []transfer.MetalinkFile, publicOnly bool, err error) {
	if strings.Contains(g.Metalink, ":") {
		u, err := url.Parse(g.Metalink)
		if err != nil {
			return nil, false, cli.Explain(err)
		}
		return transfer.GetMetalink(ctx, g.Env.Retrying(g.client, g.Fetch), &access.Request{URL: u, Login: g.Login()})
	}
	in, err := g.OpenInput(ctx, g.Metalink)
	if err != nil {
		return nil, false, fmt.Errorf("--metalink: %w", err)
	}
	defer in.Close()
	files, err = transfer.ParseMetalink(in)
	switch {
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err != nil:
		return nil, false, cli.FileError("--metalink", fmt.Errorf("read %q: %w", g.Metalink, err))
	}
	return files, false, nil
}
