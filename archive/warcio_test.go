//go:build warcio

package archive_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/archive"
)

// Warcio, which players are built on, finds the same records, with the same digests, at the
// same places. It is a program of npm (`npm install -g warcio`) and of PyPI, and in no package
// of Debian. Where it is installed, go test -tags warcio runs this.
func TestWarcio(t *testing.T) {
	program, err := exec.LookPath("warcio")
	if err != nil {
		t.Fatal("there is no warcio: npm install -g warcio")
	}
	s := newSite(t, pages)
	dir := t.TempDir()
	root := folderAt(t, dir)
	w := create(t, root, "a.warc.gz", archive.Options{})
	for _, path := range []string{"/a", "/b?x=2&a=1", "/same/1", "/same/2"} {
		if _, _, err := get(t, archive.Recorder{Engine: s.engine, Writer: w}, s.URL+path); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), program, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("warcio --help: %v\n%s", err, help)
	}
	if !strings.Contains(string(help), "cdx-index") { // that of PyPI
		if out, err := exec.CommandContext(t.Context(), program, "check", "-v", filepath.Join(dir, "a.warc.gz")).CombinedOutput(); err != nil {
			t.Errorf("warcio check: %v\n%s", err, out)
		}
		return
	}
	theirs, err := exec.CommandContext(t.Context(), program, "cdx-index", filepath.Join(dir, "a.warc.gz")).Output()
	if err != nil {
		t.Fatalf("warcio cdx-index: %v", err)
	}
	ours, err := root.ReadFile("a.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	got, want := places(t, string(ours)), places(t, string(theirs))
	if len(want) != 4 || !maps.Equal(got, want) {
		t.Errorf("the index has %v, that of warcio %v", got, want)
	}
}

// places returns where the records of an index are, with their digests, by URL.
func places(t *testing.T, index string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for lines := bufio.NewScanner(strings.NewReader(index)); lines.Scan(); {
		_, text, _ := strings.Cut(lines.Text(), " {")
		var line map[string]string
		if err := json.Unmarshal([]byte("{"+text), &line); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		place := []string{line["offset"], line["length"], line["mime"], line["status"], strings.TrimPrefix(line["digest"], "sha256:")}
		all[line["url"]] = strings.Join(slices.Clip(place), " ")
	}
	return all
}
