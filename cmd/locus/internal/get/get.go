// Package get implements the verb get: fetch URLs to stdout or into files.
package get

import (
	"cmp"
	"context"
	_ "embed"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/form"
)

// Options are the flags and arguments of get.
type Options struct {
	URLs       []string `args:"0-"`
	Output     string   `flag:"output"`
	RemoteName bool     `flag:"remote-name"`
	OutputDir  string   `flag:"output-dir"`
	Continue   bool     `flag:"continue"`
	Recursive  bool     `flag:"recursive"`
	cli.Files
	cli.Tree
	SHA256       string   `flag:"sha256"`
	ChecksumFile string   `flag:"checksum-file"`
	Metalink     string   `flag:"metalink"`
	Input        string   `flag:"input"`
	GlobOff      bool     `flag:"globoff"`
	Raw          bool     `flag:"raw"`
	MARCXML      bool     `flag:"marcxml"`
	Offset       int64    `flag:"offset"`
	MaxSize      *int64   `flag:"max-size"` // nil: no limit
	Search       *string  `flag:"search"`   // nil: no search
	Answer       []string `flag:"answer"`
	cli.Text
	cli.Recording
	cli.Replay
	cli.Access
	Given cli.Given
}

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb get.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "get",
		Summary:     "fetch URLs to stdout or into files",
		Synopsis:    "locus get [FLAG…] URL…",
		Description: description,
		Usages:      [][2]string{{"recursive", "fetch everything below each URL into a folder"}},
		Common:      "output remote-name output-dir continue recursive max-time quiet",
		Examples: []string{
			"locus get file:///etc/hosts", "locus get -O --max-time 30s https://example.org/index.html",
			"locus get --continue -O 'https://example.org/disc[1-3].iso'",
		},
	})
}

// A getter runs get with its options.
type getter struct {
	*cli.Env
	Options
	client   *cli.Client
	retrying access.Engine // opens with client, within the limits of the options, and retries
	file     string        // the file of --output; "": stdout, or names from the URLs
	answers  []form.Answer
}

// Run fetches URLs to stdout, into files or into folders, and records them if the flags say so.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.Text.Check(); err != nil {
		return err
	}
	o = o.withDefaults()
	g := &getter{Env: e, Options: o, file: o.Output}
	if g.file == "-" {
		g.file = ""
	}
	var err error
	if g.answers, err = parseAnswers(o.Answer); err != nil {
		return err
	}
	if g.client, err = e.Client(o.Access, o.URLs); err != nil {
		return err
	}
	g.client.Engines.FTP.UnixText = g.client.Engines.FTP.UnixText && !o.Raw
	done, err := e.Archives(g.client, o.Recording, o.Replay)
	if err != nil {
		return err
	}
	return done(g.run(ctx))
}

// defaultIdle is the value of --idle if it is not given. It is also the default of the engines, except for sessions,
// which may be silent until somebody types. get types nothing, so that a silent session would never end.
const defaultIdle = time.Minute

// withDefaults returns o with the default of --idle, if that flag was not given.
func (o Options) withDefaults() Options {
	o.Idle = cmp.Or(o.Idle, defaultIdle)
	return o
}

// run fetches the URLs into folders (--recursive), into files, or to stdout, or fetches the files of a Metalink.
func (g *getter) run(ctx context.Context) error {
	ctx, stop := g.UntilInterrupted(ctx)
	defer stop()
	if g.Metalink != "" {
		return g.getMetalink(ctx)
	}
	urls, err := g.urls(ctx)
	if err != nil {
		return err
	}
	switch {
	case g.Recursive:
		return g.getTrees(ctx, urls)
	case g.intoFiles():
		return g.getFiles(ctx, urls)
	}
	g.retrying = g.Env.Retrying(g.client, g.Fetch)
	return g.each(ctx, urls, g.Timeout, g.get)
}
