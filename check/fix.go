package check

import (
	"bytes"
	"errors"
	"html"
	"slices"
	"strings"

	"locus/extract"
	"locus/extract/document"
	"locus/internal/weburl"
	"locus/url"
)

// An Edit replaces a range of bytes of a document.
type Edit struct {
	Offset int64
	Length int
	New    string
}

// Edits returns the edits that replace moved links in a document. mode and base are as in [ReadLinks], and moves maps
// old links to new ones. Only links that are written as absolute URLs without character references are edited, and
// not in code, literal text or comments.
func Edits(text []byte, mode document.Mode, base url.URL, moves map[string]string) ([]Edit, error) {
	var edits []Edit
	for m, err := range mode.All(bytes.NewReader(text), document.Options{URL: base, SkipCode: true}) {
		if errors.Is(err, extract.ErrTooLong) {
			continue
		}
		if err != nil {
			return nil, err
		}
		l, ok := linkOf(m)
		to := moves[l.URL]
		end := m.Offset + int64(m.Length)
		if !ok || to == "" || end > int64(len(text)) || string(text[m.Offset:end]) != m.Text || !isAbsolute(m.Text) {
			continue
		}
		edits = append(edits, Edit{m.Offset, m.Length, escapeURL(to, mode, m.Place)})
	}
	return edits, nil
}

// isAbsolute reports whether text is an absolute URL.
func isAbsolute(text string) bool {
	u, err := weburl.Parse(text)
	return err == nil && u.IsAbs()
}

// escapeURL returns u with the escapes that it needs at a place of a document with the given mode. place is a
// Match.Place of package extract.
func escapeURL(u string, mode document.Mode, place string) string {
	if mode == document.Markdown || mode == document.CSS || mode == document.HTML && slices.Contains([]string{"url()", "image-set()", "@import"}, place) {
		u = strings.NewReplacer("(", "%28", ")", "%29", "'", "%27").Replace(u)
	}
	if mode == document.HTML || mode == document.XML {
		return html.EscapeString(u)
	}
	return u
}

// Apply returns text with the edits made. The edits must be in the order of their offsets. An edit that overlaps an
// earlier one is ignored.
func Apply(text []byte, edits []Edit) []byte {
	var b bytes.Buffer
	at := int64(0)
	for _, e := range edits {
		if e.Offset < at {
			continue
		}
		b.Write(text[at:e.Offset])
		b.WriteString(e.New)
		at = e.Offset + int64(e.Length)
	}
	b.Write(text[at:])
	return b.Bytes()
}
