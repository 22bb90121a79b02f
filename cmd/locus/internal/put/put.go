// Package put implements the verb put: upload files to a URL.
package put

import (
	"context"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/cmd/locus/internal/upload"
)

// Options are the flags and arguments of put.
type Options struct {
	Args      []string `args:"2-"` // files, and then a URL
	Recursive bool     `flag:"recursive"`
	Delete    bool     `flag:"delete"`
	DryRun    bool     `flag:"dry-run"`
	Jobs      int      `flag:"jobs"`
	cli.Filter
	cli.Sharded
	cli.Deploy
	upload.Options
	cli.Access
	Given cli.Given
}

// Verb returns the verb put.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "put",
		Summary:  "upload files to a URL",
		Synopsis: "locus put [FLAG…] FILE… URL | -r DIR URL",
		Description: "Write FILE, or stdin for -, to URL. If URL ends in /, write each FILE below it\n" +
			"under its own name. An existing file is replaced.\n\n" +
			upload.RetryNote + "\n\n" + upload.ReplaceNote + "\n\n" +
			"With --recursive, send the files of DIR to the folder URL, which is made if missing.\n" +
			"Send only files that are new or have changed, by size and time. For a server that does\n" +
			"not keep times, remember which files were sent. A file that is newer at the server stays,\n" +
			"unless an earlier run sent it. A symbolic link to a file in DIR is sent as that file;\n" +
			"others are skipped. To resume an interrupted run, run the same command again.\n\n" +
			"If URL names a newsgroup, FILE is an article, and is posted there. It has lines such\n" +
			"as From: and Subject:, an empty line, and the text. Without a Newsgroups line it goes\n" +
			"to the group in URL. The URL of the new article, if known, is written to stdout.\n\n" +
			"For a titan URL, write the gemini URL of the page to stdout. The media type follows\n" +
			"from the name in URL or ;mime=, and the token from ;token= or .netrc.",
		Usages: [][2]string{
			{"recursive", "send everything below DIR to the folder URL"},
			{"max-time", "give each file at most `DURATION` in all, such as 30s (default: no limit)"},
		},
		Common:   "recursive delete dry-run preserve no-clobber json quiet",
		Examples: []string{"locus put -p index.html about.html ftp://me@example.org/www/", "locus put -r --delete --dry-run public ftp://me@example.org/www/"},
	})
}

// rules returns the rules for flags that need other flags, or exclude them.
func rules() []cli.Rule {
	tree := "delete dry-run jobs shard " + cli.FlagNames[cli.Filter]() + " " + cli.FlagNames[cli.Deploy]()
	return []cli.Rule{
		{Flags: tree, Needs: "recursive", Text: "%s needs --recursive"},
		{Flags: "preserve no-clobber if-match", Excludes: "recursive", Text: "%s cannot be combined with --recursive"},
		{Flags: "max-delete", Needs: "delete"},
		{Flags: "shard", Excludes: "delete", Text: "%s cannot be combined with --delete, because the files of other parts would look deleted"},
	}
}

// Run uploads files to a URL or, with --recursive, everything below a folder.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	if err := o.Given.Check(rules()...); err != nil {
		return err
	}
	if o.Recursive {
		return sendFolder(ctx, e, o)
	}
	return upload.Run(ctx, e, access.Put, o.Args, o.Access, o.Options)
}

// sendFolder sends everything below the folder o.Args[0] to the URL o.Args[1]. Other arguments are
// a UsageError.
func sendFolder(ctx context.Context, e *cli.Env, o Options) error {
	if len(o.Args) != 2 {
		return cli.Misuse("--recursive takes one folder and a URL")
	}
	if download.IsURL(o.Args[0]) || !download.IsURL(o.Args[1]) {
		return cli.Misuse("--recursive takes a folder, and then a URL")
	}
	client, err := e.Client(o.Access, o.Args)
	if err != nil {
		return err
	}
	if err := o.Upload.Set(&client.Engines.FTP); err != nil {
		return err
	}
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	f := download.New(e, client, cli.Files{Jobs: o.Jobs, JSON: o.JSON, Fetch: cli.Fetch{Retry: o.Retry}}, o.Timeout)
	return f.Send(ctx, o.Args[0], o.Args[1], download.SendOptions{Deploy: o.Deploy, Sharded: o.Sharded, Delete: o.Delete, DryRun: o.DryRun, Filter: o.Filter})
}
