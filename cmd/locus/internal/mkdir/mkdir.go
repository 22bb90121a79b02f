// Package mkdir is the verb mkdir: make folders.
package mkdir

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/upload"
)

// Options are the flags and arguments of mkdir.
type Options struct {
	URLs []string `args:"1-"`
	JSON bool     `flag:"json"`
	cli.Access
}

// Verb describes mkdir.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "mkdir",
		Summary:     "make folders",
		Synopsis:    "locus mkdir [FLAG…] URL…",
		Description: "The folder above each new one must exist.",
		Common:      "json max-time proxy allow-port",
		Examples:    []string{"locus mkdir ftp://me@example.org/www/new/"},
	})
}

// Run makes folders.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	c := upload.Changer{Op: access.MakeDir, JSON: o.JSON, Access: o.Access}
	return c.Run(ctx, e, o.URLs)
}
