package get

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/internal/render"
	"locus/scheme"
	"locus/transfer"
	"locus/url"
)

// get writes the resource at u to stdout or, if the flags or an answer to a form name a file, to that file. getFiles
// fetches files that must be whole.
func (g *getter) get(ctx context.Context, u url.URL) error {
	name := g.file
	if g.hasRemoteNames() {
		base, err := transfer.FileName(u)
		if err != nil {
			return err
		}
		name = filepath.Join(g.OutputDir, base)
		if err := os.MkdirAll(filepath.Dir(g.Path(name)), 0o777); err != nil {
			return err
		}
	}
	r, saveAs, err := g.open(ctx, u)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if name == "" && !g.Given["output"] {
		name = saveAs
	}
	if g.MaxSize != nil && r.Size-g.Offset > *g.MaxSize {
		return g.tooLarge(r)
	}
	write := g.writeBody
	if g.MARCXML {
		write = g.writeMARCXML
	}
	switch {
	case name != "":
		return g.SaveAs(name, func(w io.Writer) error {
			w, done := g.Progress(w, r.Size-g.Offset)
			defer done()
			return write(w, r)
		})
	case g.MARCXML:
		return write(g.Out, r)
	case g.Raw || !cli.IsTerminal(g.Stdout):
		return g.writeBody(g.Out, r)
	}
	return g.show(r)
}

// open opens u, or the result of a search or of a form at u, and tells the user the login that a session suggests.
// saveAs is the file that an answer to the form names for the result, or "". If there are answers and u is not a form,
// it returns an error.
func (g *getter) open(ctx context.Context, u url.URL) (r *access.Resource, saveAs string, err error) {
	if g.Search != nil {
		result, ok := scheme.SearchURL(u, *g.Search)
		if !ok {
			return nil, "", fmt.Errorf("%s: --search works only for URLs that can be searched, not for %q", u.Redacted(), *g.Search)
		}
		u = result
	}
	req := &access.Request{URL: u, Offset: g.Offset, Login: g.Login()}
	r, err = g.retrying.Do(ctx, req)
	switch {
	case errors.Is(err, access.ErrForm):
		return g.fillIn(ctx, req)
	case err == nil && len(g.answers) > 0:
		r.Body.Close()
		return nil, "", fmt.Errorf("%s: it is not a form, so --answer has no effect", u.Redacted())
	case err == nil:
		if advice := g.LoginAdvice(r); advice != "" {
			g.Say(advice)
		}
	}
	return r, "", err
}

// tooLarge returns the error for a resource of more than --max-size bytes.
func (g *getter) tooLarge(r *access.Resource) error {
	return fmt.Errorf("%s has more than %d bytes", r.URL.Redacted(), *g.MaxSize)
}

// writeBody writes the body of r to w, from g.Offset on. It returns access.ErrRange if the body ends before g.Offset.
// If more than MaxSize bytes come, it writes MaxSize bytes and returns an error. A session ends without an error when
// its server has been silent for --idle after some text, because get does not type.
func (g *getter) writeBody(w io.Writer, r *access.Resource) error {
	// The engine may have started before the offset.
	if skip := g.Offset - r.Offset; skip > 0 {
		if n, err := io.CopyN(io.Discard, r.Body, skip); access.IsEnd(err) && n < skip {
			return &access.Error{Op: "read", URL: r.URL, Err: access.ErrRange}
		} else if err != nil {
			return err
		}
	}
	var body io.Reader = r.Body
	if g.MaxSize != nil {
		body = &limited{body, *g.MaxSize, g.tooLarge(r)}
	}
	n, err := io.Copy(w, body)
	if r.Session != nil && n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// A limited is a Reader that returns an error if there are more bytes than a limit.
type limited struct {
	r        io.Reader
	left     int64 // the number of bytes that may still come
	tooLarge error // the error if more bytes come
}

// Read returns at most l.left bytes in all. If more bytes follow, it returns the error tooLarge.
func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	if int64(n) > l.left {
		return int(l.left), l.tooLarge
	}
	l.left -= int64(n)
	return n, err
}

// show writes r to a terminal: a listing and catalogue records as lines of text, and other resources if they are
// text.
func (g *getter) show(r *access.Resource) error {
	if l := r.List; l != nil && g.Offset == 0 && g.MaxSize == nil {
		return access.Entries(l, g.Entries())
	}
	isMARC, err := g.hasRecords(r)
	if err != nil {
		return err
	}
	if isMARC {
		return g.showRecords(r)
	}
	w := &textOnly{W: g.Text.Writer(render.CleanWriter(g.Out), r.Type), Out: g.Out, URL: r.URL}
	if err := g.writeBody(w, r); err != nil {
		return err
	}
	return w.W.Close()
}

// A textOnly writes text to a terminal without delay, and refuses binary data.
type textOnly struct {
	W   io.WriteCloser
	Out *bufio.Writer // the Writer below W
	URL url.URL
}

// Write writes b to W and flushes Out. If b has a NUL byte, which shows that the data is binary, it returns an error
// instead.
func (t *textOnly) Write(b []byte) (int, error) {
	if bytes.IndexByte(b, 0) >= 0 {
		return 0, &cli.Hinted{
			Err:  fmt.Errorf("%s is binary, and was not written to the terminal", t.URL.Redacted()),
			Hint: "-o FILE saves it, --raw shows it anyway",
		}
	}
	n, err := t.W.Write(b)
	if err != nil {
		return n, err
	}
	return n, t.Out.Flush()
}
