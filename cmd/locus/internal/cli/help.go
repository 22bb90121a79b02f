package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// The short help fits on a screen of 24 lines.
const (
	screenWidth   = 80
	shortExamples = 3
)

// WriteHelp writes the help of a verb, examples last. The short help fits on a screen: the
// first paragraph, the common flags with the beginning of their sentences, and a few
// examples. All of it has every paragraph, every flag and every example.
func (v *Verb) WriteHelp(w io.Writer, all bool) error {
	var b strings.Builder
	v.writeHead(&b, all)
	hidden := v.writeFlagHelp(&b, all)
	first, _, hasMore := strings.Cut(v.description(), "\n\n")
	switch {
	case hidden > 0:
		fmt.Fprintf(&b, "\nlocus help --all %s shows everything: %d more flags.\n", v.Name, hidden)
	case !all && hasMore && first != "":
		fmt.Fprintf(&b, "\nlocus help --all %s shows everything.\n", v.Name)
	}
	v.writeExampleHelp(&b, all)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteHelp writes the help of the program, with its verbs.
func (p *Program) WriteHelp(w io.Writer, all bool) error {
	var b strings.Builder
	p.writeHead(&b, all)
	writeColumns(&b, "verbs", p.summaries(), false)
	writeColumns(&b, "flags", [][2]string{helpOf(versionFlag), helpOf(helpFlag)}, false)
	p.writeExampleHelp(&b, true)
	_, err := io.WriteString(w, b.String())
	return err
}

// summaries returns the verbs, each with its summary.
func (p *Program) summaries() [][2]string {
	var all [][2]string
	for _, v := range p.All() {
		all = append(all, [2]string{v.Name, v.Summary})
	}
	return all
}

// helpOptions are the flags and arguments of help.
type helpOptions struct {
	Verbs []string `args:"0-1"`
	All   bool     `flag:"all"`
	Man   bool     `flag:"man"`
}

// Help returns the verb help.
func (p *Program) Help() *Verb {
	return New(p.help, Verb{
		Name:     "help",
		Summary:  "explain locus or one of its verbs",
		Synopsis: "locus help [--all] [--man] [VERB]",
		Examples: []string{"locus help parse", "locus help --all get"},
	})
}

func (p *Program) help(_ context.Context, e *Env, o helpOptions) error {
	var subject interface {
		WriteHelp(w io.Writer, all bool) error
		WriteManual(w io.Writer) error
	} = p
	if len(o.Verbs) > 0 {
		v, err := p.Find(o.Verbs[0])
		if err != nil {
			return err
		}
		subject = v
	}
	if o.Man {
		return subject.WriteManual(e.Out)
	}
	return subject.WriteHelp(e.Out, o.All)
}

// fullName returns how the verb is typed.
func (v *Verb) fullName() string {
	if v.Name == "locus" {
		return v.Name
	}
	return "locus " + v.Name
}

// description returns the whole description.
func (v *Verb) description() string {
	if v.Details == nil {
		return strings.TrimSuffix(v.Description, "\n") // of a file
	}
	return v.Description + v.Details()
}

// writeHead writes what the verb does, how it is typed and the description, or the first
// paragraph of it.
func (v *Verb) writeHead(b *strings.Builder, all bool) {
	fmt.Fprintf(b, "%s: %s\n\nusage:\n   %s\n", v.fullName(), v.Summary, v.Synopsis)
	text := v.description()
	if !all {
		text, _, _ = strings.Cut(text, "\n\n")
		text = filled(text)
	}
	if text != "" {
		fmt.Fprintf(b, "\n%s\n", text)
	}
}

// writeFlagHelp writes the flags, or only the common ones. It returns how many it left
// out.
func (v *Verb) writeFlagHelp(b *strings.Builder, all bool) (hidden int) {
	common, isShort := strings.Fields(v.Common), !all
	all = all || len(common) == 0
	var shown [][2]string
	for _, f := range v.Flags() {
		if !all && !slices.Contains(common, f.Name) {
			hidden++
			continue
		}
		shown = append(shown, helpOf(f))
	}
	if all {
		shown = append(shown, helpOf(helpFlag))
	}
	writeColumns(b, "flags", shown, isShort)
	return hidden
}

func (v *Verb) writeExampleHelp(b *strings.Builder, all bool) {
	examples := v.Examples
	if !all {
		examples = examples[:min(len(examples), shortExamples)]
	}
	b.WriteString("\nexample:\n")
	for _, line := range examples {
		fmt.Fprintf(b, "   %s\n", line)
	}
}

// writeColumns writes a table with a title. In the short help a sentence that does not fit is
// shortened.
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

// shortened returns a sentence of at most so many characters. For that it leaves out what stands
// at the end in parentheses, after a semicolon or after a comma. A sentence without these stays.
func shortened(text string, most int) string {
	for utf8.RuneCountInString(text) > most {
		end := -1
		if strings.HasSuffix(text, ")") {
			end = strings.LastIndex(text, " (")
		}
		for _, mark := range []string{"; ", ", "} {
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

// filled returns a paragraph with lines as long as fit on the screen. It leaves a table as
// it is.
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

// WriteManual writes the manual page of a verb, as man(7) source.
func (v *Verb) WriteManual(w io.Writer) error {
	var b strings.Builder
	v.writeManualHead(&b)
	if len(v.Flags()) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	v.writeManualFlags(&b)
	b.WriteString(".SH EXAMPLES\n")
	v.writeManualExamples(&b)
	b.WriteString(".SH SEE ALSO\n.BR locus (1)\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteManual writes the manual page of the program, with all verbs.
func (p *Program) WriteManual(w io.Writer) error {
	var b strings.Builder
	p.writeManualHead(&b)
	b.WriteString(".SH OPTIONS\n")
	writeManualFlag(&b, versionFlag)
	writeManualFlag(&b, helpFlag)
	b.WriteString(".SH VERBS\n")
	for _, v := range p.All() {
		fmt.Fprintf(&b, ".SS %s\n.B %s\n.PP\n%s.\n", roff(v.Name), roff(v.Synopsis), roff(v.Summary))
		if text := v.description(); text != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", roffText(text))
		}
		v.writeManualFlags(&b)
		v.writeManualExamples(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (v *Verb) writeManualHead(b *strings.Builder) {
	name := strings.ReplaceAll(v.fullName(), " ", "-")
	fmt.Fprintf(b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(name), roff(v.Summary))
	fmt.Fprintf(b, ".SH SYNOPSIS\n.B %s\n", roff(v.Synopsis))
	if text := v.description(); text != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(text) + "\n")
	}
}

func (v *Verb) writeManualFlags(b *strings.Builder) {
	for _, f := range v.Flags() {
		writeManualFlag(b, f)
	}
	writeManualFlag(b, helpFlag)
}

func writeManualFlag(b *strings.Builder, f Flag) {
	text := helpOf(f)
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(text[0]), roff(text[1]))
}

func (v *Verb) writeManualExamples(b *strings.Builder) {
	for _, line := range v.Examples {
		fmt.Fprintf(b, ".PP\n.EX\n%s\n.EE\n", roff(line))
	}
}

// roffText returns paragraphs as man(7) source.
func roffText(text string) string {
	return strings.ReplaceAll(roff(text), "\n\n", "\n.PP\n")
}

// roff returns man(7) source that shows text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...").Replace(text)
	return strings.ReplaceAll(text, "\n.", "\n\\&.")
}
