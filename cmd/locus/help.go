package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// printHelp writes what the help of a command says; the example comes last. It
// is a [cli.HelpPrinterFunc] that needs no template.
func printHelp(w io.Writer, _ string, data any) {
	c := data.(*cli.Command)
	fmt.Fprintf(w, "%s: %s\n\nusage:\n   %s\n", c.FullName(), c.Usage, c.UsageText)
	if c.Description != "" {
		fmt.Fprintf(w, "\n%s\n", c.Description)
	}
	var verbs, flags [][2]string
	for _, sub := range c.Commands {
		verbs = append(verbs, [2]string{sub.Name, sub.Usage})
	}
	for _, f := range c.VisibleFlags() {
		flags = append(flags, flagText(f))
	}
	printColumns(w, "verbs", verbs)
	printColumns(w, "flags", flags)
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

// flagText returns how a flag is written and what it does. What stands between
// backquotes in its usage is the name of its value.
func flagText(f cli.Flag) [2]string {
	var names []string
	for _, name := range f.Names() {
		names = append(names, strings.Repeat("-", min(2, len(name)))+name)
	}
	text, usage := strings.Join(names, ", "), f.(cli.DocGenerationFlag).GetUsage()
	if before, after, ok := strings.Cut(usage, "`"); ok {
		value, rest, _ := strings.Cut(after, "`")
		text, usage = text+" "+value, before+value+rest
	}
	return [2]string{text, usage}
}

// example is where a command keeps the examples that its help ends in.
func example(lines ...string) map[string]any {
	return map[string]any{"example": lines}
}

func examples(c *cli.Command) []string {
	lines, _ := c.Metadata["example"].([]string)
	return lines
}

func (p *process) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "say what locus, or one of its verbs, does",
		UsageText: "locus help [--man] [VERB]",
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "man", Usage: "write the manual page of the whole command instead, for man -l"}},
		Metadata:  example("locus help parse"),
		Action:    p.help,
	}
}

func (p *process) help(ctx context.Context, c *cli.Command) error {
	args, err := arguments(c, 0, 1)
	if err != nil {
		return err
	}
	root := c.Root()
	if c.Bool("man") {
		return writeManual(p.out, root)
	}
	if len(args) == 0 {
		return cli.ShowRootCommandHelp(root)
	}
	if root.Command(args[0]) == nil {
		return unknownVerb(c, args[0])
	}
	return cli.ShowCommandHelp(ctx, root, args[0])
}

func quote(s string) string { return strconv.Quote(s) }
