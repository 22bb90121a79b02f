package extract

import (
	"io"
	"iter"

	"locus/cmd/locus/internal/cli"
	"locus/extract"
	"locus/extract/document"
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

// read finds what is in an input. It makes pages of a size as x.pages does.
func (x *extractor) read(in *input, size int) iter.Seq[*page] {
	if x.options.JSON && in.at == nil {
		kept := &extract.Recent{Reader: in.from, Most: 320 << 10} // a Scanner's window, and the text before it
		if in.mode != document.Text {
			kept.Most = 1 << 30 // a document is read whole first, up to a limit
		}
		in.from, in.at = kept, kept
	}
	return x.pages(in, in.mode.All(document.RefuseForeign(in.from), in.options), size)
}

// flushing is stdin. It flushes stdout before it waits for more.
type flushing struct{ *cli.Env }

func (f flushing) Read(p []byte) (int, error) {
	if err := f.Out.Flush(); err != nil {
		return 0, err
	}
	return f.Stdin.Read(p)
}
