package download

import (
	"os"
	"path/filepath"
	"testing"

	"locus/cmd/locus/internal/cli"
)

func TestIsURL(t *testing.T) {
	for arg, want := range map[string]bool{
		"ftp://h/": true, "FTP:x": true, "file:dir": true, "unheard://h/": true,
		"dir": false, "./ftp": false, "c:": false, `C:\dir`: false, "unheard:x": false, "": false, ":": false,
	} {
		if got := IsURL(arg); got != want {
			t.Errorf("IsURL(%q) = %v", arg, got)
		}
	}
}

// The manifest is the file of --manifest, or a file in the user's folder for state. A dry run does
// not make that folder.
func TestManifestPlace(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		what, name, home string
		dryRun           bool
		want             string // the folder; "" without a manifest
		file             string
		fails            bool
	}{
		{what: "a name", name: "kept.jsonl", home: "state", want: ".", file: "kept.jsonl"},
		{what: "a name in a folder that does not exist", name: "none/kept.jsonl", fails: true},
		{what: "the home", home: "state", want: "state/locus/sent"},
		{what: "a dry run without state", home: "other", dryRun: true},
	} {
		e := cli.NewEnv(nil, nil, nil)
		e.Dir = dir
		e.LookupEnv = func(name string) (string, bool) {
			return filepath.Join(dir, test.home), name == "XDG_STATE_HOME" && test.home != ""
		}
		f := &Fetcher{env: e, reporter: &reporter{env: e}}
		m, done, err := f.manifest(test.name, test.dryRun)
		if (err != nil) != test.fails {
			t.Errorf("%s: %v", test.what, err)
		}
		if err != nil {
			continue
		}
		switch {
		case (m.Dir != nil) != (test.want != ""), m.Name != test.file:
			t.Errorf("%s: the manifest is %+v", test.what, m)
		case m.Dir != nil && m.Dir.Name() != filepath.Join(dir, test.want):
			t.Errorf("%s: the manifest is in the folder %q", test.what, m.Dir.Name())
		}
		done()
		if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
			t.Errorf("%s: manifest made a folder", test.what)
		}
	}
}
