//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locus/internal/peers"
)

// The shells complete verbs, flags, values of flags, and the beginnings of URLs.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	self, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := peers.Shared(t) // the shells run as another user
	if err := os.WriteFile(filepath.Join(dir, "locus"), program, 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	tests := []struct{ line, want string }{
		{"locus mirr", "mirror"},
		{"locus get --output-d", "--output-dir"},
		{"locus parse --as rfc17", "rfc1738"},
		{"locus check --fail-on so", "soft-404"},
		{"locus get --record-syntax sut", "sutrs"},
		{"locus get goph", "gopher://"},
		{"locus get mi", "mid:"},
	}
	lines := ""
	for _, test := range tests {
		lines += " '" + test.line + "'"
	}
	// Each function returns the completions of the shell for each line, with "==" after them.
	shells := map[string]func(*testing.T) (string, error){
		"bash": func(t *testing.T) (string, error) {
			cmd := exec.CommandContext(t.Context(), "bash", "-c", `source <(locus completion bash)
compopt() { :; }
for line in`+lines+`; do
	COMP_WORDS=($line)
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_locus
	printf '%s\n' "${COMPREPLY[@]}"
	echo ==
done`)
			cmd.Env = append(os.Environ(), env...)
			out, err := cmd.Output()
			return string(out), err
		},
		"fish": func(t *testing.T) (string, error) {
			return peers.Fish(t, env, "locus completion fish | source; for line in"+lines+"; complete -C $line; echo ==; end")
		},
		"zsh": func(t *testing.T) (string, error) {
			// zsh completes only lines that are typed at a terminal.
			return peers.Zsh(t, env, `zmodload zsh/zpty
zpty z "TERM=dumb $ZSH_ARGZERO -f -i"
ask() { zpty -w z "$1"; zpty -r z shown "*$2*" }
ask "module_path=($module_path); fpath=($fpath); autoload -Uz compinit; compinit -u -D; source <(locus completion zsh); PS1=; echo rea''dy" ready
for line in`+lines+`; do
	zpty -w -n z "$line"$'\t\t'
	zpty -w -n z $'\C-a\C-k'
	ask "echo do''ne" done
	print -r -- $shown
	print -r -- '=='
done
zpty -d z`)
		},
	}
	for shell, complete := range shells {
		t.Run(shell, func(t *testing.T) {
			out, err := complete(t)
			offers := strings.Split(out, "==\n")
			if err != nil || len(offers) != len(tests)+1 {
				t.Fatalf("%q, %v, want the completions of %d lines", out, err, len(tests))
			}
			for i, test := range tests {
				if !strings.Contains(offers[i], test.want) {
					t.Errorf("%q: %q, want %q", test.line, offers[i], test.want)
				}
			}
		})
	}
}
