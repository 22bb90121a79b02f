package page

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/access"
	"locus/extract"
	"locus/internal/charset"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// A span is a piece of text.
type span struct {
	Text string
	Href templ.SafeURL // "" if it is not a link
}

// text returns a text in the resource as spans. URLs, and citations in angle brackets such as a
// message-id, are links.
func (l Links) text(text string) []span {
	var spans []span
	done := 0
	for m, err := range extract.All(strings.NewReader(text), extract.Options{}) {
		if err != nil && !errors.Is(err, extract.ErrTooLong) {
			break // a strings.Reader does not fail otherwise
		}
		u, err := m.URL()
		if err != nil || !u.IsAbs() {
			continue
		}
		start, end := int(m.Offset), int(m.Offset)+m.Length
		spans = append(spans, l.linkCitations(text[done:start])...)
		spans = append(spans, span{Text: cleanText(text[start:end]), Href: l.to(u)})
		done = end
	}
	return append(spans, l.linkCitations(text[done:])...)
}

// linkCitations returns a text as spans, with links for citations in angle brackets.
func (l Links) linkCitations(text string) []span {
	var spans []span
	rest := text
	for {
		before, after, ok := strings.Cut(rest, "<")
		name, tail, closed := strings.Cut(after, ">")
		if !ok || !closed {
			return append(spans, plain(rest)...)
		}
		u, isCitation := resolveCitation(l.URL, name)
		spans = append(spans, plain(before+"<")...)
		rest = after
		if isCitation {
			spans = append(spans, span{Text: render.Clean(name), Href: l.to(u)})
			rest = ">" + tail
		}
	}
}

// resolveCitation returns the URL of a name in angle brackets. It returns false for names that cannot
// be citations.
func resolveCitation(base url.URL, name string) (url.URL, bool) {
	const longest = 250 // RFC 3977 §3.6
	if name == "" || len(name) > longest || strings.ContainsAny(name, " \t\r\n<") {
		return url.URL{}, false
	}
	return scheme.Cite(base, name)
}

// plain returns a text as spans without links.
func plain(text string) []span {
	if text == "" {
		return nil
	}
	return []span{{Text: cleanText(text)}}
}

// cleanText applies cleanLine to each line of a text.
func cleanText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content := strings.TrimRight(line, "\r\n")
		b.WriteString(cleanLine(content))
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// cleanLine is render.Clean with tabs as blanks.
func cleanLine(s string) string { return render.Clean(strings.ReplaceAll(s, "\t", "        ")) }

// ReadText reads up to most bytes of a text, as UTF-8.
func (l Links) ReadText(mediaType string, body io.Reader, most int64) (text string, isCut bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, most+1))
	if isCut = int64(len(raw)) > most; isCut {
		raw, err = WholeCharacters(raw[:most]), nil
	}
	return toUTF8(mediaType, l.Charset, raw), isCut, err
}

// WholeCharacters returns text without an incomplete character of UTF-8 at its end. It returns a
// text that is not UTF-8 unchanged.
func WholeCharacters(text []byte) []byte {
	for n := range utf8.UTFMax {
		if n <= len(text) && utf8.Valid(text[:len(text)-n]) {
			return text[:len(text)-n]
		}
	}
	return text
}

// toUTF8 decodes a text by the charset of its media type. Without a known charset, the text is UTF-8
// if it is valid UTF-8, and otherwise in the charset fallback. A fallback of "" means windows-1252,
// because every byte is valid in it and it contains Latin-1.
func toUTF8(mediaType, fallback string, raw []byte) string {
	if _, params, err := mime.ParseMediaType(mediaType); err == nil && !strings.EqualFold(params["charset"], "utf-8") {
		if text, ok := decode(params["charset"], raw); ok {
			return text
		}
	}
	if utf8.Valid(raw) {
		return string(raw)
	}
	if text, ok := decode(cmp.Or(fallback, "windows-1252"), raw); ok {
		return text
	}
	return string(raw)
}

// decode decodes a text in a charset. ok is false if the charset is unknown.
func decode(name string, text []byte) (decoded string, ok bool) {
	e, ok := charset.Web(name)
	if !ok {
		return "", false
	}
	b, err := e.NewDecoder().Bytes(text)
	return string(b), err == nil
}

// charsetReader returns a Reader that decodes in from a charset.
func charsetReader(name string, in io.Reader) (io.Reader, error) {
	if name == "" {
		return in, nil
	}
	e, ok := charset.Web(name)
	if !ok {
		return nil, fmt.Errorf("unknown charset %q", name)
	}
	return e.NewDecoder().Reader(in), nil
}

// titleText returns the title of an entry in UTF-8. It decodes a title that is not UTF-8 from
// l.Charset.
func (l Links) titleText(e access.Entry) string {
	if utf8.ValidString(e.Title) {
		return e.Title
	}
	return toUTF8("", l.Charset, []byte(e.Title))
}
