package house_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// makers are functions that no package calls for its variables when it is imported, since
// every verb of the command would wait for it. A lazy.Value is made when it is needed.
var makers = map[string][]string{
	"regexp":       {"Compile", "CompilePOSIX", "MustCompile", "MustCompilePOSIX"},
	"sync":         {"OnceFunc", "OnceValue", "OnceValues"},
	"fmt":          {"Errorf", "Sprint", "Sprintf"},
	"strings":      {"Fields", "NewReplacer", "Split"},
	"time":         {"Date", "Unix"},
	"locus/access": {"Reason", "WithRemedy"},
}

// Packages make no map and compile no pattern when they are imported: every verb of the
// command would pay for it. A function returns a small map; a lazy.Value is a large one
// that is made when it is needed.
func TestNothingIsMadeAtStart(t *testing.T) {
	// Tools, and what tests use; not in the command for Linux.
	exceptions := []string{"internal/work/", "internal/peers/", "internal/faulty/", "internal/wine/", "errno_windows.go"}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		names := packageNames(s.ast)
		isExcepted := slices.ContainsFunc(exceptions, func(e string) bool { return strings.Contains(s.file, e) })
		if isExcepted {
			continue
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false // it may be called later
				case *ast.CompositeLit:
					at := s.fset.Position(n.Pos())
					if _, isMap := n.Type.(*ast.MapType); isMap {
						t.Errorf("%s: a map when the package is imported", at)
					}
				case *ast.SelectorExpr:
					id, ok := n.X.(*ast.Ident)
					if !ok {
						return true
					}
					if slices.Contains(makers[names[id.Name]], n.Sel.Name) {
						t.Errorf("%s: %s.%s when the package is imported", s.fset.Position(n.Pos()), id.Name, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
