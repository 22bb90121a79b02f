package manual

import (
	"fmt"
	"io"
	"strings"
)

// WriteManual writes the manual page of a verb, as man(7) source.
func (p Page) WriteManual(w io.Writer) error {
	var b strings.Builder
	p.writeManualHead(&b)
	if len(p.Flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	p.writeManualFlags(&b)
	b.WriteString(".SH EXAMPLES\n")
	p.writeManualExamples(&b)
	fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(p.Program))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteManual writes the manual page of the program, with all verbs.
func (p Program) WriteManual(w io.Writer) error {
	var b strings.Builder
	p.writeManualHead(&b)
	b.WriteString(".SH OPTIONS\n")
	p.writeManualFlags(&b)
	b.WriteString(".SH VERBS\n")
	for _, v := range p.Verbs {
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

// writeManualHead writes the sections NAME, SYNOPSIS and DESCRIPTION.
func (p Page) writeManualHead(b *strings.Builder) {
	name := strings.ReplaceAll(p.fullName(), " ", "-")
	fmt.Fprintf(b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(name), roff(p.Summary))
	fmt.Fprintf(b, ".SH SYNOPSIS\n.B %s\n", roff(p.Synopsis))
	if text := p.description(); text != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(text) + "\n")
	}
}

// writeManualFlags writes all flags, without a heading.
func (p Page) writeManualFlags(b *strings.Builder) {
	for _, f := range p.all() {
		text := textOf(f)
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(text[0]), roff(text[1]))
	}
}

// writeManualExamples writes all examples, without a heading.
func (p Page) writeManualExamples(b *strings.Builder) {
	for _, line := range p.Examples {
		fmt.Fprintf(b, ".PP\n.EX\n%s\n.EE\n", roff(line))
	}
}

// roffText returns text, paragraphs with empty lines between them, as man(7) source.
func roffText(text string) string {
	return strings.ReplaceAll(roff(text), "\n\n", "\n.PP\n")
}

// roff escapes text for man(7) source, so that every character is shown.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...").Replace(text)
	return strings.ReplaceAll(text, "\n.", "\n\\&.")
}
