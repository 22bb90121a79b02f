package gateway

import (
	"strings"

	"locus/access"
	"locus/extract"
	"locus/render"
	"locus/url"
)

// spans finds the links in a line of text found at base: what stands in angle
// brackets and is cited there, and URLs.
func (v *visit) spans(base url.URL, line string) []span {
	var spans []span
	rest := line
	for {
		before, after, ok := strings.Cut(rest, "<")
		name, tail, closed := strings.Cut(after, ">")
		if !ok || !closed {
			return append(spans, plain(rest)...)
		}
		u, cited := v.cited(base, name)
		if !cited {
			spans = append(spans, plain(before+"<")...)
			rest = after
			continue
		}
		spans = append(spans, plain(before+"<")...)
		spans = append(spans, span{Text: render.Clean(name), Href: v.href(u)})
		rest = ">" + tail
	}
}

// cited returns what a name in angle brackets stands for.
func (v *visit) cited(base url.URL, name string) (url.URL, bool) {
	if name == "" || strings.ContainsAny(name, " \t") && !strings.HasPrefix(name, "URL:") {
		return url.URL{}, false
	}
	if u, err := url.Parse(extract.Unwrap("<" + name + ">")); err == nil && u.IsAbs() {
		return u, true
	}
	return access.Cite(v.opener(), base, name)
}

// plain is text without links.
func plain(text string) []span {
	if text == "" {
		return nil
	}
	return []span{{Text: cleanLine(text)}}
}
