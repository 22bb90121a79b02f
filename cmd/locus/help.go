package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// printHelp writes the short help of a command. It is a [cli.HelpPrinterFunc] that
// needs no template.
func printHelp(w io.Writer, _ string, data any) { writeHelp(w, data.(*cli.Command), false) }

// writeHelp writes the help of a command, examples last. The short help fits on a
// screen: the first paragraph and the common flags. All of it has every paragraph
// and every flag.
func writeHelp(w io.Writer, c *cli.Command, all bool) {
	fmt.Fprintf(w, "%s: %s\n\nusage:\n   %s\n", c.FullName(), c.Usage, c.UsageText)
	text := c.Description
	if !all {
		text, _, _ = strings.Cut(text, "\n\n")
	}
	if text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	var verbs, shown [][2]string
	for _, sub := range c.Commands {
		verbs = append(verbs, [2]string{sub.Name, sub.Usage})
	}
	common, hidden := commonFlags(c), 0
	for _, f := range c.VisibleFlags() {
		if !all && common != nil && !slices.Contains(common, f.Names()[0]) {
			hidden++
			continue
		}
		shown = append(shown, flagHelp(c, f))
	}
	printColumns(w, "verbs", verbs)
	printColumns(w, "flags", shown)
	switch {
	case hidden > 0:
		fmt.Fprintf(w, "\nlocus help --all %s shows everything: %d more flags.\n", c.Name, hidden)
	case !all && text != c.Description:
		fmt.Fprintf(w, "\nlocus help --all %s shows everything.\n", c.Name)
	}
	fmt.Fprint(w, "\nexample:\n")
	for _, line := range examples(c) {
		fmt.Fprintf(w, "   %s\n", line)
	}
}

func printColumns(w io.Writer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, row := range rows {
		fmt.Fprintf(w, "   %-*s  %s\n", width, row[0], row[1])
	}
}

// flagText returns how a flag is written and what it does. The name of its value
// stands between backquotes in its usage.
func flagText(f cli.Flag) [2]string {
	var names []string
	for _, name := range f.Names() {
		names = append(names, dashed(name))
	}
	text, usage := strings.Join(names, ", "), f.(cli.DocGenerationFlag).GetUsage()
	if before, after, ok := strings.Cut(usage, "`"); ok {
		value, rest, _ := strings.Cut(after, "`")
		text, usage = text+" "+value, before+value+rest
	}
	return [2]string{text, usage}
}

// example returns the metadata of a command whose help shows all flags and ends in
// these lines.
func example(lines ...string) map[string]any {
	return map[string]any{"example": lines}
}

// details returns the metadata of a command whose short help shows only the common
// flags, which stand between blanks.
func details(common string, lines ...string) map[string]any {
	return withCommon(example(lines...), common)
}

func withCommon(metadata map[string]any, common string) map[string]any {
	metadata["common"] = strings.Fields(common)
	return metadata
}

// kinds returns the metadata of a command whose --as has these values.
func kinds(values []string, lines ...string) map[string]any {
	return map[string]any{"kinds": values, "example": lines}
}

func examples(c *cli.Command) []string {
	lines, _ := c.Metadata["example"].([]string)
	return lines
}

// commonFlags returns the names of the flags that the short help shows; nil: all.
func commonFlags(c *cli.Command) []string {
	names, _ := c.Metadata["common"].([]string)
	return names
}

func (p *process) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "explain locus or one of its verbs",
		UsageText: "locus help [--all] [--man] [VERB]",
		Flags:     flags("all man"),
		Metadata:  example("locus help parse", "locus help --all get"),
		Action:    p.help,
	}
}

func (p *process) help(_ context.Context, c *cli.Command) error {
	args, err := arguments(c, 0, 1)
	if err != nil {
		return err
	}
	subject := c.Root()
	if len(args) > 0 {
		if subject = subject.Command(args[0]); subject == nil {
			return unknownVerb(c, args[0])
		}
	}
	if c.Bool("man") {
		return writeManual(p.out, subject)
	}
	writeHelp(p.out, subject, c.Bool("all"))
	return nil
}

// firstSteps is what locus says without a verb.
const firstSteps = `five things to do with locus:
   locus get URL             fetch what a URL names
   locus open HOST           open a site, or a telnet session
   locus mirror URL DIR      copy everything below a URL into a folder
   locus check FILE          find dead links in a file, folder or site
   locus serve               open URLs of every scheme in the browser
`

func quote(s string) string { return strconv.Quote(s) }
