package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locus/internal/flags"
)

// completionOptions are the arguments of completion.
type completionOptions struct {
	Args []string `args:"0-"` // a shell; or "words" and what was typed, the last word after "=": PowerShell drops empty words
}

// Completion returns the verb completion. It writes a script for a shell. The script runs
// "locus completion words" with what was typed after locus, and evaluates none of it.
func (p *Program) Completion() *Verb {
	return New(p.complete, Verb{
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

func (p *Program) complete(_ context.Context, e *Env, o completionOptions) error {
	if len(o.Args) > 1 && o.Args[0] == "words" {
		last := len(o.Args) - 1
		before, current, start := splitFlag(o.Args[1:last], strings.TrimPrefix(o.Args[last], "="))
		for _, word := range p.candidates(before, current) {
			if strings.HasPrefix(word[0], current) {
				fmt.Fprintf(e.Out, "%s%s\t%s\n", start, word[0], word[1])
			}
		}
		return nil
	}
	if len(o.Args) != 1 || completionScripts()[o.Args[0]] == "" {
		return &UsageError{Text: "completion wants bash, fish, powershell or zsh", Hint: "locus help completion"}
	}
	_, err := e.Out.WriteString(completionScripts()[o.Args[0]])
	return err
}

// splitFlag makes two words of --as=rfc1, and of what bash makes of it: "--as", "=", "rfc1".
// start is what the shell wants before each candidate.
func splitFlag(before []string, current string) (newBefore []string, newCurrent, start string) {
	if current == "=" {
		return before, "", ""
	}
	if last := len(before) - 1; last >= 0 && before[last] == "=" {
		return before[:last], current, ""
	}
	flag, value, ok := strings.Cut(current, "=")
	if !ok || !strings.HasPrefix(flag, "-") {
		return before, current, ""
	}
	return append(before, flag), value, flag + "="
}

// candidates returns words that may follow those before the cursor, each with what it
// means; nil for the names of files. current is the beginning of the word.
func (p *Program) candidates(before []string, current string) (found [][2]string) {
	if len(before) == 0 {
		return p.summaries()
	}
	v, err := p.Find(before[0])
	if err != nil {
		return nil
	}
	previous, isFlag := strings.CutPrefix(before[len(before)-1], "-")
	previous = strings.TrimPrefix(previous, "-")
	all := append(v.Flags(), helpFlag)
	for _, f := range all {
		if isFlag && f.IsCalled(previous) {
			_, usage := f.Text()
			for _, value := range valuesOf(f) {
				found = append(found, [2]string{value, usage})
			}
		}
	}
	switch {
	case found != nil:
	case strings.HasPrefix(current, "-"):
		for _, f := range all {
			_, usage := f.Text()
			found = append(found, [2]string{flags.Dashed(f.Name), usage})
			if f.Short != "" {
				found = append(found, [2]string{flags.Dashed(f.Short), usage})
			}
		}
	case v.Name == "help":
		return p.summaries()
	case v.Name == "completion":
		for _, shell := range slices.Sorted(maps.Keys(completionScripts())) {
			found = append(found, [2]string{shell, "write a completion script for a shell"})
		}
	}
	return found
}

func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_locus() {
	local IFS=$'\n'
	COMPREPLY=($(locus completion words -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "=${COMP_WORDS[COMP_CWORD]}" 2>/dev/null | cut -f 1))
}
complete -o default -F _locus locus
`,
		"fish": `function __locus_words
	set -l typed (commandline -opc)
	set -l current (commandline -ct)
	locus completion words -- $typed[2..] "=$current" 2>/dev/null
end
complete -c locus -n '__locus_words | string length -q' -f -a '(__locus_words)'
`,
		"powershell": `Register-ArgumentCompleter -Native -CommandName locus -ScriptBlock {
	param($word, $line, $cursor)
	$typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
	locus completion words -- @($typed | Select-Object -Skip 1) "=$word" | ForEach-Object {
		$name, $usage = $_.Split([char]9)
		if (-not $usage) { $usage = $name }
		[System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $usage)
	}
}
`,
		"zsh": `#compdef locus
_locus() {
	local -a found
	found=("${(@f)$(locus completion words -- "${(@)words[2,CURRENT-1]}" "=${words[CURRENT]}" 2>/dev/null)}")
	found=("${found[@]/$'\t'/:}")
	if [[ -n $found ]]; then
		_describe word found
	else
		_files
	fi
}
if [[ $funcstack[1] == _locus ]]; then _locus; else compdef _locus locus; fi
`,
	}
}
