package house_test

import (
	"go/ast"
	"strings"
	"testing"
)

// Every option is obeyed or refused, because a field that its package ignores would mislead
// a caller who sets it.
func TestNoIgnoredFields(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			f, ok := n.(*ast.Field)
			if ok && (strings.Contains(f.Doc.Text(), "is not used") || strings.Contains(f.Comment.Text(), "not used")) {
				t.Errorf("%s: the comment says that the field is not used: remove the field, or obey it", s.fset.Position(f.Pos()))
			}
			return true
		})
	}
}
