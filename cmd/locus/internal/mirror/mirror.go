// Package mirror is the verb mirror: copy everything below a URL into a folder, or the other
// way.
package mirror

import (
	"context"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/url"
)

// Options are the flags and arguments of mirror.
type Options struct {
	FromAndTo []string `args:"2"`
	Delete    bool     `flag:"delete"`
	MaxSize   *int64   `flag:"max-size"` // nil: no limit
	cli.Deploy
	cli.Tree
	cli.Offline
	cli.Files
	cli.Record
	cli.Replay
	cli.Upload
	cli.Access
	Given cli.Given
}

// Verb describes mirror.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "mirror",
		Summary:  "copy everything below a URL into a folder, or the other way",
		Synopsis: "locus mirror [FLAG…] URL DIR | DIR URL | URL URL",
		Description: "Copy an ftp or prospero directory, a folder (file), a gopher menu, a wais database or\n" +
			"search, or a web page and the pages that it links to in its folder, into DIR. Copy only\n" +
			"what is new or has changed. The same command resumes an interrupted copy.\n\n" +
			"A change shows in size, time of change or ETag. Times of change are kept. Only the\n" +
			"host of URL is read, and links to directories are not followed. robots.txt is obeyed\n" +
			"unless --ignore-robots is given.\n\n" +
			"With --page-requisites --convert-links the copy of a web site can be read from DIR in a\n" +
			"browser. What pages load and what is not in the copy is reported on stderr. Other\n" +
			"hosts are asked only if --other-hosts names them. Such a host must have a public\n" +
			"address, unless a PATTERN is its whole name. --other-hosts is also for files of other\n" +
			"servers that a prospero directory or a wais database names.\n\n" +
			"With a folder first, or two URLs, copy the files below the first to the directory that\n" +
			"the second names (ftp, file, http with PUT or WebDAV). That makes the directory. A file\n" +
			"that is newer there stays, unless an earlier run sent it. See locus help put.\n\n" +
			"A file is always complete under its name. Unfinished work is in DIR/.locus-mirror\n" +
			"until the copy is done. --delete deletes nothing unless every folder could be read.\n\n" +
			"The copy stops if the tree has more than ten million entries (--max-entries), more\n" +
			"than a million files (--max-files), or more bytes than --max-total. By default new\n" +
			"files may take nine tenths of the free disk space. Folders more than 128 deep and\n" +
			"files of more than --max-size bytes fail, and the rest is copied. The copy needs\n" +
			"up to 1 GiB of temporary files in DIR/.locus-mirror (with --dry-run: in TMPDIR).\n\n" +
			"PATTERN matches paths below URL: * any characters except slashes, ? one character,\n" +
			"[a-z] one of these, ** between slashes any folders. A pattern without a slash matches\n" +
			"the last name. One that ends in a slash matches folders only.\n\n" +
			"--warc records what is fetched, and --from-warc copies from such an archive.\n\n" +
			"With --json each event is an object on stdout: {\"event\",\"url\",\"name\",\"done\",\"size\"},\n" +
			"with \"error\", \"wait\" and \"exit\" where they apply. The exit status is 1 if a file\n" +
			"failed, or if --delete deleted nothing because of a failure.",
		Common:   "delete dry-run include exclude level jobs quiet",
		Examples: []string{"locus mirror --delete ftp://ftp.example.org/pub/ pub", "locus mirror --page-requisites --convert-links https://www.example.org/docs/ docs", "locus mirror --delete public ftp://me@example.org/www/"},
	})
}

// Run mirrors a URL into a folder, or sends a tree.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	client, err := e.Client(o.Access, o.FromAndTo)
	if err != nil {
		return err
	}
	done, err := e.Archives(client, o.Record, o.Replay)
	if err != nil {
		return err
	}
	return done(run(ctx, e, client, o))
}

func run(ctx context.Context, e *cli.Env, client *cli.Client, o Options) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	from, to := o.FromAndTo[0], o.FromAndTo[1]
	f := download.New(e, client, o.Files, o.Timeout)
	if download.IsURL(to) {
		return send(ctx, f, client, from, to, o)
	}
	if o.Delete && o.Level > 0 {
		return cli.Misuse("--delete wants all levels: it does not go with --level")
	}
	if flag := o.Given.First("replace-newer", "permissions", "skip-links", "manifest", "ftp-direct", "ftp-chmod"); flag != "" {
		return cli.Misuse("%s is for copies to a URL", flag)
	}
	u, err := url.Parse(from)
	if err != nil {
		return cli.Explain(err)
	}
	if len(o.OtherHosts) > 0 && !o.PageRequisites && u.Scheme() != "prospero" && u.Scheme() != "wais" {
		return cli.Misuse("--other-hosts is for --page-requisites, prospero and wais")
	}
	if (o.PageRequisites || o.ConvertLinks) && u.Scheme() != "http" && u.Scheme() != "https" {
		return cli.Misuse("--page-requisites and --convert-links are for http and https")
	}
	if err := f.LimitSize(o.MaxSize); err != nil {
		return err
	}
	return f.Mirror(ctx, u, to, download.MirrorOptions{Tree: o.Tree, Offline: o.Offline, Delete: o.Delete, MaxDelete: o.MaxDelete})
}

// send sends a tree to the URL to.
func send(ctx context.Context, f *download.Fetcher, client *cli.Client, from, to string, o Options) error {
	flag := o.Given.First("level", "listings", "ignore-robots", "page-requisites", "convert-links", "other-hosts", "portable", "split", "sync", "max-size", "max-files", "max-total")
	if flag != "" {
		return cli.Misuse("%s is for copies into a folder", flag)
	}
	if err := o.Upload.Set(&client.Engines.FTP); err != nil {
		return err
	}
	return f.Send(ctx, from, to, download.SendOptions{
		Deploy: o.Deploy, Delete: o.Delete, DryRun: o.DryRun, MaxEntries: o.MaxEntries, Filter: o.Filter,
	})
}
