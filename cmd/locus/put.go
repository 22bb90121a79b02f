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

// replaceNote says in help texts when a file is replaced.
const replaceNote = "Files (file, ftp) are replaced at once, when all bytes have arrived, and stay\n" +
	"unchanged after an error. Exceptions are ftp servers without RNTO, and http and\n" +
	"https, where the server decides."

// retryNote says in help texts what is retried.
const retryNote = "Failures that may pass are retried from the start. Stdin, posts to newsgroups, and\n" +
	"changes with a condition (--if-match, --no-clobber) are not retried."

func (p *process) putCommand() *cli.Command {
	return &cli.Command{
		Name:      "put",
		Usage:     "upload files to a URL",
		UsageText: "locus put [FLAG…] FILE… URL",
		Description: "Write FILE, or stdin for -, to URL. If URL ends in /, keep the name of each FILE\n" +
			"below it. An existing file is replaced.\n\n" +
			retryNote + "\n\n" + replaceNote + "\n\n" +
			"At the URL of a newsgroup FILE is posted. It is an article: lines such as From: and\n" +
			"Subject:, an empty line, and the text. Without a Newsgroups line it goes to the\n" +
			"group in URL. The URL of the new article, if known, is written to stdout.",
		Flags:    flags(changeFlags + accessFlags),
		Metadata: details("preserve no-clobber if-match json quiet timeout", "locus put article.txt nntp://example.org/misc.test", "locus put -p index.html about.html ftp://me@example.org/www/"),
		Action:   p.put,
	}
}

// changeFlags are the flags of put and cp.
const changeFlags = "preserve no-clobber if-match json " + uploadFlags + retryFlags

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

// A source is a file, or the body of a resource, that is uploaded.
type source struct {
	io.ReadCloser
	from string // the argument that named it
	name string // its file name; "": unknown
	size int64  // -1: unknown
	access.Validator

	file *os.File // nil: it is the body of a resource

	// again opens it again at its start; nil if it can be read only once.
	again func(context.Context) (io.ReadCloser, error)
}

// Close closes the reader that was opened last.
func (s *source) Close() error { return s.ReadCloser.Close() }

// source opens a file to upload, or stdin for "-".
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
		Usage:     "add files to the end of what a URL names",
		UsageText: "locus append [FLAG…] FILE… URL",
		Description: "Send FILE, or stdin for -, to be added to what URL names. http and https URLs get it\n" +
			"once, with POST, and the server decides what to do with it. A newsgroup is posted to,\n" +
			"as by locus put. The URL of what was added, if known, is written to stdout.",
		Flags:    flags("json ftp-chmod " + accessFlags),
		Metadata: details("json timeout proxy allow-port", "locus append today.log ftp://me@example.org/all.log"),
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
		Usage:       "delete what URLs name",
		UsageText:   "locus rm [FLAG…] URL…",
		Description: "A URL that ends in / names a folder, which must be empty.",
		Flags:       flags("if-match json " + accessFlags),
		Metadata:    details("if-match json timeout proxy allow-port", "locus rm ftp://me@example.org/www/old.html"),
		Action:      p.rm,
	}
}

func (p *process) rm(ctx context.Context, c *cli.Command) error {
	return p.changeEach(ctx, c, access.Delete)
}

func (p *process) mkdirCommand() *cli.Command {
	return &cli.Command{
		Name:        "mkdir",
		Usage:       "make folders",
		UsageText:   "locus mkdir [FLAG…] URL…",
		Description: "The folder above each new one must exist.",
		Flags:       flags("json " + accessFlags),
		Metadata:    details("json timeout proxy allow-port", "locus mkdir ftp://me@example.org/www/new/"),
		Action:      p.mkdir,
	}
}

func (p *process) mkdir(ctx context.Context, c *cli.Command) error {
	return p.changeEach(ctx, c, access.MakeDir)
}

// changeEach does op with every URL.
func (p *process) changeEach(ctx context.Context, c *cli.Command, op access.Op) error {
	o, err := p.opener(c)
	if err != nil {
		return err
	}
	report := p.changeReporter(c)
	return p.eachURL(ctx, c, func(ctx context.Context, u url.URL) error {
		req := &access.Request{Op: op, URL: u, Login: p.login()}
		if err := match(c, req); err != nil {
			return err
		}
		_, err := o.Do(ctx, req)
		return report(changed{Op: op.String(), URL: u.Redacted()}, err)
	})
}

// match adds the condition of --if-match to req.
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

// changed is a change in JSON.
type changed struct {
	Op     string  `json:"op"`
	From   any     `json:"from,omitempty"`
	URL    string  `json:"url"`
	Added  string  `json:"added,omitempty"`
	Octets *int64  `json:"octets,omitempty"`
	Error  *string `json:"error"`
}

// changeReporter returns a function that writes a change for --json, and returns its
// error.
func (p *process) changeReporter(c *cli.Command) func(changed, error) error {
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
