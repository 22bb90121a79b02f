package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/render"
	"locus/url"
)

// atOnce says in help texts what becomes of what is replaced.
const atOnce = "What file and ftp URLs name is replaced at once, when all octets are there, and\n" +
	"stays as it was after an error (an ftp server without RNTO excepted); with http and\n" +
	"https that is up to the server."

// againNote says in help texts what is tried again.
const againNote = "What fails and may pass is tried again from its start, but for what comes from\n" +
	"stdin, has a condition (--if-match, --no-clobber), or goes to a newsgroup."

func (p *process) putCommand() *cli.Command {
	return &cli.Command{
		Name:      "put",
		Usage:     "let a URL name the content of a file",
		UsageText: "locus put [-p] [--no-clobber] [--if-match ETAG] [--json] [--timeout D] [--allow-port N…] FILE… URL",
		Description: "FILE, or stdin if it is -, replaces what the URL names, or makes it. A URL that\n" +
			"ends in / is a directory that FILE is put into, under its own name.\n\n" +
			againNote + "\n\n" +
			atOnce + "\n\n" +
			"To a newsgroup FILE is posted: it is an article, with lines such as From: and\n" +
			"Subject:, an empty line, and the text. Without a Newsgroups line it goes to the\n" +
			"group that the URL names. The URL of the article is written to stdout, if it is\n" +
			"known.",
		Flags:    openFlags(changeFlags()...),
		Metadata: example("locus put article.txt nntp://example.org/misc.test", "locus put -p index.html about.html ftp://me@example.org/www/"),
		Action:   p.put,
	}
}

// changeFlags are the flags of put and cp.
func changeFlags() []cli.Flag {
	return append(againFlags(),
		&cli.BoolFlag{Name: "p", Usage: "keep the time of the last change, where the protocol can"},
		&cli.BoolFlag{Name: "no-clobber", Usage: "replace nothing that is there"},
		ifMatchFlag(), jsonFlag(),
	)
}

func ifMatchFlag() cli.Flag {
	return &cli.StringFlag{Name: "if-match", Usage: "change just the version with this `ETAG` (http, https, file)"}
}

func (p *process) put(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 2, -1)
	if err != nil {
		return err
	}
	w, err := p.writer(c, args)
	if err != nil {
		return err
	}
	return p.eachArgument(ctx, c, args[:len(args)-1], func(ctx context.Context, name string) error {
		s, err := p.source(name)
		if err != nil {
			return w.unread("put", name, err)
		}
		defer s.Close()
		if isNews(w.to) {
			return w.append(ctx, s, w.to)
		}
		to, err := w.target(s.name)
		if err != nil {
			return err
		}
		return w.store(ctx, s, to)
	})
}

func isNews(u url.URL) bool {
	switch u.Scheme() {
	case "news", "snews", "nntp", "nntps":
		return true
	}
	return false
}

// A source is what is to be sent.
type source struct {
	io.ReadCloser
	from string // as it was named
	name string // of a file with it; "" if none is known
	size int64  // -1 if it is not known
	access.Validator

	file *os.File // nil if it comes from elsewhere

	// again opens it again, to be read from its start; nil if it comes once.
	again func(context.Context) (io.ReadCloser, error)
}

// Close closes what was opened last.
func (s *source) Close() error { return s.ReadCloser.Close() }

// source opens a file to be sent, or stdin for "-".
func (p *process) source(name string) (*source, error) {
	if name == "-" {
		return &source{ReadCloser: io.NopCloser(p.stdin), from: "-", file: p.stdin, size: -1}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%q is a directory", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	var again func(context.Context) (io.ReadCloser, error)
	if info.Mode().IsRegular() {
		again = func(context.Context) (io.ReadCloser, error) {
			_, err := f.Seek(0, io.SeekStart)
			return f, err
		}
	}
	return &source{
		ReadCloser: f, from: name, name: info.Name(), size: info.Size(),
		Validator: access.Validator{ModTime: info.ModTime()}, file: f, again: again,
	}, nil
}

func (p *process) appendCommand() *cli.Command {
	return &cli.Command{
		Name:      "append",
		Usage:     "add a file to what a URL names",
		UsageText: "locus append [--json] [--timeout D] [--allow-port N…] FILE… URL",
		Description: "The octets of FILE, or of stdin if it is -, come after those that are there. An\n" +
			"http or https URL is sent them with POST, once: what it does with them is up to the\n" +
			"server. A newsgroup is posted to, as locus put does. The URL of what was added is\n" +
			"written to stdout, if it is known.",
		Flags:    openFlags(jsonFlag()),
		Metadata: example("locus append today.log ftp://me@example.org/all.log"),
		Action:   p.append,
	}
}

func (p *process) append(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 2, -1)
	if err != nil {
		return err
	}
	w, err := p.writer(c, args)
	if err != nil {
		return err
	}
	return p.eachArgument(ctx, c, args[:len(args)-1], func(ctx context.Context, name string) error {
		s, err := p.source(name)
		if err != nil {
			return w.unread("append", name, err)
		}
		defer s.Close()
		return w.append(ctx, s, w.to)
	})
}

func (p *process) rmCommand() *cli.Command {
	return &cli.Command{
		Name:        "rm",
		Usage:       "remove what URLs name",
		UsageText:   "locus rm [--if-match ETAG] [--json] [--timeout D] [--allow-port N…] URL…",
		Description: "A URL that ends in / is a directory, which has to be empty.",
		Flags:       openFlags(ifMatchFlag(), jsonFlag()),
		Metadata:    example("locus rm ftp://me@example.org/www/old.html"),
		Action:      p.rm,
	}
}

func (p *process) rm(ctx context.Context, c *cli.Command) error {
	return p.changeEach(ctx, c, access.Delete)
}

func (p *process) mkdirCommand() *cli.Command {
	return &cli.Command{
		Name:        "mkdir",
		Usage:       "make directories",
		UsageText:   "locus mkdir [--json] [--timeout D] [--allow-port N…] URL…",
		Description: "The directory that it is to be in has to be there.",
		Flags:       openFlags(jsonFlag()),
		Metadata:    example("locus mkdir ftp://me@example.org/www/new/"),
		Action: func(ctx context.Context, c *cli.Command) error {
			return p.changeEach(ctx, c, access.MakeDir)
		},
	}
}

// changeEach does op with every URL.
func (p *process) changeEach(ctx context.Context, c *cli.Command, op access.Op) error {
	o, err := p.opener(c)
	if err != nil {
		return err
	}
	tell := p.teller(c)
	return p.eachURL(ctx, c, func(ctx context.Context, u url.URL) error {
		req := &access.Request{Op: op, URL: u, Login: p.login()}
		if err := match(c, req); err != nil {
			return err
		}
		_, err := o.Do(ctx, req)
		return tell(changed{Op: op.String(), URL: u.Redacted()}, err)
	})
}

// match adds to req what --if-match asks for.
func match(c *cli.Command, req *access.Request) error {
	if !c.IsSet("if-match") {
		return nil
	}
	switch req.URL.Scheme() {
	case "http", "https", "file":
		req.IfMatch.ETag = c.String("if-match")
		return nil
	}
	return misuse("--if-match wants http, https and file URLs: others have no entity tags")
}

// changed is what --json says about a change.
type changed struct {
	Op     string  `json:"op"`
	From   any     `json:"from,omitempty"`
	URL    string  `json:"url"`
	Added  string  `json:"added,omitempty"`
	Octets *int64  `json:"octets,omitempty"`
	Error  *string `json:"error"`
}

// teller returns what tells --json about a change, and returns its error.
func (p *process) teller(c *cli.Command) func(changed, error) error {
	if !c.Bool("json") {
		return func(_ changed, err error) error { return err }
	}
	enc := render.NewEncoder(p.out)
	return func(done changed, err error) error {
		if err != nil {
			text := err.Error()
			done.Error = &text
		}
		return errors.Join(err, enc.Encode(done))
	}
}
