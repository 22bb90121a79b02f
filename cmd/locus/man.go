package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// writeManual writes the manual page of the whole command, or of one verb, as
// man(7) source.
func writeManual(w io.Writer, c *cli.Command) error {
	var b strings.Builder
	name := strings.ReplaceAll(c.FullName(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(name), roff(c.Usage))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UsageText))
	if c.Description != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(c.Description) + "\n")
	}
	if len(c.VisibleFlags()) > 0 {
		b.WriteString(".SH OPTIONS\n")
		writeFlags(&b, c)
	}
	if len(c.Commands) > 0 {
		b.WriteString(".SH VERBS\n")
		for _, verb := range c.Commands {
			if !verb.Hidden {
				writeVerb(&b, verb)
			}
		}
	} else {
		b.WriteString(".SH EXAMPLES\n")
		writeExamples(&b, c)
		b.WriteString(".SH SEE ALSO\n.BR locus (1)\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeVerb writes what the page of the whole command says about a verb.
func writeVerb(b *strings.Builder, c *cli.Command) {
	fmt.Fprintf(b, ".SS %s\n.B %s\n.PP\n%s.\n", roff(c.Name), roff(c.UsageText), roff(c.Usage))
	if c.Description != "" {
		fmt.Fprintf(b, ".PP\n%s\n", roffText(c.Description))
	}
	writeFlags(b, c)
	writeExamples(b, c)
}

func writeFlags(b *strings.Builder, c *cli.Command) {
	for _, f := range c.VisibleFlags() {
		text := flagHelp(c, f)
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(text[0]), roff(text[1]))
	}
}

func writeExamples(b *strings.Builder, c *cli.Command) {
	for _, line := range examples(c) {
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
