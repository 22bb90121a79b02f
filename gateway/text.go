package gateway

import (
	"errors"
	"strings"

	"locus/extract"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

// A span is a piece of text.
type span struct {
	Text string
	Href string // "" if it is not a link
}

// text returns a text found at base as spans. URLs are links. So are citations in
// angle brackets, such as a message-id.
func (x *exchange) text(base url.URL, text string) []span {
	var spans []span
	done := 0
	for m, err := range extract.All(strings.NewReader(text), extract.Options{}) {
		if err != nil && !errors.Is(err, extract.ErrTooLong) {
			break // a string gives no other error
		}
		u, err := m.URL()
		if err != nil || !u.IsAbs() {
			continue
		}
		start, end := int(m.Offset), int(m.Offset)+m.Length
		spans = append(spans, x.linkCitations(base, text[done:start])...)
		spans = append(spans, span{Text: cleanText(text[start:end]), Href: x.href(u)})
		done = end
	}
	return append(spans, x.linkCitations(base, text[done:])...)
}

// linkCitations returns a text as spans, with links for citations in angle brackets.
func (x *exchange) linkCitations(base url.URL, text string) []span {
	var spans []span
	rest := text
	for {
		before, after, ok := strings.Cut(rest, "<")
		name, tail, closed := strings.Cut(after, ">")
		if !ok || !closed {
			return append(spans, plain(rest)...)
		}
		u, isCitation := resolveCitation(base, name)
		spans = append(spans, plain(before+"<")...)
		rest = after
		if isCitation {
			spans = append(spans, span{Text: render.Clean(name), Href: x.href(u)})
			rest = ">" + tail
		}
	}
}

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
