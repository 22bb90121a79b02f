package offline

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"locus/access/engine"
	"locus/extract/document"
	"locus/internal/autoindex"
	"locus/transfer/internal/tree"
)

// MaxPage is the size in bytes of the largest page that is read for links. A listing of about
// 200 000 files has that size.
const MaxPage = 32 << 20

// errLargePage returns the error for a page of more than MaxPage bytes. It wraps
// document.ErrTooLarge.
func errLargePage() error {
	return engine.Reason(fmt.Sprintf("the page has more than %d MiB", MaxPage>>20), document.ErrTooLarge)
}

// HasLinks reports whether a resource of that media type is read for links.
func HasLinks(mediaType string) bool {
	switch document.ByType(mediaType) {
	case document.HTML, document.CSS, document.Gemtext:
		return true
	}
	return false
}

// IsHTML reports whether a media type is HTML or XHTML.
func IsHTML(mediaType string) bool { return document.ByType(mediaType) == document.HTML }

// isGemtext reports whether a media type is a page of Gemini.
func isGemtext(mediaType string) bool { return document.ByType(mediaType) == document.Gemtext }

// isSVG reports whether a media type is SVG. Such a picture may load style sheets, scripts and
// other pictures.
func isSVG(mediaType string) bool { return tree.Essence(mediaType) == "image/svg+xml" }

// modeOf returns the mode in which the references in a text of this media type are found. SVG is
// read as HTML, because its references are in attributes and style sheets, too.
func modeOf(mediaType string) document.Mode {
	if isSVG(mediaType) {
		return document.HTML
	}
	return document.ByType(mediaType)
}

// IsListing reports whether a server generated the HTML page in r from a directory. It
// only peeks at r, whose buffer must have autoindex.HeadSize bytes.
func IsListing(r *bufio.Reader) bool {
	head, _ := r.Peek(autoindex.HeadSize) // the next Read returns the error
	return autoindex.Is(head)
}

// ReadText reads a page to its end, and returns its text. A page of more than MaxPage bytes is
// an error. Text in UTF-16 becomes UTF-8 with a byte order mark, because for a local file no
// header names the encoding. Other text is not decoded.
func ReadText(r io.Reader, mediaType string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxPage+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxPage {
		return nil, errLargePage()
	}
	if !document.IsUTF16(text, document.CharsetOf(mediaType)) {
		return text, nil
	}
	decoded, err := io.ReadAll(document.UTF8(bytes.NewReader(text), document.CharsetOf(mediaType)))
	if err != nil {
		return nil, err
	}
	return append([]byte("\ufeff"), declareUTF8(decoded)...), nil
}

// declareUTF8 returns text with the encoding in its XML declaration replaced by UTF-8. A text
// without such a declaration stays unchanged.
func declareUTF8(text []byte) []byte {
	if !bytes.HasPrefix(text, []byte("<?xml")) {
		return text
	}
	declaration, rest, ok := bytes.Cut(text, []byte("?>"))
	if !ok {
		return text
	}
	before, after, ok := bytes.Cut(declaration, []byte("encoding="))
	if !ok || len(after) == 0 {
		return text
	}
	_, after, ok = bytes.Cut(after[1:], after[:1]) // from one quotation mark to the next
	if !ok {
		return text
	}
	return slices.Concat(before, []byte(`encoding="UTF-8"`), after, []byte("?>"), rest)
}
