package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/check/report"
	"locus/cmd/locus/internal/cli"
)

// checkFolder runs check with a folder of files, by their names, and returns the output. The output
// does not contain the name of the folder.
func checkFolder(t *testing.T, files map[string]string, o Options) (stdout, stderr string, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var streams [2]*os.File
	for i := range streams {
		f, err := os.Create(filepath.Join(t.TempDir(), "stream"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		streams[i] = f
	}
	e := cli.NewEnv(nil, streams[0], streams[1])
	o.Args, o.Archive = []string{dir}, report.ArchiveTemplate
	err = errors.Join(Run(t.Context(), e, o), e.Out.Flush())
	var texts [2]string
	for i, f := range streams {
		text, err := fs.ReadFile(os.DirFS(filepath.Dir(f.Name())), filepath.Base(f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = strings.ReplaceAll(strings.ReplaceAll(string(text), "file://"+filepath.ToSlash(dir), ""), filepath.ToSlash(dir)+"/", "")
	}
	return texts[0], texts[1], err
}

// A line of _redirects that cannot be obeyed is reported. The verdicts of the other links stay the
// same.
func TestFaultyRedirects(t *testing.T) {
	stdout, stderr, err := checkFolder(t, map[string]string{
		"_redirects": "/old /a\n/long /" + strings.Repeat("x", 70<<10) + " 301\n/older /a\n",
		"index.html": "<a href=a>a</a> <a href=old>old</a> <a href=/>home</a> <a href=/older>older</a>", "a.html": "",
	}, Options{})
	if want := "4 links: 4 good (2 moved), 0 dead\n"; !strings.HasSuffix(stdout, want) {
		t.Errorf("the report is %q, want %q at its end", stdout, want)
	}
	if want := "locus: _redirects:2: the line has more than 64 KiB, and is ignored\n"; stderr != want || !errors.Is(err, cli.ErrReported) {
		t.Errorf("stderr is %q, %v, want %q", stderr, err, want)
	}
}
