package locus_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// compilers are functions that take long. No package calls one when it is imported, since
// every verb of the command would wait for it: sync.OnceValue calls it once, when needed.
var compilers = map[string][]string{
	"regexp": {"Compile", "CompilePOSIX", "MustCompile", "MustCompilePOSIX"},
}

// Packages make no map and compile no pattern when they are imported: every verb of the
// command would pay for it. A function returns a small map; sync.OnceValue makes a large
// one when it is needed.
func TestNothingIsMadeAtStart(t *testing.T) {
	exceptions := []string{"internal/work/", "errno_windows.go"} // a tool; not in the command for Linux
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		names := packageNames(s.ast)
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
					isExcepted := slices.ContainsFunc(exceptions, func(e string) bool { return strings.Contains(at.Filename, e) })
					if _, isMap := n.Type.(*ast.MapType); isMap && !isExcepted {
						t.Errorf("%s: a map when the package is imported", at)
					}
				case *ast.SelectorExpr:
					if id, ok := n.X.(*ast.Ident); ok && slices.Contains(compilers[names[id.Name]], n.Sel.Name) {
						t.Errorf("%s: %s.%s when the package is imported", s.fset.Position(n.Pos()), id.Name, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
