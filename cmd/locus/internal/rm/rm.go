// Package rm is the verb rm: delete what URLs name.
package rm

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/upload"
)

// Options are the flags and arguments of rm.
type Options struct {
	URLs    []string `args:"1-"`
	IfMatch *string  `flag:"if-match"`
	JSON    bool     `flag:"json"`
	cli.Access
}

// Verb describes rm.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "rm",
		Summary:     "delete what URLs name",
		Synopsis:    "locus rm [FLAG…] URL…",
		Description: "A URL that ends in / names a folder, which must be empty.",
		Common:      "if-match json max-time proxy allow-port",
		Examples:    []string{"locus rm ftp://me@example.org/www/old.html"},
	})
}

// Run deletes what URLs name.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	c := upload.Changer{Op: access.Delete, IfMatch: o.IfMatch, JSON: o.JSON, Access: o.Access}
	return c.Run(ctx, e, o.URLs)
}
