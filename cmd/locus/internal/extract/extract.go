// Package extract is the verb extract: find the URLs in files, folders, pages and pipes.
package extract

import (
	"context"
	"hash/maphash"
	"io"
	"runtime"
	"strconv"
	"sync"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/extract"
	"locus/extract/document"
	"locus/url"
	"locus/walk"
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
	Schemes []string `flag:"scheme"`
	Hosts   []string `flag:"host"`
	JSON    bool     `flag:"json"`
	Jobs    int      `flag:"jobs"`
	MinRate int64    `flag:"min-rate"`
	cli.Access
	Given cli.Given
}

// Verb describes extract.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "extract",
		Summary:  "find the URLs in files, folders, pages and pipes",
		Synopsis: "locus extract [FLAG…] [FILE|DIR|URL|-]…",
		Description: "Write one URL a line. URLs are absolute where the base is known. Without an argument,\n" +
			"read stdin. In folders, skip binary files and what Git ignores. The exit status is 0\n" +
			"if everything was read, even if nothing was found.\n\n" +
			"HTML, Markdown, XML, feeds and sitemaps, JSON, reStructuredText, manual pages, gopher\n" +
			"menus, mail, CSS, AsciiDoc, notebooks of Jupyter and TeX are recognized by file name or\n" +
			"media type. --as sets the kind for all input. Everything else is plain text of any\n" +
			"length.\n\n" +
			"--unique keeps 16 bytes for each different URL. A URL that was broken after a hyphen\n" +
			"is written with the hyphen; --json has all readings.\n\n" +
			"--wrap writes the whole text, with each URL as <URL:…>, and breaks lines inside it at\n" +
			"72 characters. So a reader, or locus extract, finds the URLs again.",
		Common: "unique count scheme include exclude json",
		Kinds:  []string{"text", "html", "markdown", "xml", "json", "rst", "man", "gopher", "mail", "css", "asciidoc", "ipynb", "tex"},
		Examples: []string{
			"locus extract README.md", "locus extract --unique --scheme ftp --scheme gopher .",
			"echo 'see <URL:ftp://ftp.example.org/pub>' | locus extract --json",
			"echo 'see ftp://ftp.example.org/pub' | locus extract --wrap",
		},
		// Most garbage of plain text is short-lived. More collections cost a few percent of
		// the time, and save some MiB.
		GCPercent: 25,
	})
}

// An extractor extracts as the options ask.
type extractor struct {
	*cli.Env
	options Options
	reading document.Options
	mode    document.Mode // with --as
	walker  walk.Walker
	workers int
	engine  access.Engine

	free  sync.Pool              // of *page
	seen  map[[2]uint64]struct{} // hashes of what was written; nil without --unique
	seeds [2]maphash.Seed
	count int
}

// Run writes the URLs in files, folders, resources and stdin.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	x, err := newExtractor(e, o)
	if err != nil {
		return err
	}
	args := o.Args
	if len(args) == 0 {
		args = []string{"-"}
	}
	do := func(arg string) error { return x.argument(ctx, arg) }
	if o.Wrap {
		do = func(arg string) error { return x.wrap(ctx, arg) }
	}
	err = e.Each(ctx, args, do)
	if o.Count && !cli.IsBrokenPipe(err) {
		if lineErr := e.Line(strconv.Itoa(x.count)); err == nil {
			err = lineErr
		}
	}
	return err
}

func newExtractor(e *cli.Env, o Options) (*extractor, error) {
	x := &extractor{Env: e, options: o, workers: o.Jobs}
	var err error
	if x.reading.URL, err = cli.ParseBase(o.Base); err != nil {
		return nil, err
	}
	x.reading.Find = extract.Options{Bare: o.Bare, Mail: o.Addresses, Unknown: o.Unknown, Base: x.reading.URL}
	x.mode, _ = document.ByString(o.As) // its value was checked with the flags
	if x.workers == 0 {
		x.workers = runtime.GOMAXPROCS(0)
	}
	if x.walker, err = o.Walker(); err != nil {
		return nil, err
	}
	if o.Count && o.JSON {
		return nil, cli.Misuse("--count and --json exclude each other")
	}
	if flag := o.Given.First("count", "json", "unique", "scheme", "host", "as"); o.Wrap && flag != "" {
		return nil, cli.Misuse("--wrap and %s exclude each other", flag)
	}
	if o.Unique {
		x.seen, x.seeds = map[[2]uint64]struct{}{}, [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	client, err := e.Client(o.Access, o.Args)
	if err != nil {
		return nil, err
	}
	client.MinRate = o.MinRate
	x.engine = client
	return x, nil
}

// input returns an input with the mode of --as, or else with mode.
func (x *extractor) input(name string, from io.Reader, mode document.Mode) *input {
	if x.options.As != "" {
		mode = x.mode
	}
	return &input{name: name, mode: mode, from: from, options: x.reading}
}

// argument reads an argument: stdin, a file, a folder or a URL.
func (x *extractor) argument(ctx context.Context, arg string) error {
	if arg == "-" {
		return x.write(x.read(x.input("-", flushing{x.Env}, document.Text), 1))
	}
	if u, ok := x.ArgumentURL(arg); ok {
		return x.resource(ctx, u)
	}
	info, err := x.Stat(arg)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return x.write(x.folder(arg))
	}
	return x.write(x.file(arg, false, x.workers))
}

// wrap copies a text to stdout, and writes its URLs in wrappers. The text is stdin, a file
// or a resource.
func (x *extractor) wrap(ctx context.Context, arg string) error {
	text, err := x.open(ctx, arg)
	if err != nil {
		return err
	}
	defer text.Close()
	return extract.Wrap(x.Out, text, x.reading.Find, 0)
}

// open opens the text of --wrap.
func (x *extractor) open(ctx context.Context, arg string) (io.ReadCloser, error) {
	u, ok := x.ArgumentURL(arg)
	if !ok {
		return x.OpenInput(arg)
	}
	r, err := x.get(ctx, u)
	if err != nil {
		return nil, err
	}
	return r.Body, nil
}

// resource reads the resource at a URL.
func (x *extractor) resource(ctx context.Context, u url.URL) error {
	r, err := x.get(ctx, u)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	in := x.input(u.Redacted(), r.Body, document.ByType(r.Type))
	if in.options.URL.IsZero() {
		in.options.URL = r.URL
	}
	return x.write(x.read(in, 1))
}

// get opens a URL. The caller closes its Body.
func (x *extractor) get(ctx context.Context, u url.URL) (*access.Resource, error) {
	engine := cli.Timed{Engine: x.engine, Timeout: x.options.Timeout}
	return engine.Do(ctx, &access.Request{URL: u, Login: x.Login()})
}
