package gateway

import (
	"cmp"
	"fmt"
	"strings"

	"locus/internal/gemtext"
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
// It ignores text that does not follow a link, such as comments at the beginning, and preformatted text. The error
// names the line.
func ParseFrontLinks(text string) ([]FrontLink, error) {
	var links []FrontLink
	var parser gemtext.Parser
	group, canDescribe := "", false
	number := 0
	for text := range strings.Lines(text) {
		number++
		text = strings.TrimSpace(text)
		switch line := parser.Parse(text); {
		case line.Kind == gemtext.Heading:
			group, canDescribe = line.Text, false
		case line.Kind == gemtext.Link:
			link, err := newFrontLink(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			link.Group, canDescribe = group, true
			links = append(links, link)
		case line.Kind == gemtext.Toggle, line.Kind == gemtext.Preformatted, text == "":
			canDescribe = false
		case canDescribe:
			links[len(links)-1].About = strings.TrimSpace(links[len(links)-1].About + " " + text)
		}
	}
	return links, nil
}

// newFrontLink returns the FrontLink for a link line, without a Group and an About. A relative URL is an error.
func newFrontLink(line gemtext.Line) (FrontLink, error) {
	u, err := url.Parse(line.URL)
	if err != nil {
		return FrontLink{}, err
	}
	if !u.IsAbs() {
		return FrontLink{}, fmt.Errorf("%q is not a complete URL", line.URL)
	}
	return FrontLink{Title: cmp.Or(line.Text, u.Redacted()), URL: u}, nil
}

// formatFrontLinks inverts ParseFrontLinks: it returns a text for links, which a person can edit.
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
