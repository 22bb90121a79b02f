package mirror

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The parts of a tree are, together, the tree, and no file is in two parts, wherever the tree is and wherever it goes.
// Machines may also share a target. A part without files is not an error.
func TestMirrorShard(t *testing.T) {
	p := newPlace(t)
	files := map[string]string{"public/Ünï/日本.txt": "u", "public/a b/c%41.txt": "c", "public/sub/deep/er/x.html": "<a href=/elsewhere>"}
	for i := range 12 {
		files[fmt.Sprintf("public/sub/%d.txt", i)] = fmt.Sprint("text ", i)
	}
	p.write(files)
	whole := p.files("public")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(p.dir, "public"))))
	defer server.Close()
	for _, test := range []struct{ name, from, to string }{
		{"from a folder", "AT/public/", "DIR"},
		{"to a URL", "public", "AT/DIR"},
		{"from URL to URL", "AT/public/", "AT/DIR"},
		{"from a web server", server.URL + "/", "DIR"},
	} {
		for _, count := range []int{1, 3, 20} {
			shared := strings.ReplaceAll(fmt.Sprint(test.name, count), " ", "-")
			var all []string
			for part := 1; part <= count; part++ {
				for _, dir := range []string{fmt.Sprint(shared, "-", part), shared} {
					args := fmt.Sprintf("mirror --shard %d/%d %s %s", part, count, test.from, strings.Replace(test.to, "DIR", dir, 1))
					if status, _, stderr := p.run(args); status != 0 {
						t.Fatalf("%s = %d, %s", args, status, stderr)
					}
				}
				all = append(all, p.list(fmt.Sprint(shared, "-", part))...)
			}
			slices.Sort(all)
			want := p.list("public")
			slices.Sort(want)
			if !slices.Equal(all, want) {
				t.Errorf("%s: %d parts have %q, want %q", test.name, count, all, want)
			}
			if got := p.files(shared); got != whole {
				t.Errorf("%s: %d parts in one folder are %q, want %q", test.name, count, got, whole)
			}
		}
	}
}

// list returns the names of the files below a folder.
func (p *place) list(dir string) []string {
	var names []string
	root := filepath.Join(p.dir, dir)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // a folder that does not exist has no files
		if err == nil && !d.IsDir() && !strings.Contains(path, ".locus") {
			name, _ := filepath.Rel(root, path)
			names = append(names, name)
		}
		return nil
	})
	return names
}

// Flags that need the whole tree are refused.
func TestMirrorShardMisuse(t *testing.T) {
	p := newPlace(t)
	p.write(map[string]string{"public/a": "1"})
	for _, test := range []struct{ args, stderr string }{
		{"--shard 1/2 --delete AT/public/ copy", "--shard cannot be combined with --delete"},
		{"--shard 1/2 --delete public AT/www", "--shard cannot be combined with --delete"},
		{"--shard 1/2 --page-requisites http://127.0.0.1:1/ copy", "--shard cannot be combined with --page-requisites and --convert-links"},
		{"--shard 1/2 --convert-links http://127.0.0.1:1/ copy", "--shard cannot be combined with --page-requisites and --convert-links"},
		{"--shard 0/2 public AT/www", `--shard must be a part from 1/N to N/N, such as 1/4, not "0/2"`},
	} {
		p.want("mirror "+test.args, 2, "", test.stderr)
	}
}
