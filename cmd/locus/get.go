package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

func (p *process) getCommand() *cli.Command {
	return &cli.Command{
		Name:  "get",
		Usage: "open URLs and write what they name",
		UsageText: "locus get [-o FILE|-O|--output-dir DIR|-r] [--continue] [--sha256 HEX|--checksum-file FILE] [--raw] [--offset N] [--max-size SIZE] " +
			"[--search WORDS] [--answer NAME=VALUE…] [--input FILE] [--timeout D] [--allow-port N…] [FLAG…] URL…",
		Description: "On a terminal, listings are shown readable, text without what could steer the\n" +
			"terminal, and binary data not at all. Through a pipe, into a file and with --raw\n" +
			"come the octets of the wire.\n\n" +
			"A file is written as FILE.part, and gets its name when it is complete and verified,\n" +
			"over a file that is already there. After an error there is none; if what came can\n" +
			"be gone on with, FILE.part and FILE.part.json stay for --continue. That proves that\n" +
			"the remote file is still the same, and otherwise begins again.\n" +
			"-O takes the name from the end of the URL: decoded if that is a plain file name,\n" +
			"else as written; a name that starts with a dot is refused.\n\n" +
			"What fails and may pass is tried again: time-outs, broken connections, 421 and\n" +
			"other 4yz of FTP, and 408, 425, 429, 502, 503 and 504 of HTTP. It is said on stderr,\n" +
			"unless -q.\n\n" +
			"A URL may stand for several: http://h/[1-100].txt, [001-100], [a-z], [0-9:3],\n" +
			"{one,two}. Brackets and braces are no octets of a URL but around an IPv6 address;\n" +
			"--globoff takes them as they are.\n\n" +
			"-r fetches all that is below each URL into a folder named as the URL ends, as\n" +
			"locus help mirror says.\n\n" +
			"The exit status is 1 if any of the URLs failed. With --json each event is an object\n" +
			"on stdout, and \"exit\" in the last one of a file is 0 or 1.\n\n" +
			"A form asks its questions on the terminal, but for those that --answer answers.\n" +
			"The answer to a question for a file is @FILE.\n\n" +
			"Servers of anonymous FTP are given the e-mail address in EMAIL for a password;\n" +
			"without one, \"anonymous@\".",
		Flags: openFlags(append(getFlags(),
			&cli.StringFlag{Name: "o", Usage: "write into `FILE`; - is stdout"},
			&cli.BoolFlag{Name: "O", Usage: "write into a file named as the URL ends"},
			&cli.BoolFlag{Name: "raw", Usage: "write the octets as they are, on a terminal too"},
			&cli.StringFlag{Name: "offset", Usage: "start at octet `N`"},
			&cli.StringFlag{Name: "max-size", Usage: "fail if there are more than `SIZE` octets, such as 500K or 2G"},
			&cli.StringFlag{Name: "search", Usage: "search for these `WORDS` in what the URL names"},
			&cli.StringSliceFlag{Name: "answer", Usage: "answer a question of a form with `NAME=VALUE`; repeatable"},
		)...),
		Metadata: example("locus get file:///etc/hosts", "locus get -O --max-size 1000000 https://example.org/index.html",
			"locus get --continue -O --retries 20 'https://example.org/disc[1-3].iso'"),
		Action: p.get,
	}
}

// A getter does what the flags of get ask for.
type getter struct {
	*process
	opener   *locus.Client
	retrying access.Engine // opener, with limits and tries
	file     string        // "" is stdout
	toName   bool          // into a file named as the URL ends
	raw      bool
	offset   int64
	maxSize  int64 // -1 for any
	search   url.Part
	answers  []namedAnswer
}

func (p *process) get(ctx context.Context, c *cli.Command) error {
	g, err := p.getter(c)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("r"):
		return p.getTrees(ctx, c)
	case g.intoFiles():
		return g.getFiles(ctx, c)
	}
	return p.eachGiven(ctx, c, g.get)
}

func (p *process) getter(c *cli.Command) (*getter, error) {
	g := &getter{process: p, file: c.String("o"), toName: c.Bool("O"), raw: c.Bool("raw"), maxSize: -1}
	switch {
	case g.toName && c.IsSet("o"):
		return nil, misuse("-o and -O exclude each other")
	case c.IsSet("o") && g.file == "":
		return nil, misuse("-o wants the name of a file")
	case g.file == "-":
		g.file = ""
	case g.file != "" && (c.NArg() > 1 || c.IsSet("input")):
		return nil, &usageError{text: "-o FILE takes one URL", hint: "-O names a file for each"}
	}
	if err := checkGet(c, g); err != nil {
		return nil, err
	}
	g.toName = g.toName || c.IsSet("output-dir")
	var err error
	if c.IsSet("offset") {
		if g.offset, err = parseNumber("offset", c.String("offset"), 0, math.MaxInt64); err != nil {
			return nil, err
		}
	}
	if text := c.String("max-size"); text == "0" {
		g.maxSize = 0
	} else if text != "" {
		if g.maxSize, err = parseSize("max-size", text); err != nil {
			return nil, err
		}
	}
	if c.IsSet("search") {
		g.search = url.Some(c.String("search"))
	}
	if g.answers, err = parseAnswers(c.StringSlice("answer")); err != nil {
		return nil, err
	}
	if g.opener, err = p.opener(c); err != nil {
		return nil, err
	}
	g.retrying, err = retrying(c, g.opener, p.note)
	return g, err
}

func (g *getter) get(ctx context.Context, u url.URL) error {
	name := g.file
	if g.toName {
		var err error
		if name, err = fileName(u); err != nil {
			return err
		}
	}
	r, err := g.open(ctx, u)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if err := g.checkSize(r); err != nil {
		return err
	}
	switch {
	case name != "":
		return saveAs(name, func(w io.Writer) error {
			w, done := g.progress(w, r.Size-g.offset)
			defer done()
			return g.copy(w, r)
		})
	case g.raw || !isTerminal(g.stdout):
		return g.copy(g.out, r)
	}
	return g.show(r)
}

func (g *getter) open(ctx context.Context, u url.URL) (*access.Resource, error) {
	if g.search.Present {
		result, ok := scheme.SearchURL(u, g.search.Text)
		if !ok {
			return nil, fmt.Errorf("%s: it cannot be searched for %q", u.Redacted(), g.search.Text)
		}
		u = result
	}
	req := &access.Request{URL: u, Offset: g.offset, Login: g.login()}
	r, err := g.retrying.Do(ctx, req)
	switch {
	case errors.Is(err, access.ErrForm):
		return g.fillIn(ctx, req)
	case err == nil && len(g.answers) > 0:
		r.Body.Close()
		return nil, fmt.Errorf("%s: it asks no questions that --answer could answer", u.Redacted())
	}
	return r, err
}

// checkSize fails before anything is written if the resource says that it is
// larger than allowed.
func (g *getter) checkSize(r *access.Resource) error {
	if g.maxSize >= 0 && r.Size-g.offset > g.maxSize {
		return g.tooLarge(r)
	}
	return nil
}

func (g *getter) tooLarge(r *access.Resource) error {
	return fmt.Errorf("%s has more than %d bytes", r.URL.Redacted(), g.maxSize)
}

// copy writes the octets of r from the offset on, and no more than allowed.
func (g *getter) copy(w io.Writer, r *access.Resource) error {
	body, err := g.body(r)
	if err != nil {
		return err
	}
	if g.maxSize >= 0 {
		body = &limited{body, g.maxSize, g.tooLarge(r)}
	}
	_, err = io.Copy(w, body)
	return err
}

// limited is a Reader that fails where another gives more than so many octets.
type limited struct {
	r        io.Reader
	left     int64
	tooLarge error
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	if int64(n) > l.left {
		return int(l.left), l.tooLarge
	}
	l.left -= int64(n)
	return n, err
}

// body returns the octets of r from the offset on, whether or not the engine
// could start there.
func (g *getter) body(r *access.Resource) (io.Reader, error) {
	if skip := g.offset - r.Offset; skip > 0 {
		if n, err := io.CopyN(io.Discard, r.Body, skip); errors.Is(err, io.EOF) && n < skip {
			return nil, &access.Error{Op: "read", URL: r.URL, Err: access.ErrRange}
		} else if err != nil {
			return nil, err
		}
	}
	return r.Body, nil
}

// show writes r for somebody at a terminal.
func (g *getter) show(r *access.Resource) error {
	if l := r.List; l != nil && g.offset == 0 && g.maxSize < 0 {
		return access.Entries(l, g.flushed(render.Text(g.out)))
	}
	w := &textOnly{w: render.CleanWriter(g.out), out: g.out, url: r.URL}
	if err := g.copy(w, r); err != nil {
		return err
	}
	return w.w.Close()
}
