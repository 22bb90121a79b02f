package gateway

import (
	"fmt"
	"strings"

	"locus/internal/render"
	"locus/url"
)

// A FrontLink is a link on the front page.
type FrontLink struct {
	Group string // the heading above it; may be empty
	Title string // the text of the link
	URL   url.URL
	About string // a sentence about it; may be empty
}

// ParseFrontLinks reads a list of links, which people edit, in the format of gemtext:
//
//	# Gopher                                    the group of the links below
//	=> gopher://gopher.example.org/ A title     a link; without a title, the URL is the title
//	A sentence about the link above.
//
// It ignores text that does not follow a link, such as comments at the beginning. The error
// names the line.
func ParseFrontLinks(text string) ([]FrontLink, error) {
	var links []FrontLink
	group, canDescribe := "", false
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			canDescribe = false
		case strings.HasPrefix(line, "#"):
			group, canDescribe = strings.TrimSpace(strings.TrimLeft(line, "#")), false
		case strings.HasPrefix(line, "=>"):
			link, err := parseFrontLink(strings.TrimPrefix(line, "=>"))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			link.Group, canDescribe = group, true
			links = append(links, link)
		case canDescribe:
			links[len(links)-1].About = strings.TrimSpace(links[len(links)-1].About + " " + line)
		}
	}
	return links, nil
}

// parseFrontLink reads a link line without its "=>".
func parseFrontLink(text string) (FrontLink, error) {
	text = strings.TrimSpace(text)
	address, title := text, ""
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		address, title = text[:i], strings.TrimSpace(text[i:])
	}
	u, err := url.Parse(address)
	if err != nil {
		return FrontLink{}, err
	}
	if !u.IsAbs() {
		return FrontLink{}, fmt.Errorf("%q is not a whole URL", address)
	}
	if title == "" {
		title = u.Redacted()
	}
	return FrontLink{Title: title, URL: u}, nil
}

// formatFrontLinks inverts ParseFrontLinks.
func formatFrontLinks(links []FrontLink) string {
	var b strings.Builder
	group := ""
	for _, one := range links {
		if one.Group != group {
			group = one.Group
			fmt.Fprintf(&b, "\n# %s\n", render.Clean(group))
		}
		fmt.Fprintf(&b, "\n=> %s %s\n", one.URL, render.Clean(one.Title))
		if one.About != "" {
			fmt.Fprintln(&b, render.Clean(one.About))
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}
