package put

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// Impossible arguments are refused before put writes. Flags of trees need --recursive, and exclude
// the flags of single files.
func TestPutRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := os.Lstat(filepath.Join(dir, "none"))
	missing := ": " + errors.Unwrap(err).Error()
	at := cli.NewEnv(nil, nil, nil).FileURL(filepath.Join(dir, "new")).String()
	type row struct {
		args   string
		status int
		stderr string
	}
	rows := []row{
		{"", 2, "put needs more arguments"},
		{"one", 2, "put needs more arguments"},
		{"one two", 2, "hint: locus cp also takes the name of a file there"},
		{"one two AT", 2, "must be a folder, and end in /"},
		{"none AT", 1, "none" + missing},
		{". AT", 1, "locus: hint: locus put -r DIR URL sends the files of a folder"},
		{"one AT/missing/", 1, "locus: hint: if its folder is missing, make it with locus mkdir URL"},
		{"--if-match x one two AT/", 2, "--if-match"},
		{"--ftp-chmod 999 one AT", 2, "--ftp-chmod must be octal digits"},
		{"-r --ftp-chmod u+x . AT", 2, "--ftp-chmod must be octal digits"},
		{"--jobs 0 -r . AT", 2, "--jobs"},
		{"--max-delete -1 -r . AT", 2, "--max-delete"},
		{"--max-delete 0 -r . AT", 2, "--max-delete needs --delete"},
		{"--max-delete 1 -r . AT", 2, "--max-delete needs --delete"},
		{"-r --exclude [ . AT", 2, "["},
		{"-r none AT", 1, "none" + missing},
		{"-r one AT", 1, "one"},
		{"-r - AT", 1, "-" + missing},
		{"-r . gopher://127.0.0.1/1/x", 1, "unsupported operation"},
	}
	for _, flag := range []string{"--dry-run", "--jobs=2", "--include=x", "--exclude=x", "--max-delete=1", "--replace-newer", "--permissions", "--skip-links", "--manifest=m"} {
		name, _, _ := strings.Cut(flag, "=")
		rows = append(rows, row{flag + " one AT", 2, name + " needs --recursive"})
	}
	for _, flag := range []string{"--preserve", "--if-match=x"} {
		name, _, _ := strings.Cut(flag, "=")
		rows = append(rows, row{"-r " + flag + " . AT", 2, name + " cannot be combined with --recursive"})
	}
	for _, test := range rows {
		in := clitest.Input{Dir: dir, Env: map[string]string{"XDG_STATE_HOME": filepath.Join(dir, "state")}}
		status, stdout, stderr := clitest.Run(t, Verb(), in, strings.Fields(strings.ReplaceAll(test.args, "AT", at))...)
		if status != test.status || stdout != "" || !strings.Contains(stderr, test.stderr) {
			t.Errorf("put %s = %d, %q, %q, want %d, %q", test.args, status, stdout, stderr, test.status, test.stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			t.Fatalf("put %s, which must be refused, has written a file", test.args)
		}
	}
}

// An empty file and an empty stdin are stored. A second put replaces the file.
func TestPutStores(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "one": "one"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(dir).String()
	for _, test := range []struct{ args, stdin, want string }{
		{"one AT/new", "", "one"},
		{"empty AT/new", "", ""},
		{"- AT/new", "of stdin", "of stdin"},
		{"- AT/new", "", ""},
		{"--quiet one AT/new", "", "one"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir, Stdin: test.stdin}, strings.Fields(strings.ReplaceAll(test.args, "AT", at))...)
		text, err := os.ReadFile(filepath.Join(dir, "new"))
		if status != 0 || stdout+stderr != "" || err != nil || string(text) != test.want {
			t.Errorf("put %s = %d, %q, %q; stored %q, %v, want %q", test.args, status, stdout, stderr, text, err, test.want)
		}
	}
}
