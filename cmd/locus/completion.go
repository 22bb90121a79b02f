package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// completionCommand writes completions that know the verbs and flags themselves.
// What is typed is run by no shell and given to no program, as it is by those of
// the library: a URL may hold anything.
func (p *process) completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "write a script that completes this command in a shell",
		UsageText:   "locus completion bash|zsh|fish",
		Description: "Let the shell read the script that is written to stdout.",
		Metadata:    example("locus completion bash"),
		Action:      p.completion,
	}
}

// shells are the values of completion.
var shells = []string{"bash", "fish", "zsh"}

func (p *process) completion(_ context.Context, c *cli.Command) error {
	write := map[string]func(verbs []completed) string{"bash": bashCompletion, "fish": fishCompletion, "zsh": zshCompletion}[c.Args().First()]
	if write == nil || c.NArg() != 1 {
		return &usageError{text: "completion wants bash, zsh or fish", hint: "locus help completion"}
	}
	_, err := fmt.Fprint(p.out, write(completions(c.Root())))
	return err
}

// A completed word is a verb, with what may follow it, or a flag.
type completed struct {
	name  string // of a flag with its dashes
	usage string
	value bool        // a value follows the flag
	next  []completed // the flags of the verb
	words []string    // the arguments of the verb; nil: they are files, or URLs
}

func completions(root *cli.Command) []completed {
	var verbs []completed
	var names []string
	for _, c := range root.Commands {
		verb := completed{name: c.Name, usage: c.Usage}
		for _, f := range c.VisibleFlags() {
			_, single := f.(*cli.BoolFlag)
			usage := flagText(f)[1]
			for _, name := range f.Names() {
				verb.next = append(verb.next, completed{name: dashed(name), usage: usage, value: !single})
			}
		}
		verbs, names = append(verbs, verb), append(names, c.Name)
	}
	for i := range verbs {
		switch verbs[i].name {
		case "help":
			verbs[i].words = names
		case "completion":
			verbs[i].words = shells
		}
	}
	return verbs
}

func namesOf(list []completed) string {
	var names []string
	for _, c := range list {
		names = append(names, c.name)
	}
	return strings.Join(names, " ")
}

func bashCompletion(verbs []completed) string {
	var b strings.Builder
	b.WriteString("_locus() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} flags= words=\n\tif ((COMP_CWORD == 1)); then\n")
	fmt.Fprintf(&b, "\t\twords='%s'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", namesOf(verbs))
	for _, verb := range verbs {
		fmt.Fprintf(&b, "\t\t%s) flags='%s' words='%s' ;;\n", verb.name, namesOf(verb.next), strings.Join(verb.words, " "))
	}
	b.WriteString("\t\tesac\n\tfi\n\t[[ $cur == -* ]] && words=$flags\n" +
		"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _locus locus\n")
	return b.String()
}

func zshCompletion(verbs []completed) string {
	var b strings.Builder
	b.WriteString("#compdef locus\n_locus() {\n\tlocal -a words_ flags_\n\tif (( CURRENT == 2 )); then\n\t\twords_=(\n")
	writeDescribed(&b, verbs)
	b.WriteString("\t\t)\n\telse\n\t\tcase $words[2] in\n")
	for _, verb := range verbs {
		fmt.Fprintf(&b, "\t\t%s)\n\t\twords_=(%s) flags_=(\n", verb.name, strings.Join(verb.words, " "))
		writeDescribed(&b, verb.next)
		b.WriteString("\t\t) ;;\n")
	}
	b.WriteString("\t\tesac\n\tfi\n\tif [[ $words[CURRENT] == -* ]]; then\n\t\t_describe flag flags_\n" +
		"\telif (( $#words_ )); then\n\t\t_describe word words_\n\telse\n\t\t_files\n\tfi\n}\n" +
		"if [[ $funcstack[1] == _locus ]]; then _locus; else compdef _locus locus; fi\n")
	return b.String()
}

func writeDescribed(b *strings.Builder, list []completed) {
	for _, c := range list {
		fmt.Fprintf(b, "\t\t\t%s\n", shellQuoted(c.name+":"+c.usage, `'\''`))
	}
}

func fishCompletion(verbs []completed) string {
	var b strings.Builder
	for _, verb := range verbs {
		fmt.Fprintf(&b, "complete -c locus -n __fish_use_subcommand -f -a %s -d %s\n", verb.name, shellQuoted(verb.usage, `\'`))
		seen := "complete -c locus -n '__fish_seen_subcommand_from " + verb.name + "'"
		if verb.words != nil {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", seen, strings.Join(verb.words, " "))
		}
		for _, f := range verb.next {
			kind := " -l "
			if !strings.HasPrefix(f.name, "--") {
				kind = " -s "
			}
			if f.value {
				kind = " -r" + kind
			}
			fmt.Fprintf(&b, "%s%s%s -d %s\n", seen, kind, strings.TrimLeft(f.name, "-"), shellQuoted(f.usage, `\'`))
		}
	}
	return b.String()
}

// shellQuoted returns text in single quotes, with those in it written as quote.
func shellQuoted(text, quote string) string {
	return "'" + strings.ReplaceAll(text, "'", quote) + "'"
}
