package main

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/extract"
	"locus/extract/document"
	"locus/render"
	"locus/url"
)

func (p *process) extractCommand() *cli.Command {
	return &cli.Command{
		Name:      "extract",
		Usage:     "find the URLs in files, folders, pages and pipes",
		UsageText: "locus extract [FLAG…] [FILE|DIR|URL|-]…",
		Description: "Write one URL a line. URLs are absolute where the base is known. Without an argument,\n" +
			"read stdin. In folders, skip binary files and what Git ignores. The exit status is 0\n" +
			"if everything was read, even if nothing was found.\n\n" +
			"HTML, Markdown, XML, feeds and sitemaps, JSON, reStructuredText, manual pages, gopher\n" +
			"menus, mail and CSS are recognized by file name or media type. --as sets the kind for\n" +
			"all input. Everything else is plain text of any length.\n\n" +
			"--unique keeps 16 bytes for each different URL. A URL that was broken after a hyphen\n" +
			"is written with the hyphen; --json has all readings.",
		Flags: flags("unique count bare addresses unknown base as " + walkFlags + "scheme host json jobs min-rate " + accessFlags),
		Metadata: withCommon(kinds(documentKinds, "locus extract README.md", "locus extract --unique --scheme ftp --scheme gopher .",
			"echo 'see <URL:ftp://ftp.example.org/pub>' | locus extract --json"), "unique count scheme include exclude json"),
		Action: p.extract,
	}
}

// documentKinds are the values of --as of extract.
var documentKinds = []string{"text", "html", "markdown", "xml", "json", "rst", "man", "gopher", "mail", "css"}

// An extractor extracts as the flags ask.
type extractor struct {
	*process
	options document.Options
	mode    document.Mode
	forced  bool // mode is set by --as
	walk    walk
	workers int
	opener  access.Engine
	timeout time.Duration // of each URL; 0: none

	schemes, hosts []string
	seen           map[[2]uint64]struct{} // nil without --unique
	seeds          [2]maphash.Seed
	json           *render.Encoder // nil for text
	counting       bool
	count          int
}

func (p *process) extract(ctx context.Context, c *cli.Command) error {
	x, err := p.extractor(c)
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		// Most garbage of plain text is short-lived. More collections cost a few
		// percent of the time, and save some MiB.
		defer debug.SetGCPercent(debug.SetGCPercent(25))
	}
	args := c.Args().Slice()
	if len(args) == 0 {
		args = []string{"-"}
	}
	err = p.each(ctx, args, func(arg string) error { return x.argument(ctx, arg) })
	if x.counting && !isBrokenPipe(err) {
		if lineErr := p.line(strconv.Itoa(x.count)); err == nil {
			err = lineErr
		}
	}
	return err
}

func (p *process) extractor(c *cli.Command) (*extractor, error) {
	x := &extractor{process: p, counting: c.Bool("count"), hosts: c.StringSlice("host")}
	x.options.Find = extract.Options{Bare: c.Bool("bare"), Mail: c.Bool("addresses"), Unknown: c.Bool("unknown")}
	var err error
	if x.schemes, err = schemesOf(c); err != nil {
		return nil, err
	}
	for _, name := range x.hosts {
		if name == "" || strings.ContainsAny(name, "/@, ") || strings.Count(name, ":") == 1 {
			return nil, misuse("--host wants a host, such as example.org, not %q", name)
		}
	}
	if c.IsSet("base") {
		if x.options.URL, err = url.Parse(c.String("base")); err != nil {
			return nil, explain(err)
		}
		if !x.options.URL.IsAbs() {
			return nil, misuse("--base wants a URL with a scheme, not %q", c.String("base"))
		}
		x.options.Find.Base = x.options.URL
	}
	if x.forced = c.IsSet("as"); x.forced {
		var ok bool
		if x.mode, ok = document.ByString(c.String("as")); !ok {
			return nil, misuse("--as wants one of %s, not %q", strings.Join(valuesOf(c, "as"), ", "), c.String("as"))
		}
	}
	if x.workers, err = countOf(c, "jobs", runtime.GOMAXPROCS(0)); err != nil {
		return nil, err
	}
	if x.walk, err = newWalk(c); err != nil {
		return nil, err
	}
	if x.counting && c.Bool("json") {
		return nil, misuse("--count and --json exclude each other")
	}
	if c.Bool("json") {
		x.json = render.NewEncoder(p.out)
	}
	if c.Bool("unique") {
		x.seen, x.seeds = map[[2]uint64]struct{}{}, [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	x.timeout = c.Duration("timeout")
	x.opener, err = p.opener(c)
	return x, err
}

// argument reads an argument: stdin, a file, a folder or a URL.
func (x *extractor) argument(ctx context.Context, arg string) error {
	if arg == "-" {
		return x.write(x.read(&input{name: "-", mode: x.mode, from: flushing{x.process}, options: x.options}))
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) {
		if u, parseErr := url.Parse(arg); parseErr == nil && u.IsAbs() {
			return x.resource(ctx, u)
		}
	}
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return x.write(x.folder(arg))
	}
	return x.write(x.file(arg, false, x.workers))
}

// resource reads the resource at a URL.
func (x *extractor) resource(ctx context.Context, u url.URL) error {
	ctx, cancel := deadline(ctx, x.timeout)
	defer cancel()
	late := func(err error) error {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &timeoutError{u, x.timeout, err}
		}
		return err
	}
	r, err := x.opener.Do(ctx, &access.Request{URL: u, Login: x.login()})
	if err != nil {
		return late(err)
	}
	defer r.Body.Close()
	in := &input{name: u.Redacted(), mode: x.mode, from: explained{r.Body, late}, options: x.options}
	if !x.forced {
		in.mode = document.ByType(r.Type)
	}
	if in.options.URL.String() == "" {
		in.options.URL = r.URL
	}
	return x.write(x.read(in))
}

// An explained Reader passes its errors through explain.
type explained struct {
	io.Reader
	explain func(error) error
}

func (e explained) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // an early end wraps it
		err = e.explain(err)
	}
	return n, err
}

// A hit is a match with its output.
type hit struct {
	url  url.URL
	text string // the URL, or the invalid text
	json *matchJSON
	err  error // of the match, or of the text from here on
}

// matchJSON is a match in JSON.
type matchJSON struct {
	URL      any      `json:"url"` // null if it is invalid
	Text     any      `json:"text"`
	Kind     string   `json:"kind"`
	File     any      `json:"file"`
	Offset   int64    `json:"offset"`
	Length   int      `json:"length"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Base     string   `json:"base,omitempty"`
	Place    string   `json:"place,omitempty"`
	Readings []string `json:"readings,omitempty"`
	Context  any      `json:"context,omitempty"`
}

// write writes the hits that pass the filters.
func (x *extractor) write(hits iter.Seq[hit]) error {
	failed := false
	for h := range hits {
		if h.err != nil {
			failed = true
			x.report(h.err)
			continue
		}
		if err := x.one(h); err != nil {
			return err
		}
	}
	if failed {
		return errReported
	}
	return nil
}

func (x *extractor) one(h hit) error {
	if !x.wanted(h) {
		return nil
	}
	x.count++
	switch {
	case x.counting:
		return nil
	case x.json != nil:
		return x.json.Encode(h.json)
	}
	_, err := x.out.WriteString(h.text)
	if err == nil {
		err = x.out.WriteByte('\n')
	}
	return err
}

// wanted reports whether a hit passes the filters, and is new if --unique is given.
func (x *extractor) wanted(h hit) bool {
	if len(x.schemes) > 0 && !slices.ContainsFunc(x.schemes, func(s string) bool { return strings.EqualFold(s, h.url.Scheme()) }) {
		return false
	}
	if len(x.hosts) > 0 && !slices.ContainsFunc(x.hosts, func(other string) bool { return isBelow(hostOf(h.url), other) }) {
		return false
	}
	if x.seen == nil {
		return true
	}
	key := [2]uint64{maphash.String(x.seeds[0], h.text), maphash.String(x.seeds[1], h.text)}
	_, known := x.seen[key]
	x.seen[key] = struct{}{}
	return !known
}

// isBelow reports whether a host is other, or a subdomain of it.
func isBelow(host, other string) bool {
	host, other = strings.ToLower(host), strings.ToLower(strings.TrimPrefix(other, "."))
	return host == other || strings.HasSuffix(host, "."+other)
}
