package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"locus/cmd/locus/internal/flags"
)

// A Script tells a shell how to complete the words of locus. It runs "locus completion words --" with the words
// that were typed after locus, and does not evaluate them. It writes "=" before the last word, which may be
// empty, because PowerShell drops empty words.
type Script struct{ Shell, Text string }

// Scripts returns the scripts, in the order of their shells.
func Scripts() []Script {
	return []Script{
		{"bash", `_locus() {
	local IFS=$'\n'
	COMPREPLY=($(locus completion words -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "=${COMP_WORDS[COMP_CWORD]}" 2>/dev/null | cut -f 1))
	[[ ${COMPREPLY[0]} != *[:/] ]] || compopt -o nospace
}
complete -o default -F _locus locus
`},
		{"fish", `function __locus_words
	set -l typed (commandline -opc)
	set -l current (commandline -ct)
	locus completion words -- $typed[2..] "=$current" 2>/dev/null
end
complete -c locus -n '__locus_words | string length -q' -f -a '(__locus_words)'
`},
		{"powershell", `Register-ArgumentCompleter -Native -CommandName locus -ScriptBlock {
	param($word, $line, $cursor)
	$typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
	locus completion words -- @($typed | Select-Object -Skip 1) "=$word" | ForEach-Object {
		$name, $usage = $_.Split([char]9)
		if (-not $usage) { $usage = $name }
		[System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $usage)
	}
}
`},
		{"zsh", `#compdef locus
_locus() {
	local -a found
	found=("${(@f)$(locus completion words -- "${(@)words[2,CURRENT-1]}" "=${words[CURRENT]}" 2>/dev/null)}")
	found=("${found[@]//:/\\:}")
	found=("${found[@]/$'\t'/:}")
	if [[ $found == *(\\:|/):a\ URL* ]]; then
		_describe word found -S ''
	elif [[ -n $found ]]; then
		_describe word found
	else
		_files
	fi
}
if [[ $funcstack[1] == _locus ]]; then _locus; else compdef _locus locus; fi
`},
	}
}

// WriteWords writes a line for each word that may follow the words in before and begins with current: the word, a tab
// and its meaning. Where the name of a file may follow, it writes no line.
func (p Program) WriteWords(w io.Writer, before []string, current string) error {
	before, current, start := splitFlag(before, current)
	for _, word := range p.candidates(before, current) {
		if !strings.HasPrefix(word[0], current) {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s%s\t%s\n", start, word[0], word[1]); err != nil {
			return err
		}
	}
	return nil
}

// splitFlag splits current, such as --as=rfc1, into the flag and its value, and moves the flag to the words before
// it. It does the same with the three words into which bash splits --as=rfc1: "--as", "=", "rfc1". start is the
// prefix that the shell expects before each candidate.
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

// candidates returns the words that may follow the words before the cursor, each with its meaning; nil where the name
// of a file may follow. current is the beginning of the word at the cursor. The words need not begin with it.
func (p Program) candidates(before []string, current string) (found [][2]string) {
	if len(before) == 0 {
		return summaries(p.Verbs)
	}
	v, ok := p.Verb(before[0])
	if !ok {
		return nil
	}
	if found = v.values(before[len(before)-1]); found != nil {
		return found
	}
	switch {
	case strings.HasPrefix(current, "-"):
		for _, f := range v.all() {
			_, usage := f.Text()
			found = append(found, [2]string{flags.Dashed(f.Name), usage})
			if f.Short != "" {
				found = append(found, [2]string{flags.Dashed(f.Short), usage})
			}
		}
	case v.Name == "help":
		return summaries(p.Verbs)
	case v.Name == "completion":
		for _, script := range Scripts() {
			found = append(found, [2]string{script.Shell, "write a completion script for a shell"})
		}
	case p.URLStarts != nil && v.takesURLs():
		for _, start := range p.URLStarts() {
			found = append(found, [2]string{start, "a URL"})
		}
	}
	return found
}

// values returns the known values of the flag word, each with the sentence of the flag; nil if word
// is not a flag, or the flag has no known values.
func (p Page) values(word string) (found [][2]string) {
	name, isFlag := strings.CutPrefix(word, "-")
	name = strings.TrimPrefix(name, "-")
	for _, f := range p.Flags {
		if !isFlag || !f.IsCalled(name) {
			continue
		}
		_, usage := f.Text()
		for _, value := range append(slices.Clip(f.Choices), f.Likely...) {
			found = append(found, [2]string{value, usage})
		}
	}
	return found
}
