// Package gemtext reads the documents of Gemini (gemtext 0.24.1).
package gemtext

import (
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/gemtext"
)

// Read adds the URL of each link line, and searches the other lines. Text between lines with "```" is preformatted.
//
//	=> gemini://h/tea.gmi A page about tea
//	   \________________/ \______________/
//	          URL              text
func Read(d *emit.Emitter) {
	d.InOrder = true
	var parser gemtext.Parser
	for at, line := range emit.Lines(d.Text, 0) {
		if d.IsStopped() {
			return
		}
		text := string(line)
		switch parsed := parser.Parse(text); parsed.Kind {
		case gemtext.Toggle:
		case gemtext.Preformatted:
			if !d.Options.SkipCode {
				d.PlainIn(at, at+len(line))
			}
		case gemtext.Link:
			if parsed.URL != "" {
				from := at + len("=>") + strings.Index(text[len("=>"):], parsed.URL)
				to := from + len(parsed.URL)
				d.AddLink(from, to, line[from-at:to-at], "link")
				d.PlainIn(to, at+len(line)) // the text of the link
			}
		default:
			d.PlainIn(at, at+len(line))
		}
	}
}
