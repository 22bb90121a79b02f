// Package cp implements the verb cp: copy files between URLs of any schemes.
package cp

import (
	"context"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/upload"
)

// Options are the flags and arguments of cp.
type Options struct {
	Args []string `args:"2-"` // sources, and then the destination
	upload.Options
	MinRate int64 `flag:"min-rate"`
	cli.Access
}

// Verb returns the verb cp.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "cp",
		Summary:  "copy files between URLs of any schemes",
		Synopsis: "locus cp [FLAG…] SRC… DST",
		Description: "SRC and DST are URLs or file names. If DST ends in /, or is a folder here, copy each\n" +
			"SRC into it under its own name. Start a file name with ./ if it looks like a URL.\n\n" +
			"The copy needs no temporary file and little memory. Listings are not copied: locus\n" +
			"mirror copies folders.\n\n" +
			upload.RetryNote + "\n\n" + upload.ReplaceNote,
		Usages:   [][2]string{{"max-time", "give each file at most `DURATION` in all, such as 30s (default: no limit)"}},
		Common:   "preserve no-clobber if-match json quiet max-time",
		Examples: []string{"locus cp gopher://gopher.example.org/0/about.txt ftp://me@example.org/about.txt"},
	})
}

// Run copies each file or URL in o.Args except the last, which is the destination.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	return upload.Copy(ctx, e, o.Args, o.Access, o.Options, o.MinRate)
}
