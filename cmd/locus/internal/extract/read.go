package extract

import (
	"io"
	"iter"
	"strings"

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
		kept := &recent{r: in.from, most: 320 << 10} // a Scanner's window, and the text before it
		if in.mode != document.Text {
			kept.most = 1 << 30 // a document is read whole first, up to a limit
		}
		in.from, in.at = kept, kept
	}
	return x.pages(in, in.mode.All(&watched{Reader: in.from}, in.options), size)
}

// contextOf returns the line that a match is in, or the text around it if the line is
// long; nil if it cannot be read any more.
func contextOf(at io.ReaderAt, m extract.Match) any {
	const near = 80
	from := max(m.Offset-near, 0)
	before := int(m.Offset - from)
	buf := make([]byte, before+min(m.Length, 2048)+near)
	n, _ := at.ReadAt(buf, from)
	end := before + min(m.Length, 2048)
	if n < end {
		return nil
	}
	text := string(buf[:n])
	if i := strings.LastIndexByte(text[:before], '\n'); i >= 0 {
		text, end = text[i+1:], end-i-1
	}
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		text = text[:end+i]
	}
	return strings.ToValidUTF8(strings.TrimRight(text, "\r"), "")
}

// flushing is stdin. It flushes stdout before it waits for more.
type flushing struct{ *cli.Env }

func (f flushing) Read(p []byte) (int, error) {
	if err := f.Out.Flush(); err != nil {
		return 0, err
	}
	return f.Stdin.Read(p)
}

// recent is a Reader that keeps the end of what it has read.
type recent struct {
	r    io.Reader
	most int
	text []byte // the end of what was read
	past int64  // how many bytes came before text
}

func (r *recent) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if drop := len(r.text) + n - r.most; drop > r.most/4 { // not at each Read, because it copies
		drop = min(drop, len(r.text))
		r.past += int64(drop)
		r.text = r.text[:copy(r.text, r.text[drop:])]
	}
	r.text = append(r.text, p[:n]...)
	return n, err
}

// ReadAt reads what is kept.
func (r *recent) ReadAt(p []byte, at int64) (int, error) {
	if at < r.past || at-r.past > int64(len(r.text)) {
		return 0, io.EOF
	}
	n := copy(p, r.text[at-r.past:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// A watched is a Reader that fails if the text has a foreign encoding.
type watched struct {
	io.Reader
	start []byte // the first bytes
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if room := document.LongestForeign - len(w.start); room > 0 && n > 0 {
		w.start = append(w.start, p[:min(n, room)]...)
		if f := document.ForeignIn(w.start); f.Name != "" {
			return 0, cli.ForeignError(f)
		}
	}
	return n, err
}
