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

// The shells complete verbs, flags, values of flags, and how URLs begin.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
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
	// Each returns what the shell offers for a line.
	shells := map[string]func(t *testing.T, line string) (string, error){
		"bash": func(t *testing.T, line string) (string, error) {
			cmd := exec.CommandContext(t.Context(), "bash", "-c", `source <(locus completion bash)
compopt() { :; }
COMP_WORDS=($1)
[[ $1 != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_locus
printf '%s\n' "${COMPREPLY[@]}"`, "bash", line)
			cmd.Env = append(os.Environ(), env...)
			out, err := cmd.Output()
			return string(out), err
		},
		"fish": func(t *testing.T, line string) (string, error) {
			return peers.Fish(t, env, "locus completion fish | source; complete -C '"+line+"'")
		},
		"zsh": func(t *testing.T, line string) (string, error) {
			// The line is typed in a terminal.
			return peers.Zsh(t, env, `zmodload zsh/zpty
zpty z "TERM=dumb $ZSH_ARGZERO -f -i"
ask() { zpty -w z "$1"; zpty -r z shown "*$2*" }
ask "module_path=($module_path); fpath=($fpath); autoload -Uz compinit; compinit -u -D; source <(locus completion zsh); PS1=; echo rea''dy" ready
zpty -w -n z '`+line+`'$'\t\t'
zpty -w -n z $'\C-a\C-k'
ask "echo do''ne" done
print -r -- $shown
zpty -d z`)
		},
	}
	for shell, complete := range shells {
		t.Run(shell, func(t *testing.T) {
			for _, tt := range []struct{ line, want string }{
				{"locus mirr", "mirror"},
				{"locus get --output-d", "--output-dir"},
				{"locus parse --as rfc17", "rfc1738"},
				{"locus get goph", "gopher://"},
				{"locus get mi", "mid:"},
			} {
				if got, err := complete(t, tt.line); err != nil || !strings.Contains(got, tt.want) {
					t.Errorf("%q: %q, %v, want %q", tt.line, got, err, tt.want)
				}
			}
		})
	}
}
