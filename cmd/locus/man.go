package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// writeManual writes the manual page of the command, as man(7) source.
func writeManual(w io.Writer, root *cli.Command) error {
	var b strings.Builder
	b.WriteString(".TH LOCUS 1\n.SH NAME\nlocus \\- " + roff(root.Usage) + "\n")
	b.WriteString(".SH SYNOPSIS\n.B " + roff(root.UsageText) + "\n")
	b.WriteString(".SH DESCRIPTION\n" + roff(root.Description) + "\n.SH OPTIONS\n")
	writeFlags(&b, root)
	b.WriteString(".SH VERBS\n")
	for _, c := range root.Commands {
		if !c.Hidden {
			writeVerb(&b, c)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeVerb(b *strings.Builder, c *cli.Command) {
	fmt.Fprintf(b, ".SS %s\n.B %s\n.PP\n%s.\n", roff(c.Name), roff(c.UsageText), roff(c.Usage))
	if c.Description != "" {
		fmt.Fprintf(b, ".PP\n%s\n", roff(c.Description))
	}
	writeFlags(b, c)
	for _, line := range examples(c) {
		fmt.Fprintf(b, ".PP\n.EX\n%s\n.EE\n", roff(line))
	}
}

func writeFlags(b *strings.Builder, c *cli.Command) {
	for _, f := range c.VisibleFlags() {
		text := flagText(f)
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(text[0]), roff(text[1]))
	}
}

// roff returns text as man(7) source that says just that.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "…", "...").Replace(text)
	return strings.ReplaceAll(text, "\n.", "\n\\&.")
}
