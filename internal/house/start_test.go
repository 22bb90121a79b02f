package house_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// A package may make small values for its variables, because they take less than 0.1 ms
// together when the program starts: proto/ftp with a pattern takes 0.07, and proto/z3950
// with eight maps 0.08.
const (
	mostPatterns = 2   // of a package
	mostRows     = 200 // of a map
)

// largePackages must not make values when they are imported, because they have dozens of
// patterns, or tables of thousands of rows, that few verbs of the command need. They use a
// lazy.Value, which is made when it is needed.
var largePackages = []string{"check", "check/report", "check/site", "demo/internal/library", "extract", "extract/document", "internal/marc"}

// makers are the functions that largePackages must not call for their variables. Other
// packages may call the functions in patterns a few times. The functions in onces are
// forbidden everywhere, because lazy.Value does the same and starts faster.
var (
	makers = map[string][]string{
		"regexp":  patterns,
		"sync":    onces,
		"fmt":     {"Errorf", "Sprint", "Sprintf"},
		"strings": {"Fields", "NewReplacer", "Split"},
	}
	patterns = []string{"Compile", "CompilePOSIX", "MustCompile", "MustCompilePOSIX"}
	onces    = []string{"OnceFunc", "OnceValue", "OnceValues"}
)

// Packages must not make large values when they are imported, because every verb of the
// command would wait for them.
func TestNothingLargeIsMadeAtStart(t *testing.T) {
	// Tools and packages for tests, which are not in the command for Linux.
	exceptions := []string{"internal/work/", "internal/peers/", "internal/faulty/", "internal/wine/"}
	compiled := make(map[string]int) // patterns of each package
	for _, s := range sources(t) {
		if s.test || slices.ContainsFunc(exceptions, func(e string) bool { return strings.Contains(s.file, e) }) {
			continue
		}
		names := packageNames(s.ast)
		isLarge := slices.Contains(largePackages, s.pkg)
		inspectVariables(s.ast, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if _, isMap := n.Type.(*ast.MapType); isMap && (isLarge || len(n.Elts) > mostRows) {
					t.Errorf("%s: a map of %d rows is made when the package is imported: use a lazy.Value", s.fset.Position(n.Pos()), len(n.Elts))
				}
			case *ast.SelectorExpr:
				id, ok := n.X.(*ast.Ident)
				if !ok {
					return
				}
				from := names[id.Name]
				if isLarge && slices.Contains(makers[from], n.Sel.Name) || from == "sync" && slices.Contains(onces, n.Sel.Name) {
					t.Errorf("%s: %s.%s is called when the package is imported: use a lazy.Value", s.fset.Position(n.Pos()), id.Name, n.Sel.Name)
				}
				if from == "regexp" && slices.Contains(patterns, n.Sel.Name) {
					compiled[s.pkg]++
				}
			}
		})
	}
	for pkg, n := range compiled {
		if n > mostPatterns {
			t.Errorf("%s compiles %d patterns when it is imported, want at most %d: use a lazy.Value", pkg, n, mostPatterns)
		}
	}
}

// inspectVariables calls visit for each node of the package's variables, but not for the
// bodies of functions, which may be called later.
func inspectVariables(f *ast.File, visit func(ast.Node)) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		ast.Inspect(g, func(n ast.Node) bool {
			if _, isFunc := n.(*ast.FuncLit); isFunc {
				return false
			}
			visit(n)
			return true
		})
	}
}
