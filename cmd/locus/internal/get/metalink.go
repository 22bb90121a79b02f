package get

import (
	"context"
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
	files, err := g.readMetalink(ctx)
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
			if !yield(download.File{URL: f.URLs[0], Others: f.URLs[1:], Name: f.Name, Digest: f.Digest, Size: max(f.Size, 0)}) {
				return
			}
		}
	})
}

// readMetalink reads the Metalink from a file or a URL.
func (g *getter) readMetalink(ctx context.Context) ([]transfer.MetalinkFile, error) {
	from, err := g.openMetalink(ctx)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	files, err := transfer.ParseMetalink(from)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", cli.HideLogin(g.Metalink), err)
	}
	return files, nil
}

func (g *getter) openMetalink(ctx context.Context) (io.ReadCloser, error) {
	if !strings.Contains(g.Metalink, ":") {
		return g.OpenInput(g.Metalink)
	}
	u, err := url.Parse(g.Metalink)
	if err != nil {
		return nil, cli.Explain(err)
	}
	r, err := g.Env.Retrying(g.client, g.Fetch).Do(ctx, &access.Request{URL: u, Login: g.Login()})
	if err != nil {
		return nil, err
	}
	return r.Body, nil
}
