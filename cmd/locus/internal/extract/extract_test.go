package extract

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

func TestExtract(t *testing.T) {
	const text = "see http://a.example/x, FTP://b.example/y and http://a.example/x or me@c.example, www.d.example"
	long := "http://h/" + strings.Repeat("b", 60<<10)
	clitest.Table(t, Verb(), []clitest.Case{
		{Stdin: text, Stdout: "http://a.example/x\nFTP://b.example/y\nhttp://a.example/x\n"},
		{Stdin: text, Args: []string{"-"}, Stdout: "http://a.example/x\nFTP://b.example/y\nhttp://a.example/x\n"},
		{Stdin: text, Args: []string{"--unique"}, Stdout: "http://a.example/x\nFTP://b.example/y\n"},
		{Stdin: text, Args: []string{"--count"}, Stdout: "3\n"},
		{Stdin: text, Args: []string{"--count", "--unique"}, Stdout: "2\n"},
		{Stdin: text, Args: []string{"--scheme", "ftp"}, Stdout: "FTP://b.example/y\n"},
		{Stdin: text, Args: []string{"--scheme", "ftp://", "--scheme", "wais"}, Stdout: "FTP://b.example/y\n"},
		{Stdin: text, Args: []string{"--host", "example", "--host", "a.example", "--count"}, Stdout: "3\n"},
		{Stdin: text, Args: []string{"--host", "b.example"}, Stdout: "FTP://b.example/y\n"},
		{Stdin: text, Args: []string{"--addresses", "--scheme", "mailto"}, Stdout: "mailto:me@c.example\n"},
		{Stdin: text, Args: []string{"--bare", "--host", "d.example"}, Stdout: "http://www.d.example\n"},
		{Stdin: "a zz://h/x", Args: []string{"--unknown"}, Stdout: "zz://h/x\n"},
		{Stdin: `<a href="b?c">x</a>`, Args: []string{"--as", "html", "--base", "http://h/a/"}, Stdout: "http://h/a/b?c\n"},
		{Stdin: "<base href=" + long + "/>\n<a href=b><a href=c>", Args: []string{"--as", "html"}, Status: 1, Stdout: long + "/\n", Stderr: "-:2:9: a URL longer than the limit, to which references are relative: they are left out\n"},
		{Stdin: "see http://h/x.", Args: []string{"--wrap"}, Stdout: "see <URL:http://h/x>."},
		{Stdin: "", Stdout: ""},
		{Stdin: "", Args: []string{"--count"}, Stdout: "0\n"},
		{Args: []string{"--count", "--json"}, Status: 2, Stderr: "--count and --json cannot be combined"},
		{Args: []string{"--wrap", "--unique"}, Status: 2, Stderr: "--wrap and --unique cannot be combined"},
		{Args: []string{"--base", "a/b"}, Status: 2, Stderr: `--base must be a URL with a scheme, not "a/b"`},
		{Args: []string{"--include", "["}, Status: 2, Stderr: `"[" is not a valid pattern`},
		{Args: []string{"--as", "word"}, Status: 2, Stderr: "--as must be"},
		{Stdin: "\xff\xfeh\x00", Status: 1, Stderr: "read -: it is in UTF-16, which locus cannot read\nlocus: hint: to convert it, use iconv -f UTF-16"},
		{Args: []string{"--count"}, Stdin: "http://h/ \xff\xfe", Stdout: "1\n"}, // the byte order mark is not at the beginning
	})
}

// Files below a folder are read in the order of their names, except files that a filter or Git
// excludes. A file that cannot be read is reported, and the others are read.
func TestExtractFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "http://a/", "b.html": "<a href=http://b/>", "c/d.txt": "http://d/", "e.gz": "\x1f\x8b\x08http://e/",
		".git/config": "http://git/", ".gitignore": "ignored\n", "ignored": "http://ignored/",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args, want string
		status     int
		stderr     string
	}{
		{".", "http://a/ http://b/ http://d/", 0, ""},
		{". --jobs 1", "http://a/ http://b/ http://d/", 0, ""},
		{". --include *.txt --exclude z.*", "http://a/ http://d/", 0, ""},
		{". --exclude c/", "http://a/ http://b/", 0, ""},
		{". --no-ignore --include ignored", "http://ignored/", 0, ""},
		{"c a.txt", "http://d/ http://a/", 0, ""},
		{"none a.txt", "http://a/", 1, "none: no such file"},
		{"e.gz", "", 1, "read e.gz: it is in gzip, which locus cannot read\nlocus: hint: to convert it, use gzip -dc"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, strings.Fields(test.args)...)
		if got := strings.Join(strings.Fields(stdout), " "); got != test.want || status != test.status || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") {
			t.Errorf("extract %s = %d, %q, %q, want %d, %q, %q", test.args, status, got, stderr, test.status, test.want, test.stderr)
		}
	}
}

// Each file of a folder, and each argument, is in one part. The parts have the same files when another machine has the
// folder elsewhere.
func TestExtractShard(t *testing.T) {
	var all []string
	dir := t.TempDir()
	for i := range 20 {
		name := fmt.Sprintf("site/%d/%d.txt", i%3, i)
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, fmt.Appendf(nil, "http://h%d/", i), 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	for _, args := range [][]string{{"site"}, all} {
		counts := make(map[string]int)
		for part := 1; part <= 3; part++ {
			shard := []string{"--shard", fmt.Sprint(part, "/3")}
			status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, append(shard, args...)...)
			if status != 0 || stderr != "" {
				t.Errorf("extract --shard %d/3 %.100q = %d, %q", part, args, status, stderr)
			}
			for found := range strings.FieldsSeq(stdout) {
				counts[found]++
			}
			if len(args) > 1 {
				continue
			}
			_, elsewhere, _ := clitest.Run(t, Verb(), clitest.Input{}, append(shard, filepath.Join(dir, "site"))...)
			if elsewhere != stdout {
				t.Errorf("part %d/3 has %q, and by another name of the folder %q", part, stdout, elsewhere)
			}
		}
		for i := range 20 {
			if n := counts[fmt.Sprintf("http://h%d/", i)]; n != 1 {
				t.Errorf("extract %.100q: file %d is in %d parts", args, i, n)
			}
		}
	}
	for args, want := range map[string]string{
		"--shard 1/2":          "--shard cannot divide stdin, because it divides files and URLs by their names",
		"--shard 1/2 -":        "--shard cannot divide stdin",
		"--shard 1/2 --wrap a": "--shard and --wrap cannot be combined",
		"--shard half site":    "--shard must be a part",
	} {
		if status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: dir}, strings.Fields(args)...); status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("extract %s = %d, %q, want 2, %q", args, status, stderr, want)
		}
	}
}

// With --json, a match in a file or a pipe has its line and the text around it.
func TestExtractContext(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("y", 500)
	text := "first\nsee http://h/x now\n" + long + " http://h/z " + long + "\n"
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{"a", "-"} {
		_, stdout, _ := clitest.Run(t, Verb(), clitest.Input{Dir: dir, Stdin: text}, "--json", arg)
		for _, want := range []string{
			`"file":"` + arg + `","offset":10,"length":10,"line":2,"column":5,"context":"see http://h/x now"}`,
			`"context":"` + strings.Repeat("y", 79) + " http://h/z " + strings.Repeat("y", 79) + `"}`,
		} {
			if !strings.Contains(stdout, want) {
				t.Errorf("extract --json %s does not contain %s:\n%s", arg, want, stdout)
			}
		}
	}
}
