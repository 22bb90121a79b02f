// Package put is the verb put: upload files to a URL.
package put

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/upload"
)

// Options are the flags and arguments of put.
type Options struct {
	Args []string `args:"2-"` // files, and then a URL
	upload.Options
	cli.Access
}

// Verb describes put.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "put",
		Summary:  "upload files to a URL",
		Synopsis: "locus put [FLAG…] FILE… URL",
		Description: "Write FILE, or stdin for -, to URL. If URL ends in /, keep the name of each FILE\n" +
			"below it. An existing file is replaced.\n\n" +
			upload.RetryNote + "\n\n" + upload.ReplaceNote + "\n\n" +
			"At the URL of a newsgroup FILE is posted. It is an article: lines such as From: and\n" +
			"Subject:, an empty line, and the text. Without a Newsgroups line it goes to the\n" +
			"group in URL. The URL of the new article, if known, is written to stdout.",
		Common:   "preserve no-clobber if-match json quiet max-time",
		Examples: []string{"locus put article.txt nntp://example.org/misc.test", "locus put -p index.html about.html ftp://me@example.org/www/"},
	})
}

// Run uploads files.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	return upload.Run(ctx, e, access.Put, o.Args, o.Access, o.Options)
}
