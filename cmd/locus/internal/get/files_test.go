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
		"":                                   "get wants more arguments: URL…",
		"-o x -O " + u:                       "-o and -O exclude each other",
		"-o x " + u + " " + u:                "-o FILE takes one URL",
		"-o x --input - " + u:                "-o FILE takes one URL",
		"-o x --output-dir d " + u:           "-o and --output-dir exclude each other",
		"-r -o x " + u:                       "-r makes a folder",
		"-r -O " + u:                         "-r makes a folder",
		"-r --offset 1 " + u:                 "--offset is not for -r",
		"-r --search x " + u:                 "--search is not for -r",
		"-r --charset latin1 " + u:           "--charset is not for -r",
		"-O --charset latin1 " + u:           "--charset is for text on a terminal",
		"-o x --charset latin1 " + u:         "--charset is for text on a terminal",
		"--metalink x --charset latin1":      "--charset is not for --metalink",
		"-O --raw " + u:                      "--raw is for a terminal",
		"-o x --raw " + u:                    "--raw is for a terminal",
		"-r --raw " + u:                      "--raw is not for -r",
		"-r --sha256 00 " + u:                "digests are not for -r",
		"-O --sha256 00 --checksum-file x u": "--sha256 and --checksum-file exclude each other",
		"-O --sha256 00 " + u:                "--sha256: ",
		"--json " + u:                        "--json is for files",
		"-o - --continue " + u:               "--continue is for files",
		"--jobs 2 " + u:                      "--jobs is for files",
		"-O --level 2 " + u:                  "--level is for -r",
		"-O --include x " + u:                "--include is for -r",
		"--answer x " + u:                    "--answer wants NAME=VALUE",
		"--max-size 0K " + u:                 "--max-size wants a number of bytes",
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
		{"-O AT/a AT/a", 1, `another URL is fetched into "a"`, "a=text a"},
		{"-O AT/none AT/b", 1, "no such file", "b=text b"},
		{"-O AT/", 1, "its end cannot be the name of a file\nlocus: hint: -o FILE names one", ""},
		{"-O --max-size 3 AT/a", 1, "3 bytes", ""},
		{"-O --sha256 " + strings.Repeat("0", 64) + " AT/a", 1, "the digest does not match", ""},
		{"-O AT/[a-b]", 0, "", "a=text a b=text b"},
		{"-O AT/{b}", 0, "", "b=text b"},
		{"-O --globoff AT/{a}", 1, "want", ""},
		{"-o d AT/a", 1, `write "d": it is a directory`, ""},
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
