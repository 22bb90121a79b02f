package gateway

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/access"
	"locus/internal/render"
	"locus/url"
)

// readmeNames are the files with a text for the readers of their folder, in lower case.
// The first that a folder has counts.
var readmeNames = []string{".message", "readme", "readme.txt", "readme.md", "00readme", "00-readme", "readme.1st", "read.me", "00-index", "00_index.txt"}

const (
	maxReadme  = 32 << 10        // bytes of it that a page shows
	readmeTime = 5 * time.Second // how long a page waits for it
)

// readmeOf returns the text for the readers of the folder at u; the zero Entry if there is
// none. It must be in the folder: nobody asked for what is elsewhere.
func readmeOf(u url.URL, entries []access.Entry) access.Entry {
	best, found := len(readmeNames), access.Entry{}
	for _, e := range entries {
		i := slices.Index(readmeNames, strings.ToLower(e.Title))
		if i >= 0 && i < best && e.Kind == access.Object && isBelow(u, e.URL) {
			best, found = i, e
		}
	}
	return found
}

// A readme is the text for the readers of a folder, on the page of the folder.
type readme struct {
	Title   string
	Href    templ.SafeURL
	Text    []span
	Cut     bool   // the page does not show all
	Problem string // why it cannot be shown
}

// readme reads the text at e.
func (x *exchange) readme(e access.Entry) readme {
	shown := readme{Title: render.Clean(x.titleText(e)), Href: x.link(e.URL)}
	ctx, cancel := context.WithTimeout(x.r.Context(), readmeTime)
	defer cancel()
	req := x.request(access.Get)
	req.URL = e.URL
	text, isCut, err := x.readText(ctx, req, maxReadme)
	if err != nil {
		shown.Problem = translatePanic(err).Error()
		return shown
	}
	shown.Text, shown.Cut = x.text(text), isCut
	return shown
}

// readText opens the text that req gets, and reads up to most bytes of it.
func (x *exchange) readText(ctx context.Context, req *access.Request, most int64) (text string, isCut bool, err error) {
	resource, err := x.recovers.Do(ctx, req)
	if err != nil {
		return "", false, err
	}
	defer resource.Body.Close()
	return x.decodeText(resource.Type, resource.Body, most)
}

// wholeCharacters returns the start of a text in UTF-8 without the character that its end
// cuts. Other texts are returned as they are.
func wholeCharacters(text []byte) []byte {
	for n := range utf8.UTFMax {
		if n <= len(text) && utf8.Valid(text[:len(text)-n]) {
			return text[:len(text)-n]
		}
	}
	return text
}

// decodeText reads up to most bytes of a text, as UTF-8.
func (x *exchange) decodeText(mediaType string, body io.Reader, most int64) (text string, isCut bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, most+1))
	if isCut = int64(len(raw)) > most; isCut {
		raw, err = wholeCharacters(raw[:most]), nil
	}
	return toUTF8(mediaType, x.Charset, raw), isCut, err
}
