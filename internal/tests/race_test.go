package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	many := manyAtOnce()
	for _, tt := range []struct{ args, want []string }{
		{[]string{"-v", "./..."}, []string{"-v ./..."}},
		{[]string{"-timeout", "3m", "-race", "locus/netrc", "locus/walk"}, []string{"-p=1 -timeout 3m locus/netrc", many + " -timeout 3m -race locus/walk"}},
		{
			[]string{"-race", "-v", "locus/walk", "locus/cmd/locus/internal/put", "locus/cmd/locus/internal/browsertest", "locus/cmd/locus"},
			[]string{many + " -race -v locus/cmd/locus locus/cmd/locus/internal/browsertest locus/cmd/locus/internal/put locus/walk"},
		},
		{[]string{"-race", "-p=7", "locus/url"}, []string{"-p=1 -p=7 locus/url"}},
		{[]string{"-race"}, []string{many + " -race locus/internal/tests"}},
	} {
		runs, err := split(tt.args)
		var got []string
		for _, run := range runs {
			got = append(got, strings.Join(run, " "))
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("split(%q) = %q, %v, want %q", tt.args, got, err, tt.want)
		}
	}
	if runs, err := split([]string{"-race", "./missing"}); err == nil {
		t.Errorf("split of a package that does not exist = %q", runs)
	}
}

// The packages that are tested without the race detector are those that start no goroutines,
// and whose tests do not have others start them.
func TestWithoutRace(t *testing.T) {
	tested := map[string]bool{}
	found := map[string][]string{} // by package
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			if d != nil && d.IsDir() && slices.Contains([]string{".git", "testdata", "bench", "release", "dist", "cmd"}, d.Name()) {
				return filepath.SkipDir
			}
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		pkg := path.Join("locus", filepath.ToSlash(folder))
		tested[pkg] = tested[pkg] || strings.HasSuffix(name, "_test.go")
		found[pkg] = append(found[pkg], goroutines(t, name)...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, places := range found {
		isListed := slices.Contains(withoutRace, pkg)
		switch {
		case isListed && len(places) > 0:
			t.Errorf("%s is tested without the race detector: %q", pkg, places)
		case !isListed && len(places) == 0 && tested[pkg]:
			t.Errorf("%s has no goroutines: it belongs into withoutRace", pkg)
		}
	}
	for _, pkg := range withoutRace {
		if !tested[pkg] {
			t.Errorf("%s has no tests", pkg)
		}
	}
}

func TestGoroutines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	for text, want := range map[string]int{
		"package a":                                             0,
		"package a; func f() { f() }":                           0,
		"package a; var x = compare.Go":                         0,
		"package a; func f() { go f() }":                        1,
		"package a; func f(g sync.WaitGroup) { g.Go(f) }":       1,
		"package a; func f(t *testing.T) { t.Parallel() }":      1,
		"package a; func f() { context.AfterFunc(ctx, f) }":     1,
		"package a; import _ \"net/http\"":                      1,
		"package a; import (_ \"net\"; _ \"testing/synctest\")": 2,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := goroutines(t, name); len(found) != want {
			t.Errorf("%q starts %q, want %d", text, found, want)
		}
	}
}

// goroutines returns the places in a file that start goroutines, and the imports that do.
func goroutines(t *testing.T, name string) (found []string) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(n ast.Node, what string) { found = append(found, files.Position(n.Pos()).String()+": "+what) }
	for _, i := range f.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); slices.Contains([]string{"net", "net/http", "net/http/httptest", "testing/synctest"}, path) {
			add(i, "imports "+path)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "a go statement")
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Go", "Parallel", "RunParallel", "AfterFunc"}, sel.Sel.Name) {
				add(n, sel.Sel.Name)
			}
		}
		return true
	})
	return found
}
