package cli

import (
	"fmt"
	"io"
	"strings"
)

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
	writeManualFlag(&b, [2]string{"--version", "print the version of locus"})
	writeManualFlag(&b, helpText)
	b.WriteString(".SH VERBS\n")
	for _, v := range p.Verbs {
		fmt.Fprintf(&b, ".SS %s\n.B %s\n.PP\n%s.\n", roff(v.Name), roff(v.Synopsis), roff(v.Summary))
		if v.Description != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", roffText(v.Description))
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
	if v.Description != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(v.Description) + "\n")
	}
}

func (v *Verb) writeManualFlags(b *strings.Builder) {
	for _, f := range v.Flags() {
		writeManualFlag(b, f.spec.help(v))
	}
	writeManualFlag(b, helpText)
}

func writeManualFlag(b *strings.Builder, text [2]string) {
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
