// Package gemtext splits documents of Gemini (gemtext 0.24.1) into lines.
//
// The first characters of a line decide its kind, so a line can be read without the lines before it. The only
// exception is preformatted text: it is between two lines that begin with "```".
package gemtext

import "strings"

// A Kind is the kind of a line.
type Kind int

const (
	Text         Kind = iota // a line of a paragraph
	Link                     // "=> URL text"
	Heading                  // "# text", "## text" or "### text"
	Item                     // "* text", an item of a list
	Quote                    // "> text"
	Toggle                   // "```alt text", which begins or ends preformatted text
	Preformatted             // a line between two Toggles
)

// A Line is a line without its mark.
//
//	=> gemini://h/tea.gmi A page about tea
//	   \________________/ \______________/
//	          URL              Text
type Line struct {
	Kind  Kind
	Level int    // of a Heading: 1 to 3
	URL   string // of a Link; "" if the line has no URL
	Text  string // of a Toggle: the alt text
}

const blanks = " \t"

// A Parser parses the lines of one document, from the first line to the last. The zero Parser is at the beginning of a
// document.
type Parser struct{ isPreformatted bool }

// Parse parses the next line of the document, with or without its line ending. Every line is valid.
func (p *Parser) Parse(line string) Line {
	line = strings.TrimRight(line, "\r\n")
	if alt, ok := strings.CutPrefix(line, "```"); ok {
		p.isPreformatted = !p.isPreformatted
		return Line{Kind: Toggle, Text: strings.Trim(alt, blanks)}
	}
	if p.isPreformatted {
		return Line{Kind: Preformatted, Text: line}
	}
	switch {
	case strings.HasPrefix(line, "=>"):
		return link(line)
	case strings.HasPrefix(line, "#"):
		return heading(line)
	case strings.HasPrefix(line, "* "):
		return Line{Kind: Item, Text: strings.Trim(line[len("* "):], blanks)}
	case strings.HasPrefix(line, ">"):
		return Line{Kind: Quote, Text: strings.Trim(line[len(">"):], blanks)}
	}
	return Line{Text: line}
}

// link returns the Link of a line that begins with "=>".
func link(line string) Line {
	rest := strings.Trim(line[len("=>"):], blanks)
	n := strings.IndexAny(rest, blanks)
	if n < 0 {
		n = len(rest)
	}
	return Line{Kind: Link, URL: rest[:n], Text: strings.TrimLeft(rest[n:], blanks)}
}

// heading returns the Heading of a line that begins with "#". A fourth "#" belongs to the text.
func heading(line string) Line {
	level := 1
	for level < 3 && strings.HasPrefix(line[level:], "#") {
		level++
	}
	return Line{Kind: Heading, Level: level, Text: strings.Trim(line[level:], blanks)}
}
