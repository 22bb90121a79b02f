// Package gemtext reads the documents of Gemini (gemtext 0.24.1).
package gemtext

import (
	"bytes"

	"locus/extract/document/internal/emit"
)

// Read adds the URL of each link line, and searches the other lines. Text between lines with "```" is preformatted.
//
//	=> gemini://h/tea.gmi A page about tea
//	   \________________/ \______________/
//	          URL              text
func Read(d *emit.Emitter) {
	d.InOrder = true
	isPreformatted := false
	for at, line := range emit.Lines(d.Text, 0) {
		if d.IsStopped() {
			return
		}
		switch {
		case bytes.HasPrefix(line, []byte("```")):
			isPreformatted = !isPreformatted
		case isPreformatted && d.Options.SkipCode:
		case !isPreformatted && bytes.HasPrefix(line, []byte("=>")):
			readLink(d, line, at)
		default:
			d.PlainIn(at, at+len(line))
		}
	}
}

// readLink reads a link line, which is at offset at. The text of the link is searched, too.
func readLink(d *emit.Emitter, line []byte, at int) {
	const blanks = " \t\r\n"
	rest := bytes.TrimLeft(line[len("=>"):], blanks)
	from := at + len(line) - len(rest)
	n := bytes.IndexAny(rest, blanks)
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return
	}
	d.AddLink(from, from+n, rest[:n], "link")
	d.PlainIn(from+n, at+len(line))
}
