package get

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// URLs come from the arguments and then from --input. Brackets and braces are expanded.
func TestURLs(t *testing.T) {
	for _, test := range []struct {
		args    []string
		input   string
		globOff bool
		want    string // the URLs and errors
	}{
		{args: []string{"http://h/{a,b}[1-2]"}, want: "http://h/a1 http://h/a2 http://h/b1 http://h/b2"},
		{args: []string{"URL:http://h/x", "http://[::1]/"}, want: "http://h/x http://[::1]/"},
		{args: []string{"http://h/{a"}, want: "!hint"},
		{args: []string{"http://u:secret@h/[z"}, want: "!hint"},
		{args: []string{"http://h/%zz", "http://h/"}, want: "! http://h/"},
		{args: []string{"http://h/{a}"}, globOff: true, want: "!"},
		{args: []string{"http://h/1"}, input: "# a list\n\n  http://h/2  \r\nhttp://h/{3,4}\nhttp://h/5", want: "http://h/1 http://h/2 http://h/3 http://h/4 http://h/5"},
		{input: "", want: ""},
	} {
		e, typed := newEnv(t)
		_, _ = typed.WriteString(test.input)
		typed.Close()
		g := &getter{Env: e, Options: Options{URLs: test.args, Input: "-", GlobOff: test.globOff, Given: cli.Given{"input": true}}}
		urls, err := g.urls(t.Context())
		if err != nil {
			t.Fatalf("%q: %v", test.args, err)
		}
		var got []string
		for one := range urls {
			switch {
			case one.err == nil:
				got = append(got, one.url.String())
			case strings.Contains(one.err.Error(), "secret"):
				t.Errorf("urls of %q: the error %v shows the password", test.args, one.err)
			case strings.Contains(cli.Hint(one.err), "--globoff"):
				got = append(got, "!hint")
			default:
				got = append(got, "!")
			}
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("urls of %q and --input %q = %q, want %q", test.args, test.input, text, test.want)
		}
		n := 0
		for range urls { // a loop may end early
			if n++; n == 1 {
				break
			}
		}
	}
	e, _ := newEnv(t)
	g := &getter{Env: e, Options: Options{Input: "none", Given: cli.Given{"input": true}}}
	if _, err := g.urls(t.Context()); err == nil {
		t.Error("urls with a list that does not exist = nil, want an error")
	}
}

// get writes to stdout and to one file: from an offset, up to a size, and several URLs one after
// another.
func TestGetStdout(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "text a\n", "b": "text b\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(dir).String()
	for _, test := range []struct {
		args, input    string
		status         int
		stdout, stderr string
		file           string // the content of the file "out"
	}{
		{args: "AT/a", stdout: "text a\n"},
		{args: "AT/a AT/b", stdout: "text a\ntext b\n"},
		{args: "--offset 5 AT/a", stdout: "a\n"},
		{args: "--offset 7 AT/a"},
		{args: "--offset 8 AT/a", status: 1, stderr: "ends before the requested offset"},
		{args: "--max-size 7 AT/a", stdout: "text a\n"},
		{args: "--max-size 6 AT/a", status: 1, stderr: "more than 6 bytes"},
		{args: "--max-size 2 --offset 5 AT/a", stdout: "a\n"},
		{args: "AT/none AT/b", status: 1, stdout: "text b\n", stderr: "no such file"},
		{args: "--input -", input: "AT/b\nAT/a", stdout: "text b\ntext a\n"},
		{args: "-o out AT/a", file: "text a\n"},
		{args: "-o out --offset 5 AT/a", file: "a\n"},
		{args: "-o out --max-size 3 AT/a", status: 1, stderr: "more than 3 bytes"},
		{args: "-o - AT/a", stdout: "text a\n"},
		{args: "--search x AT/a", status: 1, stderr: `--search works only for URLs that can be searched`},
		{args: "--answer x=secret AT/a", status: 1, stderr: "it is not a form"},
		{args: "unheard://h/", status: 1, stderr: "locus schemes lists the schemes that it can open"},
	} {
		here := t.TempDir()
		in := clitest.Input{Dir: here, Stdin: strings.ReplaceAll(test.input, "AT", at)}
		status, stdout, stderr := clitest.Run(t, Verb(), in, strings.Fields(strings.ReplaceAll(test.args, "AT", at))...)
		text, _ := os.ReadFile(filepath.Join(here, "out"))
		if status != test.status || stdout != test.stdout || !strings.Contains(stderr, test.stderr) || string(text) != test.file || strings.Contains(stderr, "secret") {
			t.Errorf("get %s = %d, %q, %q, file %q; want %d, %q, %q, file %q", test.args, status, stdout, stderr, text, test.status, test.stdout, test.stderr, test.file)
		}
	}
}

// A tree goes into a folder with its name, or into --output-dir.
func TestGetTree(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"tree/a", "tree/sub/b"} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := cli.NewEnv(nil, nil, nil).FileURL(filepath.Join(dir, "tree")).String() + "/"
	for args, want := range map[string]string{
		"-r AT":                  "tree/a tree/sub/b",
		"-r --output-dir new AT": "new/tree/a new/tree/sub/b",
		"-r --exclude sub AT":    "tree/a",
		"-r --level 1 AT":        "tree/a",
		"-r --max-files 1 AT":    "status 1",
	} {
		here := t.TempDir()
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: here}, strings.Fields(strings.ReplaceAll(args, "AT", at))...)
		var names []string
		_ = filepath.WalkDir(here, func(path string, d os.DirEntry, _ error) error {
			if name, err := filepath.Rel(here, path); err == nil && !d.IsDir() {
				names = append(names, filepath.ToSlash(name))
			}
			return nil
		})
		got := strings.Join(names, " ")
		if status == 1 && strings.Contains(stderr, "to allow more, use --max-files N") {
			got = "status 1"
		}
		if got != want || status != 0 && want != "status 1" {
			t.Errorf("get %s = %d, %q: %q, want %q", args, status, stderr, got, want)
		}
	}
}
