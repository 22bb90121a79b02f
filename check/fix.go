package check

import (
	"bytes"
	"errors"
	"html"
	"slices"
	"strings"

	"locus/extract"
	"locus/extract/document"
	"locus/url"
)

// An Edit replaces octets of a document.
type Edit struct {
	Offset int64
	Length int
	New    string
}

// Edits returns what is to be edited in a document, of a kind and with a URL as
// in [ReadLinks], so that its links lead to where they have moved to. Only those
// are that stand there whole and as they are, without references to characters.
func Edits(text []byte, mode document.Mode, base url.URL, moves map[string]string) ([]Edit, error) {
	var edits []Edit
	for m, err := range mode.All(bytes.NewReader(text), document.Options{URL: base}) {
		if errors.Is(err, extract.ErrTooLong) {
			continue
		}
		if err != nil {
			return nil, err
		}
		l, ok := linkOf(m)
		to := moves[l.URL]
		end := m.Offset + int64(m.Length)
		if !ok || to == "" || end > int64(len(text)) || !bytes.Equal(text[m.Offset:end], m.Text) || !isWhole(string(m.Text)) {
			continue
		}
		edits = append(edits, Edit{m.Offset, m.Length, written(to, mode, m.Place)})
	}
	return edits, nil
}

func isWhole(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs()
}

// written returns a URL as it is written in a document, at a place of it. What
// would end it there is escaped.
func written(u string, mode document.Mode, place string) string {
	if mode == document.Markdown || mode == document.CSS || mode == document.HTML && slices.Contains([]string{"url()", "image-set()", "@import"}, place) {
		u = strings.NewReplacer("(", "%28", ")", "%29", "'", "%27").Replace(u)
	}
	if mode == document.HTML || mode == document.XML {
		return html.EscapeString(u)
	}
	return u
}

// Apply returns a text with edits, which are in the order of their offsets and
// do not overlap.
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
