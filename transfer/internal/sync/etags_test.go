package sync

import (
	"os"
	"strings"
	"testing"

	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
)

// The last complete line of a name counts, over all runs.
func TestETags(t *testing.T) {
	root, name := tempRoot(t)
	fill(t, name, map[string]string{tree.StateDir + "/": "", "a": "a", "b": "b", "c": "c"})
	info := func(name string) os.FileInfo {
		info, err := root.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	noted := loadETags(root, spill.NewStore(spill.Options{}))
	for _, step := range []struct{ name, etag string }{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"a", "4"}, {"b", ""}} {
		noted.record(step.name, fetch.Result{ETag: step.etag, Type: "text/html"}, false)
	}
	if k, ok := noted.find("a", info("a")); !ok || k.ETag != "4" || k.Type != "text/html" {
		t.Errorf("find(%q) = %+v, %v, want the ETag 4", "a", k, ok)
	}
	if err := noted.Save(func(name string) bool { return name != "c" }); err != nil {
		t.Fatal(err)
	}
	file := name + "/" + etagsPath
	text, _ := os.ReadFile(file)
	if n := strings.Count(string(text), "\n"); n != 1 {
		t.Errorf("the file has %d lines, want one: %s", n, text)
	}
	long := `{"name":"` + strings.Repeat("x", spill.MaxLine) + `","etag":"5"}`
	if err := os.WriteFile(file, []byte(string(text)+long+"\n"+`{"name":"a","etag":"6`), 0o666); err != nil {
		t.Fatal(err)
	}
	noted = loadETags(root, spill.NewStore(spill.Options{}))
	for _, name := range []string{"b", "c"} {
		if k, ok := noted.find(name, info(name)); ok {
			t.Errorf("of %s is known %+v", name, k)
		}
	}
	if k, ok := noted.find("a", info("a")); !ok || k.ETag != "4" {
		t.Errorf("of a is known %+v, %v", k, ok)
	}
	noted.record("c", fetch.Result{ETag: "7"}, false)
	if k, ok := noted.find("c", info("c")); !ok || k.ETag != "7" {
		t.Errorf("of c is known %+v, %v", k, ok)
	}
	noted.record("a", fetch.Result{}, false)
	noted.record("c", fetch.Result{}, false)
	if err := noted.Save(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file of nothing is left: %v", err)
	}
}
