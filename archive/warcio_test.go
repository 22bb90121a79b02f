//go:build warcio

package archive_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locus/archive"
)

// Warcio, which players are built on, finds the same records, with the same digests, at the
// same places. Warcio is a program of npm (`npm install -g warcio`) and of PyPI. It is not
// installed by the tests, because Debian lacks it. go test -tags warcio runs this test
// where it is installed.
func TestWarcio(t *testing.T) { inBothFormats(t, testWarcio) }

func testWarcio(t *testing.T, name string) {
	program, err := exec.LookPath("warcio")
	if err != nil {
		t.Fatal("there is no warcio: npm install -g warcio")
	}
	s := newSite(t, pages)
	dir := t.TempDir()
	root := folderAt(t, dir)
	w := create(t, root, name, archive.Options{})
	for _, path := range []string{"/a", "/b?x=2&a=1", "/same/1", "/same/2"} {
		if _, _, err := get(t, archive.Recorder{Engine: s.engine, Writer: w}, s.URL+path); err != nil {
			t.Fatalf("%q: %v", path, err)
		}
	}
	// A record of many pieces, which is written while it arrives.
	if _, _, err := get(t, w.Record(noises), first); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), program, "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("warcio --help: %v\n%s", err, help)
	}
	if !strings.Contains(string(help), "cdx-index") { // the program of PyPI
		if out, err := exec.CommandContext(t.Context(), program, "check", "-v", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Errorf("warcio check: %v\n%s", err, out)
		}
		return
	}
	theirs, err := exec.CommandContext(t.Context(), program, "cdx-index", filepath.Join(dir, name)).Output()
	if err != nil {
		t.Fatalf("warcio cdx-index: %v", err)
	}
	ours, err := root.ReadFile("a.cdxj")
	if err != nil {
		t.Fatal(err)
	}
	lineEnds := 0 // warcio's length of a plain record leaves out the line ends after it
	if name == "a.warc" {
		lineEnds = len("\r\n\r\n")
	}
	got, want := places(t, string(ours), 0), places(t, string(theirs), lineEnds)
	if len(want) != 5 || !maps.Equal(got, want) {
		t.Errorf("the index has %v, that of warcio %v", got, want)
	}
}

// places returns the offsets and lengths of the records of an index, with their digests, by
// URL. more is added to each length.
func places(t *testing.T, index string, more int) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for lines := bufio.NewScanner(strings.NewReader(index)); lines.Scan(); {
		_, text, _ := strings.Cut(lines.Text(), " {")
		var line map[string]string
		if err := json.Unmarshal([]byte("{"+text), &line); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		length, err := strconv.Atoi(line["length"])
		if err != nil {
			t.Fatal(err)
		}
		place := []string{line["offset"], strconv.Itoa(length + more), line["mime"], line["status"], strings.TrimPrefix(line["digest"], "sha256:")}
		all[line["url"]] = strings.Join(slices.Clip(place), " ")
	}
	return all
}
