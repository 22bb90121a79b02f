package list

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// newFolder returns the URL of a folder with a file "a b.txt" and a folder "sub".
func newFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	changed := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, name := range []string{file, filepath.Join(dir, "sub")} {
		if err := os.Chtimes(name, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	return cli.NewEnv(nil, nil, nil).FileURL(dir).String()
}

func TestLs(t *testing.T) {
	at := newFolder(t)
	for _, test := range []struct {
		verb *cli.Verb
		args []string
		want []string // the beginning of each line, with one space between columns
	}{
		{Ls(), []string{at + "/"}, []string{"a b.txt file 4 2024-05-06 07:08 " + at + "/a%20b.txt", "sub folder - 2024-05-06 07:08 " + at + "/sub/"}},
		{Ls(), []string{at + "/a%20b.txt"}, []string{"a b.txt file 4 2024-05-06 07:08 " + at + "/a%20b.txt"}},
		{Ls(), []string{"-l", at + "/"}, []string{"file 4 2024-05-06 07:08 a b.txt", "folder - 2024-05-06 07:08 sub"}},
		{Ls(), []string{"--json", at + "/"}, []string{`{"title":"a b.txt","url":"` + at + `/a%20b.txt","type":"text/plain`, `{"title":"sub"`}},
		{Stat(), []string{at + "/a%20b.txt"}, []string{"a b.txt file 4 2024-05-06 07:08 " + at + "/a%20b.txt"}},
		{Stat(), []string{"--json", at + "/sub/"}, []string{`{"title":"sub"`}},
	} {
		status, stdout, stderr := clitest.Run(t, test.verb, clitest.Input{}, test.args...)
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		if status != 0 || stderr != "" || len(lines) != len(test.want) {
			t.Fatalf("%s %q = %d, %q, %q", test.verb.Name, test.args, status, stdout, stderr)
		}
		for i, want := range test.want {
			if !strings.HasPrefix(strings.Join(strings.Fields(lines[i]), " "), want) {
				t.Errorf("%s %q: line %d is %q, want %q", test.verb.Name, test.args, i+1, lines[i], want)
			}
		}
	}
}

// A URL that cannot be listed is reported, and the other URLs are listed.
func TestLsContinues(t *testing.T) {
	at := newFolder(t)
	for _, verb := range []*cli.Verb{Ls(), Stat()} {
		status, stdout, stderr := clitest.Run(t, verb, clitest.Input{}, at+"/none", "http://[", at+"/a%20b.txt", "nope:x")
		if status != 1 || strings.Count(stdout, "\n") != 1 || strings.Count(stderr, "locus: ") < 3 || !strings.Contains(stderr, "no such file") {
			t.Errorf("%s = %d, %q, %q", verb.Name, status, stdout, stderr)
		}
		clitest.Table(t, verb, []clitest.Case{{Status: 2, Stderr: verb.Name + " needs more arguments: URL…"}})
	}
}
