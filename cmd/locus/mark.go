package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"locus/render"
	"locus/url"
)

// mark writes the text of err with a mark under the offending octet, and what
// is the matter with it:
//
//	http://a b/
//	        ^
//	  offset 8: found ' ', want …
//
// Of a long text it writes what stands around the octet.
func (p *process) mark(err *url.SyntaxError) error {
	const around = 60
	before, after := err.Text[:err.Offset], err.Text[err.Offset:]
	start, end := "", ""
	if len(before) > around {
		start, before = "…", before[len(before)-around:]
	}
	if len(after) > around {
		end, after = "…", after[:around]
	}
	before = start + render.Clean(before)
	fmt.Fprintln(p.out, before+render.Clean(after)+end)
	fmt.Fprintln(p.out, strings.Repeat(" ", utf8.RuneCountInString(before))+"^")
	_, writeErr := fmt.Fprintln(p.out, "  "+err.Detail())
	return writeErr
}
