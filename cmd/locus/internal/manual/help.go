package manual

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"locus/cmd/locus/internal/flags"
)

// The short help fits on a screen of 24 lines.
const (
	screenWidth   = 80
	shortExamples = 3
)

// WriteHelp writes the help of a verb, examples last. The short help fits on a screen: the
// first paragraph, the common flags with the beginning of their sentences, and a few
// examples. If all is set, the help has every paragraph, every flag and every example.
func (p Page) WriteHelp(w io.Writer, all bool) error {
	var b strings.Builder
	p.writeSynopsis(&b)
	p.writeDescription(&b, all)
	hidden := p.writeFlags(&b, all)
	first, _, hasMore := strings.Cut(p.description(), "\n\n")
	switch {
	case hidden > 0:
		fmt.Fprintf(&b, "\n%s help --all %s shows everything: %d more flags.\n", p.Program, p.Name, hidden)
	case !all && hasMore && first != "":
		fmt.Fprintf(&b, "\n%s help --all %s shows everything.\n", p.Program, p.Name)
	}
	p.writeExamples(&b, all)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteHelp writes the help of the program: the verbs by their tasks, the first paragraph of the
// description, the flags, and the examples.
func (p Program) WriteHelp(w io.Writer) error {
	var b strings.Builder
	p.writeSynopsis(&b)
	p.writeVerbs(&b)
	p.writeDescription(&b, false)
	p.writeFlags(&b, true)
	p.writeExamples(&b, true)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeVerbs writes a table of verbs for each task. Verbs of one task follow each other in p.Verbs.
func (p Program) writeVerbs(b *strings.Builder) {
	for rest := p.Verbs; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Task == rest[0].Task {
			n++
		}
		writeColumns(b, cmp.Or(rest[0].Task, "verbs"), summaries(rest[:n]), false)
		rest = rest[n:]
	}
}

// writeSynopsis writes the summary and the synopsis.
func (p Page) writeSynopsis(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s\n\nusage:\n   %s\n", p.fullName(), p.Summary, p.Synopsis)
}

// writeDescription writes the description, or only its first paragraph unless all is set.
func (p Page) writeDescription(b *strings.Builder, all bool) {
	text := p.description()
	if !all {
		text, _, _ = strings.Cut(text, "\n\n")
		text = filled(text)
	}
	if text != "" {
		fmt.Fprintf(b, "\n%s\n", text)
	}
}

// writeFlags writes all flags or, unless all is set, only the common ones. hidden is the number of flags that it left
// out.
func (p Page) writeFlags(b *strings.Builder, all bool) (hidden int) {
	shown, common := p.all(), strings.Fields(p.Common)
	if !all && len(common) > 0 {
		shown = slices.DeleteFunc(slices.Clone(p.Flags), func(f flags.Flag) bool { return !slices.Contains(common, f.Name) })
		hidden = len(p.Flags) - len(shown)
	}
	var rows [][2]string
	for _, f := range shown {
		rows = append(rows, textOf(f))
	}
	writeColumns(b, "flags", rows, !all)
	return hidden
}

// writeExamples writes all examples or, unless all is set, the first shortExamples.
func (p Page) writeExamples(b *strings.Builder, all bool) {
	examples := p.Examples
	if !all {
		examples = examples[:min(len(examples), shortExamples)]
	}
	b.WriteString("\nexample:\n")
	for _, line := range examples {
		fmt.Fprintf(b, "   %s\n", line)
	}
}

// writeColumns writes a title and the rows below it, in two columns. In the short help it shortens
// a sentence that does not fit on the line.
func writeColumns(b *strings.Builder, title string, rows [][2]string, isShort bool) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, row := range rows {
		text := row[1]
		if isShort {
			text = shortened(text, screenWidth-width-len("     "))
		}
		fmt.Fprintf(b, "   %-*s  %s\n", width, row[0], text)
	}
}

// shortened returns a sentence of at most n characters: it leaves out parts at the end of text that are in parentheses,
// after a semicolon or after ", such as". It does not cut at other commas, because the rest of a list or of an
// alternative would say something else. Without such a part, the sentence stays longer. It never says that a flag is
// repeatable, so that readers do not take flags with long sentences for flags that are not.
func shortened(text string, n int) string {
	text = strings.TrimSuffix(text, "; repeatable")
	for utf8.RuneCountInString(text) > n {
		end := -1
		if strings.HasSuffix(text, ")") {
			end = strings.LastIndex(text, " (")
		}
		for _, mark := range []string{"; ", ", such as "} {
			if end < 0 {
				end = strings.LastIndex(text, mark)
			}
		}
		if end < 0 {
			break
		}
		text = text[:end]
	}
	return text
}

// filled returns a paragraph broken into lines that are as long as the screen allows. It returns a
// table, which has indented lines, unchanged.
func filled(text string) string {
	if strings.Contains(text, "\n ") {
		return text
	}
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > screenWidth:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
