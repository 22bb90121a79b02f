package extract

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/lines"
	"locus/extract"
	"locus/extract/document"
	"locus/limit"
)

// An input is a text in which URLs are searched.
type input struct {
	io.Closer
	name    string // of the file, or the URL; for errors and the output
	mode    document.Mode
	from    io.Reader
	at      io.ReaderAt // reads the same text, for the context of a match; nil if unavailable
	options document.Options
}

// read yields the URLs in an input, as pages of size bytes: see lines.Writer. It does not close the
// input.
func (x *extractor) read(in *input, size int) iter.Seq[*lines.Page] {
	if x.options.JSON && in.at == nil {
		kept := &extract.Recent{Reader: in.from}
		if in.mode != document.Text {
			kept.Most = 1 << 30 // a document is read whole first, up to this limit
		}
		in.from, in.at = kept, kept
	}
	return x.out.Pages(in.text(), x.matches(in), size)
}

// matches yields the matches in an input. Texts share Scanners, because a folder may have many short texts.
func (x *extractor) matches(in *input) iter.Seq2[extract.Match, error] {
	r := document.RefuseForeign(in.from)
	if in.mode != document.Text {
		return in.mode.All(r, in.options)
	}
	return func(yield func(extract.Match, error) bool) {
		s, ok := x.scanners.Get().(*extract.Scanner)
		if !ok {
			s = extract.NewScanner(nil, x.reading.Find)
		}
		defer x.scanners.Put(s)
		s.All(r)(yield)
	}
}

// text returns the input as a lines.Text, for the pages with its matches.
func (in *input) text() lines.Text { return lines.Text{Name: in.name, At: in.at, Explain: in.explain} }

// explain adds the name of the input to err, the error at the match m, unless the error already
// names the input.
func (in *input) explain(m extract.Match, err error) error {
	_, isAccess := errors.AsType[*access.Error](err) // it names its URL
	switch {
	case errors.Is(err, document.ErrLongBase):
		return fmt.Errorf("%s:%d:%d: %w: they are left out", in.name, m.Line, m.Column, err)
	case errors.Is(err, extract.ErrTooLong):
		return fmt.Errorf("%s:%d:%d: %w of %d bytes, left out", in.name, m.Line, m.Column, err, m.Length)
	case isAccess, cli.IsOutput(err), limit.IsTimeout(err):
		return err
	}
	return fmt.Errorf("read %s: %w", in.name, err)
}

// A flushing is stdin that flushes stdout before it waits for more.
type flushing struct{ *cli.Env }

// Read reads stdin. It flushes stdout before it waits, because a program at the other end of two
// pipes may wait for the output.
func (f flushing) Read(p []byte) (int, error) {
	if err := f.Out.Flush(); err != nil {
		return 0, err
	}
	return f.Stdin.Read(p)
}
