package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A package is tested without the race detector if neither its code nor its tests start
// goroutines. Of the command's packages, only killtest is.
func TestWithoutRace(t *testing.T) {
	tested := map[string]bool{}
	found := map[string][]string{} // by package
	module := moduleName(t)
	for _, s := range sources(t) {
		pkg := path.Join(module, s.pkg)
		if s.pkg == "locus" {
			pkg = module
		}
		tested[pkg] = tested[pkg] || s.test
		if strings.HasPrefix(s.pkg, "cmd/") {
			continue
		}
		found[pkg] = append(found[pkg], goroutines(s.fset, s.ast)...)
	}
	listed := withoutRace(t)
	for pkg, places := range found {
		isListed := slices.Contains(listed, pkg)
		switch {
		case isListed && len(places) > 0:
			t.Errorf("%s starts goroutines, so remove it from withoutRace in internal/tests/race.go: %q", pkg, places)
		case !isListed && len(places) == 0 && tested[pkg]:
			t.Errorf("%s does not start goroutines, so add it to withoutRace in internal/tests/race.go", pkg)
		}
	}
	for _, pkg := range listed {
		if !tested[pkg] {
			t.Errorf("withoutRace in internal/tests/race.go lists %s, which has no tests", pkg)
		}
		if killtest := path.Join(module, "cmd/locus/internal/killtest"); strings.HasPrefix(pkg, path.Join(module, "cmd")+"/") && pkg != killtest {
			t.Errorf("withoutRace in internal/tests/race.go lists %s, a package of the command, whose libraries start goroutines", pkg)
		}
	}
}

// withoutRace returns the list of that name in internal/tests.
func withoutRace(t *testing.T) (all []string) {
	t.Helper()
	for _, s := range sources(t) {
		if s.file != "internal/tests/race.go" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != "withoutRace" {
				return true
			}
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				pkg, err := strconv.Unquote(e.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, pkg)
			}
			return false
		})
	}
	if len(all) == 0 {
		t.Fatal("internal/tests/race.go lacks the list withoutRace")
	}
	return all
}

func TestGoroutines(t *testing.T) {
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
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "a.go", text, 0)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if found := goroutines(fset, f); len(found) != want {
			t.Errorf("%q starts %q, want %d", text, found, want)
		}
	}
}

// goroutines returns the statements and the imports of a file that start goroutines.
func goroutines(fset *token.FileSet, f *ast.File) (found []string) {
	add := func(n ast.Node, reason string) { found = append(found, fset.Position(n.Pos()).String()+": "+reason) }
	for _, i := range f.Imports {
		if name, _ := strconv.Unquote(i.Path.Value); slices.Contains([]string{"net", "net/http", "net/http/httptest", "testing/synctest"}, name) {
			add(i, "imports "+name)
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
