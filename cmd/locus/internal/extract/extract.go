// Package extract implements the verb extract: find the URLs in files, folders, pages and pipes.
package extract

import (
	"cmp"
	"context"
	_ "embed"
	"io"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/lines"
	"locus/extract"
	"locus/extract/document"
	"locus/internal/glob"
	"locus/internal/render"
	"locus/internal/walk"
	"locus/limit"
	"locus/transfer"
	"locus/url"
)

// Options are the flags and arguments of extract.
type Options struct {
	Args      []string `args:"0-"` // files, folders, URLs, and "-"
	Unique    bool     `flag:"unique"`
	Count     bool     `flag:"count"`
	Bare      bool     `flag:"bare"`
	Addresses bool     `flag:"addresses"`
	Unknown   bool     `flag:"unknown"`
	Wrap      bool     `flag:"wrap"`
	Base      *string  `flag:"base"`
	As        string   `flag:"as"`
	cli.Walk
	cli.Sharded
	Schemes []string `flag:"scheme"`
	Hosts   []string `flag:"host"`
	JSON    bool     `flag:"json"`
	Jobs    int      `flag:"jobs"`
	MinRate int64    `flag:"min-rate"`
	cli.Access
	Given cli.Given
}

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb extract.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "extract",
		Summary:     "find the URLs in files, folders, pages and pipes",
		Synopsis:    "locus extract [FLAG…] [FILE|DIR|URL|-]…",
		Description: description,
		Usages:      [][2]string{{"jobs", "read `N` files at once (default: one for each processor; at most 1000)"}},
		Common:      "unique count scheme include exclude json",
		Kinds:       []string{"text", "html", "markdown", "xml", "json", "rst", "man", "gopher", "mail", "css", "asciidoc", "ipynb", "tex", "calendar", "org", "manifest", "gemtext"},
		Examples: []string{
			"locus extract README.md", "locus extract --unique --scheme ftp --scheme gopher .",
			"echo 'see <URL:ftp://ftp.example.org/pub>' | locus extract --json",
			"echo 'see ftp://ftp.example.org/pub' | locus extract --wrap",
		},
	})
}

// rules are the rules for flags that cannot be combined.
var rules = []cli.Rule{
	{Flags: "count", Excludes: "json"},
	{Flags: "shard", Excludes: "wrap"},
	{Flags: "wrap", Excludes: "count json unique scheme host as"},
}

// An extractor runs extract with its options.
type extractor struct {
	*cli.Env
	options Options
	reading document.Options
	mode    document.Mode // of --as; Text without it
	walker  walk.Walker
	workers int
	engine  access.Engine
	out     *lines.Writer

	scanners sync.Pool // of *extract.Scanner, for plain text
}

// Run writes the URLs in files, folders, resources and stdin, or with --count their number.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	x, err := newExtractor(e, o)
	if err != nil {
		return err
	}
	args := o.Args
	if len(args) == 0 {
		args = []string{"-"}
	}
	err = e.Each(ctx, args, func(arg string) error { return x.extract(ctx, arg) })
	if o.Count && !cli.IsBrokenPipe(err) {
		if lineErr := e.Line(strconv.Itoa(x.out.Count())); err == nil {
			err = lineErr
		}
	}
	return err
}

// newExtractor returns an extractor for the options. It reports misuse as a UsageError before it
// reads any input.
func newExtractor(e *cli.Env, o Options) (*extractor, error) {
	x := &extractor{Env: e, options: o, workers: cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))}
	var err error
	if x.reading.URL, err = cli.ParseBase(o.Base); err != nil {
		return nil, err
	}
	x.reading.Find = extract.Options{Bare: o.Bare, Mail: o.Addresses, Unknown: o.Unknown, Base: x.reading.URL}
	x.mode, _ = document.ByString(o.As) // the parser of flags has checked its value
	if x.walker, err = o.Walker(); err != nil {
		return nil, err
	}
	x.walker.Filter = glob.Filter(o.Divide(transfer.Filter(x.walker.Filter)))
	if err := o.Given.Check(rules...); err != nil {
		return nil, err
	}
	if o.Given["shard"] && (len(o.Args) == 0 || slices.Contains(o.Args, "-")) {
		return nil, cli.Misuse("--shard cannot divide stdin, because it divides files and URLs by their names")
	}
	x.out = lines.New(e.Out, lines.Options{JSON: o.JSON, Count: o.Count, Unique: o.Unique, Schemes: o.Schemes, Hosts: o.Hosts})
	client, err := e.Client(o.Access, o.Args)
	if err != nil {
		return nil, err
	}
	client.MinRate = o.MinRate
	x.engine = limit.Timed{Engine: client, Timeout: o.Timeout}
	return x, nil
}

// extract writes the URLs in an argument: stdin, a file, a folder or a URL. With --wrap it writes
// the whole text instead, with its URLs in <URL:…>. A file that exists is read as a file, even if
// its name looks like a URL. An argument in another part of --shard is skipped.
func (x *extractor) extract(ctx context.Context, arg string) error {
	info, statErr := x.Stat(arg)
	isFolder := statErr == nil && info.IsDir()
	if !isFolder && !x.options.Shard.Has(arg) {
		return nil // another machine reads it
	}
	if arg != "-" && statErr == nil && !x.options.Wrap {
		if isFolder {
			return x.write(x.folder(arg))
		}
		return x.write(x.file(arg, false, x.workers))
	}
	in, err := x.open(ctx, arg)
	if err != nil {
		return err
	}
	defer in.Close()
	if x.options.Wrap {
		return extract.Wrap(x.Out, in.from, x.reading.Find, 0)
	}
	return x.write(x.read(in, 0))
}

// open opens stdin, a file or a URL. The caller closes the input.
func (x *extractor) open(ctx context.Context, arg string) (*input, error) {
	if arg == "-" {
		return x.input("-", io.NopCloser(flushing{x.Env}), document.Text, url.URL{}), nil
	}
	u, ok := x.ArgumentURL(arg)
	if !ok {
		file, err := x.OpenInput(ctx, arg)
		if err != nil {
			return nil, err
		}
		return x.input(arg, file, document.ByName(arg), x.FileURL(arg)), nil
	}
	r, err := x.engine.Do(ctx, &access.Request{URL: u, Login: x.Login()})
	if err != nil {
		return nil, err
	}
	mode := document.ByTypeAndName(r.Type, r.URL.Path())
	if r.List != nil && mode == document.Text && x.options.As == "" {
		return x.input(u.Redacted(), render.Wrapped(r.List, r.Body), mode, r.URL), nil
	}
	in := x.input(u.Redacted(), r.Body, mode, r.URL)
	in.options.Charset = document.CharsetOf(r.Type)
	return in, nil
}

// input returns an input with the mode of --as and the base URL of --base. Without these flags, the
// input has mode and base. Its Close closes from.
func (x *extractor) input(name string, from io.ReadCloser, mode document.Mode, base url.URL) *input {
	in := &input{Closer: from, name: name, mode: mode, from: from, options: x.reading}
	if x.options.As != "" {
		in.mode = x.mode
	}
	if in.options.URL.IsZero() {
		in.options.URL = base
	}
	return in
}

// write writes the URLs in pages. It reports errors of reading and goes on, and then returns
// cli.ErrReported. It stops at an error of the output, and returns that error.
func (x *extractor) write(pages iter.Seq[*lines.Page]) error {
	failed := false
	err := x.out.Write(pages, func(err error) error {
		if cli.IsOutput(err) {
			return err
		}
		failed = true
		x.Report(err)
		return nil
	})
	if err == nil && failed {
		return cli.ErrReported
	}
	return err
}
