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
		Name:      "get",
		Usage:     "fetch URLs to stdout or into files",
		UsageText: "locus get [FLAG…] URL…",
		Description: "Write what each URL names to stdout, or with -o, -O or --output-dir into files. A\n" +
			"file gets its name when it is complete. --continue resumes what an earlier run left.\n" +
			"-r copies everything below each URL into a folder.\n\n" +
			"On a terminal, listings are shown as a table, control characters are removed from\n" +
			"text, and binary data is refused. Pipes and files, and --raw, get the bytes unchanged.\n\n" +
			"A file is written as FILE.part. After an error, FILE.part and FILE.part.json stay if\n" +
			"--continue can use them. It checks that the remote file is still the same, and starts\n" +
			"again if not. -O takes the name from the end of the URL, and refuses a name that\n" +
			"starts with a dot.\n\n" +
			"Timeouts, broken connections, 421 and other 4yz replies of FTP, and the HTTP statuses\n" +
			"408, 425, 429, 502, 503 and 504 are retried.\n\n" +
			"A URL may stand for several: http://h/[1-100].txt, [001-100], [a-z], [0-9:3],\n" +
			"{one,two}. Otherwise brackets belong only around an IPv6 address, and braces nowhere.\n" +
			"--globoff takes all of them literally.\n\n" +
			"A form asks its questions on the terminal, except those that --answer answers. The\n" +
			"answer to a question for a file is @FILE. Anonymous FTP servers get the address in\n" +
			"$EMAIL as password, or \"anonymous@\".\n\n" +
			"The exit status is 1 if any URL failed. With --json each event is an object on\n" +
			"stdout, and \"exit\" in the last event of a file is 0 or 1.",
		Flags: flags("output remote-name output-dir continue recursive " + fileFlags + treeFlags +
			"sha256 checksum-file input globoff raw offset max-size search answer " + accessFlags),
		Metadata: details("output remote-name output-dir continue recursive timeout quiet",
			"locus get file:///etc/hosts", "locus get -O --max-size 1000000 https://example.org/index.html",
			"locus get --continue -O --retries 20 'https://example.org/disc[1-3].iso'"),
		Action: p.get,
	}
}

// A getter fetches URLs as the flags of get ask.
type getter struct {
	*process
	opener   *locus.Client
	retrying access.Engine // opener, with limits and retries
	file     string        // "": stdout
	toName   bool          // --remote-name
	raw      bool
	offset   int64
	maxSize  int64 // -1: no limit
	search   url.Part
	answers  []namedAnswer
}

func (p *process) get(ctx context.Context, c *cli.Command) error {
	g, err := p.getter(c)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("recursive"):
		return p.getTrees(ctx, c)
	case g.intoFiles():
		return g.getFiles(ctx, c)
	}
	return p.eachGiven(ctx, c, c.Duration("timeout"), g.get)
}

func (p *process) getter(c *cli.Command) (*getter, error) {
	g := &getter{process: p, file: c.String("output"), toName: c.Bool("remote-name"), raw: c.Bool("raw"), maxSize: -1}
	switch {
	case g.toName && c.IsSet("output"):
		return nil, misuse("-o and -O exclude each other")
	case c.IsSet("output") && g.file == "":
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
		return nil, fmt.Errorf("%s: it has no questions for --answer", u.Redacted())
	}
	return r, err
}

// checkSize returns an error if the resource is known to be larger than allowed.
func (g *getter) checkSize(r *access.Resource) error {
	if g.maxSize >= 0 && r.Size-g.offset > g.maxSize {
		return g.tooLarge(r)
	}
	return nil
}

func (g *getter) tooLarge(r *access.Resource) error {
	return fmt.Errorf("%s has more than %d bytes", r.URL.Redacted(), g.maxSize)
}

// copy writes the bytes of r from the offset on. It fails above maxSize.
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

// limited is a Reader that fails after a number of bytes.
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

// body returns the bytes of r from the offset on. It skips bytes if the engine did not
// start there.
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

// show writes r to a terminal.
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
