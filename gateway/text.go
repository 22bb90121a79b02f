package gateway

import (
	"errors"
	"strings"

	"locus/extract"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

// A span is a piece of text, with the link that it is if it is one.
type span struct {
	Text string
	Href string // "" for none
}

// text returns a text found at base as spans: URLs are links, and so is what
// stands in angle brackets and is cited there.
func (v *visit) text(base url.URL, text string) []span {
	var spans []span
	done := 0
	for m, err := range extract.All(strings.NewReader(text), extract.Options{}) {
		if err != nil && !errors.Is(err, extract.ErrTooLong) {
			break // there is no such error of a string
		}
		u, err := m.URL()
		if err != nil || !u.IsAbs() {
			continue
		}
		start, end := int(m.Offset), int(m.Offset)+m.Length
		spans = append(spans, v.cites(base, text[done:start])...)
		spans = append(spans, span{Text: cleanText(text[start:end]), Href: v.href(u)})
		done = end
	}
	return append(spans, v.cites(base, text[done:])...)
}

// cites finds what stands in angle brackets and is cited at base.
func (v *visit) cites(base url.URL, text string) []span {
	var spans []span
	rest := text
	for {
		before, after, ok := strings.Cut(rest, "<")
		name, tail, closed := strings.Cut(after, ">")
		if !ok || !closed {
			return append(spans, plain(rest)...)
		}
		u, cited := v.cited(base, name)
		spans = append(spans, plain(before+"<")...)
		rest = after
		if cited {
			spans = append(spans, span{Text: render.Clean(name), Href: v.href(u)})
			rest = ">" + tail
		}
	}
}

func (v *visit) cited(base url.URL, name string) (url.URL, bool) {
	const longest = 250 // RFC 3977 §3.6
	if name == "" || len(name) > longest || strings.ContainsAny(name, " \t\r\n<") {
		return url.URL{}, false
	}
	return scheme.Cite(base, name)
}

// plain is text without links.
func plain(text string) []span {
	if text == "" {
		return nil
	}
	return []span{{Text: cleanText(text)}}
}

// cleanText is a text of several lines as a page may show it.
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
