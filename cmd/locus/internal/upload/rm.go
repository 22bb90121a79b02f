package upload

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
)

// RmOptions are the flags and arguments of rm.
type RmOptions struct {
	URLs    []string `args:"1-"`
	IfMatch *string  `flag:"if-match"`
	JSON    bool     `flag:"json"`
	cli.Access
}

// Rm returns the verb rm.
func Rm() *cli.Verb {
	return cli.New(RunRm, cli.Verb{
		Name:        "rm",
		Summary:     "delete files and empty folders",
		Synopsis:    "locus rm [FLAG…] URL…",
		Description: "A URL that ends in / names a folder, which must be empty.",
		Usages:      [][2]string{{"if-match", "delete the file only if its version is still `ETAG` (http, https, file, nfs)"}},
		Common:      "if-match json max-time proxy allow-port",
		Examples:    []string{"locus rm ftp://me@example.org/www/old.html"},
	})
}

// RunRm deletes the file or the empty folder at each URL.
func RunRm(ctx context.Context, e *cli.Env, o RmOptions) error {
	c := Changer{Op: access.Delete, IfMatch: o.IfMatch, JSON: o.JSON, Access: o.Access}
	return c.Run(ctx, e, o.URLs)
}

// MkdirOptions are the flags and arguments of mkdir.
type MkdirOptions struct {
	URLs []string `args:"1-"`
	JSON bool     `flag:"json"`
	cli.Access
}

// Mkdir returns the verb mkdir.
func Mkdir() *cli.Verb {
	return cli.New(RunMkdir, cli.Verb{
		Name:        "mkdir",
		Summary:     "make folders",
		Synopsis:    "locus mkdir [FLAG…] URL…",
		Description: "The parent of each new folder must exist.",
		Common:      "json max-time proxy allow-port",
		Examples:    []string{"locus mkdir ftp://me@example.org/www/new/"},
	})
}

// RunMkdir makes a folder at each URL.
func RunMkdir(ctx context.Context, e *cli.Env, o MkdirOptions) error {
	c := Changer{Op: access.MakeDir, JSON: o.JSON, Access: o.Access}
	return c.Run(ctx, e, o.URLs)
}
