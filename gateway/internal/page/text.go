package page

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/access"
	"locus/extract"
	"locus/gateway/internal/content"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// A span is a piece of text.
type span struct {
	Text string
	Href templ.SafeURL // "" if it is not a link
}

// body returns the text of the resource at l.URL as spans, and a link to the page with its lines
// joined, or with the lines of the server. There is no link if both are the same.
func (l Links) body(text string) (spans []span, tools []link) {
	reflowed := content.Reflow(text)
	switch {
	case reflowed == text:
		return l.text(text), nil
	case l.Reflows:
		return l.text(reflowed), []link{{Title: "Original lines", Href: l.to(l.URL)}}
	}
	return l.text(text), []link{{Title: "Reflow lines", Href: l.Own("text?url=" + Escaped(l.URL))}}
}

// text returns a text in the resource at l.URL as spans. URLs, and citations in angle brackets such
// as a message-id, are links.
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

// linkCitations returns a text as spans. Citations in angle brackets, such as a message-id, are
// links.
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

// resolveCitation returns the URL of a name in angle brackets in the resource at base. ok is false
// for a name that cannot be a citation.
func resolveCitation(base url.URL, name string) (u url.URL, ok bool) {
	const longest = 250 // RFC 3977 §3.6
	if name == "" || len(name) > longest || strings.ContainsAny(name, " \t\r\n<") {
		return url.URL{}, false
	}
	return scheme.Cite(base, name)
}

// plain returns a text, cleaned, as one span without a link. It returns nil for "".
func plain(text string) []span {
	if text == "" {
		return nil
	}
	return []span{{Text: cleanText(text)}}
}

// cleanText makes a text that a stranger may have written safe to show: it replaces tabs by spaces
// and cleans each line as render.Clean does. A line ends in "\n" afterwards, not in "\r\n".
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

// cleanLine cleans a line as render.Clean does, but first replaces each tab by eight spaces.
func cleanLine(s string) string { return render.Clean(strings.ReplaceAll(s, "\t", "        ")) }

// titleText returns the title of e in UTF-8. It decodes a title that is not UTF-8 from l.Charset.
// The result may have control characters.
func (l Links) titleText(e access.Entry) string {
	if utf8.ValidString(e.Title) {
		return e.Title
	}
	return content.ToUTF8("", l.Charset, []byte(e.Title))
}
