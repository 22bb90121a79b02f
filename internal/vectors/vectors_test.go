package vectors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recorder is a test that notes why it is skipped.
type recorder struct {
	testing.TB
	reason string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.reason = strings.TrimSpace(strings.ReplaceAll(format, "%s", "_"))
	panic(r)
}

// pathOf calls Path, and returns the reason if it skips the test.
func pathOf(t *testing.T, name string) (file, skipped string) {
	r := &recorder{TB: t}
	defer func() {
		if stopped := recover(); stopped != nil {
			file, skipped = "", r.reason
		}
	}()
	return Path(r, name), ""
}

// The folder of the vectors takes precedence. Without it, the fetched suites are read, and other
// tests are skipped.
func TestPath(t *testing.T) {
	own, cache := filepath.Join(t.TempDir(), "vectors"), t.TempDir()
	t.Setenv("LOCUS_PEERS", cache)
	write := func(file string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(own, "wpt/urltestdata.json"))
	write(filepath.Join(own, "../spec/list.md"))
	write(filepath.Join(cache, "vectors/wpt/urltestdata.json"))
	write(filepath.Join(cache, "vectors/wpt/setters_tests.json"))
	for _, test := range []struct {
		folder, name string
		want         string
		skipped      string
	}{
		{own, "wpt/urltestdata.json", filepath.Join(own, "wpt/urltestdata.json"), ""},
		{own, "../spec/list.md", filepath.Join(own, "../spec/list.md"), ""},
		{own, "wpt/setters_tests.json", "", "does not have"},
		{own + "-none", "wpt/urltestdata.json", filepath.Join(cache, "vectors/wpt/urltestdata.json"), ""},
		{own + "-none", "wpt/urlpatterntestdata.json", "", "run `make peers`"},
		{own + "-none", "wpt/percent-encoding.json", "", "set LOCUS_VECTORS"},
		{own + "-none", "urls/web70k.txt", "", "set LOCUS_VECTORS"},
	} {
		t.Setenv("LOCUS_VECTORS", test.folder)
		got, skipped := pathOf(t, test.name)
		if got != test.want || (skipped == "") != (test.skipped == "") || !strings.Contains(skipped, test.skipped) {
			t.Errorf("with %s: Path(%q) = %q, skipped because %q, want %q, %q", test.folder, test.name, got, skipped, test.want, test.skipped)
		}
	}
}
