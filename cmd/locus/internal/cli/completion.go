package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// completionOptions are the arguments of completion.
type completionOptions struct {
	Shells []string `args:"0-"`
}

// Completion returns the verb completion. It writes scripts that contain the verbs and
// flags of p. Scripts that run locus with what is typed would run it with URLs, which may
// hold anything: these run nothing.
func (p *Program) Completion() *Verb {
	run := func(_ context.Context, e *Env, o completionOptions) error { return p.writeCompletion(e, o.Shells) }
	return New(run, Verb{
		Name:     "completion",
		Summary:  "write a completion script for a shell",
		Synopsis: "locus completion bash|fish|powershell|zsh",
		Description: "Write the script to stdout. For bash add this line to ~/.bashrc:\n" +
			"   source <(locus completion bash)\n" +
			"For PowerShell add this line to $PROFILE:\n" +
			"   locus completion powershell | Out-String | Invoke-Expression",
		Examples: []string{"locus completion bash"},
	})
}

// shells have a completion script.
var shells = map[string]func(verbs []completed) string{
	"bash": bashCompletion, "fish": fishCompletion, "powershell": powerShellCompletion, "zsh": zshCompletion,
}

func shellNames() []string { return slices.Sorted(maps.Keys(shells)) }

// writeCompletion writes the script for the shell in args.
func (p *Program) writeCompletion(e *Env, args []string) error {
	if len(args) != 1 || shells[args[0]] == nil {
		return &UsageError{Text: "completion wants bash, fish, powershell or zsh", Hint: "locus help completion"}
	}
	_, err := fmt.Fprint(e.Out, shells[args[0]](p.completions()))
	return err
}

// A completed word is a verb with its flags, or a flag.
type completed struct {
	name       string // of a flag with its dashes
	usage      string
	takesValue bool        // a value follows the flag
	flags      []completed // of a verb
	values     []string    // of a flag, or the arguments of a verb; nil: file names
}

func (p *Program) completions() []completed {
	var verbs []completed
	for _, v := range p.Verbs {
		verb := completed{name: v.Name, usage: v.Summary}
		for _, f := range v.Flags() {
			_, usage := f.spec.text()
			one := completed{name: dashed(f.spec.name), usage: usage, takesValue: !f.spec.isBool(), values: f.spec.values(v)}
			verb.flags = append(verb.flags, one)
			if f.spec.short != "" {
				one.name = dashed(f.spec.short)
				verb.flags = append(verb.flags, one)
			}
		}
		for _, name := range []string{"--help", "-h"} {
			verb.flags = append(verb.flags, completed{name: name, usage: helpText[1]})
		}
		switch v.Name {
		case "help":
			verb.values = p.names()
		case "completion":
			verb.values = shellNames()
		}
		verbs = append(verbs, verb)
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

// valuedFlags returns the flags of all verbs whose values are known, by verb and
// flag: "parse --as".
func valuedFlags(verbs []completed) [][2]string {
	var all [][2]string
	for _, verb := range verbs {
		for _, f := range verb.flags {
			if f.values != nil {
				all = append(all, [2]string{verb.name + " " + f.name, strings.Join(f.values, " ")})
			}
		}
	}
	return all
}

func bashCompletion(verbs []completed) string {
	var b strings.Builder
	b.WriteString("_locus() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags= words=\n\tif ((COMP_CWORD == 1)); then\n")
	fmt.Fprintf(&b, "\t\twords='%s'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", namesOf(verbs))
	for _, verb := range verbs {
		fmt.Fprintf(&b, "\t\t%s) flags='%s' words='%s' ;;\n", verb.name, namesOf(verb.flags), strings.Join(verb.values, " "))
	}
	b.WriteString("\t\tesac\n\tfi\n\t[[ $cur == -* ]] && words=$flags\n\tcase \"${COMP_WORDS[1]} $prev\" in\n")
	for _, f := range valuedFlags(verbs) {
		fmt.Fprintf(&b, "\t'%s') words='%s' ;;\n", f[0], f[1])
	}
	b.WriteString("\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _locus locus\n")
	return b.String()
}

func zshCompletion(verbs []completed) string {
	var b strings.Builder
	b.WriteString("#compdef locus\n_locus() {\n\tlocal -a words_ flags_\n\tif (( CURRENT == 2 )); then\n\t\twords_=(\n")
	writeDescribed(&b, verbs)
	b.WriteString("\t\t)\n\telse\n\t\tcase $words[2] in\n")
	for _, verb := range verbs {
		fmt.Fprintf(&b, "\t\t%s)\n\t\twords_=(%s) flags_=(\n", verb.name, strings.Join(verb.values, " "))
		writeDescribed(&b, verb.flags)
		b.WriteString("\t\t) ;;\n")
	}
	b.WriteString("\t\tesac\n\t\tcase \"$words[2] $words[CURRENT-1]\" in\n")
	for _, f := range valuedFlags(verbs) {
		fmt.Fprintf(&b, "\t\t'%s') words_=(%s) ;;\n", f[0], f[1])
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
		if verb.values != nil {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", seen, strings.Join(verb.values, " "))
		}
		for _, f := range verb.flags {
			kind := " -l "
			if !strings.HasPrefix(f.name, "--") {
				kind = " -s "
			}
			if f.takesValue {
				kind = " -r" + kind
			}
			values := ""
			if f.values != nil {
				values = " -f -a '" + strings.Join(f.values, " ") + "'"
			}
			fmt.Fprintf(&b, "%s%s%s%s -d %s\n", seen, kind, strings.TrimLeft(f.name, "-"), values, shellQuoted(f.usage, `\'`))
		}
	}
	return b.String()
}

// powerShellCompletion returns a script that PowerShell asks for words. It completes
// file names by itself if there are none.
func powerShellCompletion(verbs []completed) string {
	var b strings.Builder
	b.WriteString("Register-ArgumentCompleter -Native -CommandName locus -ScriptBlock {\n" +
		"\tparam($word, $line, $cursor)\n\t$verbs = [ordered]@{\n")
	writeTable(&b, verbs)
	b.WriteString("\t}\n\t$flags = @{\n")
	for _, verb := range verbs {
		fmt.Fprintf(&b, "\t\t%s = @{\n", shellQuoted(verb.name, "''"))
		writeTable(&b, longNames(verb.flags))
		b.WriteString("\t\t}\n")
	}
	b.WriteString("\t}\n\t$values = @{\n")
	for _, verb := range verbs {
		if verb.values != nil {
			fmt.Fprintf(&b, "\t\t'%s' = '%s'\n", verb.name, strings.Join(verb.values, " "))
		}
	}
	for _, f := range valuedFlags(verbs) {
		fmt.Fprintf(&b, "\t\t'%s' = '%s'\n", f[0], f[1])
	}
	b.WriteString("\t}\n" +
		"\t$typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })\n" +
		"\t$words = $verbs\n" +
		"\tif ($typed.Count -gt 1) {\n" +
		"\t\t$words = @{}\n" +
		"\t\t$known = $values[$typed[1] + ' ' + $typed[-1]]\n" +
		"\t\tif (-not $known) { $known = $values[$typed[1]] }\n" +
		"\t\tif ($word.StartsWith('-')) { $words = $flags[$typed[1]] }\n" +
		"\t\telseif ($known) { foreach ($value in $known.Split(' ')) { $words[$value] = $value } }\n" +
		"\t}\n" +
		"\tforeach ($name in @($words.Keys) | Where-Object { $_.StartsWith($word) } | Sort-Object) {\n" +
		"\t\t[System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $words[$name])\n" +
		"\t}\n}\n")
	return b.String()
}

// longNames returns the flags that are not one letter: the keys of a table of
// PowerShell do not tell -O from -o.
func longNames(list []completed) []completed {
	return slices.DeleteFunc(slices.Clone(list), func(c completed) bool { return len(c.name) == 2 })
}

func writeTable(b *strings.Builder, list []completed) {
	for _, c := range list {
		fmt.Fprintf(b, "\t\t\t%s = %s\n", shellQuoted(c.name, "''"), shellQuoted(c.usage, "''"))
	}
}

// shellQuoted returns text in single quotes. Those in it are written as quote.
func shellQuoted(text, quote string) string {
	return "'" + strings.ReplaceAll(text, "'", quote) + "'"
}
