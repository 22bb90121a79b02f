//go:build axe

package browsertest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// axeVersion is the axe-core of npm that pages are checked with. Debian has none, so this
// test has a tag: go test -tags axe -run Axe ./cmd/locus/internal/browsertest
const axeVersion = "4.14.1"

// fetchAxe returns the script of axe-core.
func fetchAxe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	npm := exec.CommandContext(t.Context(), "npm", "pack", "--silent", "axe-core@"+axeVersion)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm pack: %v\n%s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, "axe-core-"+axeVersion+".tgz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(unzipped); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("the package has no axe.min.js")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name != "package/axe.min.js" {
			continue
		}
		script, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		return string(script)
	}
}

// axe-core finds nothing wrong with any page.
func TestBrowserAxe(t *testing.T) {
	script := fetchAxe(t)
	at, help := startDemo(t)
	b := newBrowser(t, at)
	pages := 0
	b.eachPage(at, help, func(name string) {
		if !value[bool](b, `!!window.axe`) {
			b.do(run(script))
		}
		b.do(run(`
			window.found = null;
			axe.run().then(r => { window.found = r.passes.length < 5 ? ["too few rules ran"] : r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 200) + " " + n.failureSummary).join(" | ")); },
				e => { window.found = [String(e)]; });`))
		b.until("axe has run", `window.found !== null`)
		for _, wrong := range value[[]string](b, `window.found`) {
			t.Errorf("%s: %.700s", name, wrong)
		}
		pages++
	})
	t.Logf("axe-core %s checked %d pages", axeVersion, pages)
}
