// Package appendto implements the verb append: add files to the end of the file at a URL.
package appendto

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/upload"
)

// Options are the flags and arguments of append.
type Options struct {
	Args     []string `args:"2-"` // files, and then a URL
	JSON     bool     `flag:"json"`
	FTPChmod string   `flag:"ftp-chmod"`
	cli.Access
}

// Verb returns the verb append.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "append",
		Summary:  "add files to the end of the file at a URL",
		Synopsis: "locus append [FLAG…] FILE… URL",
		Description: "Add FILE, or stdin for -, to the end of the file at URL. To an http or https URL, FILE\n" +
			"is sent once, with POST, and the server decides what to do with it. To a newsgroup,\n" +
			"FILE is posted, as with locus put. The URL of the addition, if known, is written to\n" +
			"stdout.",
		Usages:   [][2]string{{"max-time", "give each file at most `DURATION` in all, such as 30s (default: no limit)"}},
		Common:   "json max-time proxy allow-port",
		Examples: []string{"locus append today.log ftp://me@example.org/all.log"},
	})
}

// Run appends the files that o.Args names to the file at the URL, which is the last of o.Args.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	options := upload.Options{JSON: o.JSON, Upload: cli.Upload{FTPChmod: o.FTPChmod}}
	return upload.Run(ctx, e, access.Append, o.Args, o.Access, options)
}
