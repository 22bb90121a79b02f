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

// An input is a text that URLs are found in.
type input struct {
	io.Closer
	name    string // of the file, or the URL
	mode    document.Mode
	from    io.Reader
	at      io.ReaderAt // the same, for context; nil if there is none
	options document.Options
}

// read finds what is in an input. It makes pages of a size, as lines.Writer does.
func (x *extractor) read(in *input, size int) iter.Seq[*lines.Page] {
	if x.options.JSON && in.at == nil {
		kept := &extract.Recent{Reader: in.from}
		if in.mode != document.Text {
			kept.Most = 1 << 30 // a document is read whole first, up to a limit
		}
		in.from, in.at = kept, kept
	}
	return x.out.Pages(in.text(), in.mode.All(document.RefuseForeign(in.from), in.options), size)
}

// text returns what is said of the input beside its matches.
func (in *input) text() lines.Text { return lines.Text{Name: in.name, At: in.at, Explain: in.explain} }

// explain adds the name of the input to an error, unless the error says enough.
func (in *input) explain(m extract.Match, err error) error {
	_, isAccess := errors.AsType[*access.Error](err) // which names its URL
	switch {
	case errors.Is(err, extract.ErrTooLong):
		return fmt.Errorf("%s:%d:%d: %w of %d bytes, left out", in.name, m.Line, m.Column, err, m.Length)
	case isAccess, cli.IsOutput(err), limit.IsTimeout(err):
		return err
	}
	return fmt.Errorf("read %s: %w", in.name, err)
}

// flushing is stdin. It flushes stdout before it waits for more.
type flushing struct{ *cli.Env }

func (f flushing) Read(p []byte) (int, error) {
	if err := f.Out.Flush(); err != nil {
		return 0, err
	}
	return f.Stdin.Read(p)
}
