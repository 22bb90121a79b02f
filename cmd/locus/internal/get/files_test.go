package get

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// Flags that exclude each other, or that have no effect without another flag, are refused before a
// URL is fetched, because fetching the URL would give another error.
func TestGetMisuse(t *testing.T) {
	const u = "file:///none/such"
	for args, want := range map[string]string{
		"":                                   "get needs more arguments: URL…",
		"-o x -O " + u:                       "-o and -O cannot be combined",
		"-o x " + u + " " + u:                "-o FILE takes only one URL",
		"-o x --input - " + u:                "-o FILE takes only one URL",
		"-o x --output-dir d " + u:           "-o and --output-dir cannot be combined",
		"-r -o x " + u:                       "-r makes a folder",
		"-r -O " + u:                         "-r makes a folder",
		"-r --offset 1 " + u:                 "--offset cannot be combined with -r",
		"-r --search x " + u:                 "--search cannot be combined with -r",
		"-r --charset latin1 " + u:           "--charset cannot be combined with -r",
		"-O --charset latin1 " + u:           "--charset works only on a terminal",
		"-o x --charset latin1 " + u:         "--charset works only on a terminal",
		"--metalink x --charset latin1":      "--charset cannot be combined with --metalink",
		"-O --raw " + u:                      "--raw works only on a terminal",
		"-o x --raw " + u:                    "--raw works only on a terminal",
		"-r --raw " + u:                      "--raw cannot be combined with -r",
		"-r --sha256 00 " + u:                "digests cannot be checked with -r",
		"-O --sha256 00 --checksum-file x u": "--sha256 and --checksum-file cannot be combined",
		"-O --sha256 00 " + u:                "--sha256: ",
		"--json " + u:                        "--json works only for files",
		"-o - --continue " + u:               "--continue works only for files",
		"--jobs 2 " + u:                      "--jobs works only for files",
		"-O --level 2 " + u:                  "--level needs -r",
		"-O --include x " + u:                "--include needs -r",
		"--answer x " + u:                    "--answer must be NAME=VALUE",
		"--max-size 0K " + u:                 "--max-size must be a number of bytes",
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: t.TempDir()}, strings.Fields(args)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, "locus: "+want) {
			t.Errorf("get %s = %d, %q, %q, want %q", args, status, stdout, stderr, want)
		}
	}
}

// Files are fetched into the user's folder under their names, and their digests are checked.
func TestGetFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "text a", "b": "text b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(dir).String()
	for _, test := range []struct {
		args   string
		status int
		stderr string
		files  string // the names and contents of the files
	}{
		{"-O AT/a AT/b", 0, "", "a=text a b=text b"},
		{"--output-dir d/e AT/a", 0, "", "d/e/a=text a"},
		{"-o x AT/a", 0, "", "x=text a"},
		{"-O AT/a AT/a", 1, `another URL is also saved as "a"`, "a=text a"},
		{"-O AT/none AT/b", 1, "no such file", "b=text b"},
		{"-O AT/", 1, "its end cannot be the name of a file\nlocus: hint: name the file with -o FILE", ""},
		{"-O --max-size 3 AT/a", 1, "3 bytes", ""},
		{"-O --sha256 " + strings.Repeat("0", 64) + " AT/a", 1, "the digest does not match", ""},
		{"-O AT/[a-b]", 0, "", "a=text a b=text b"},
		{"-O AT/{b}", 0, "", "b=text b"},
		{"-O --globoff AT/{a}", 1, "want", ""},
		{"-o d AT/a", 1, `write "d": it is a folder`, ""},
	} {
		here := t.TempDir()
		if strings.HasPrefix(test.args, "-o d ") {
			if err := os.Mkdir(filepath.Join(here, "d"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: here}, strings.Fields(strings.ReplaceAll(test.args, "AT", at))...)
		var files []string
		_ = filepath.WalkDir(here, func(path string, d os.DirEntry, _ error) error {
			if text, err := os.ReadFile(path); err == nil {
				name, _ := filepath.Rel(here, path)
				files = append(files, filepath.ToSlash(name)+"="+string(text))
			}
			return nil
		})
		if got := strings.Join(files, " "); status != test.status || !strings.Contains(stderr, test.stderr) || got != test.files {
			t.Errorf("get %s = %d, %q, files %q, want %d, %q, %q", test.args, status, stderr, got, test.status, test.stderr, test.files)
		}
	}
}
