package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"
)

// In tests the variable of a loop over a table of anonymous structs is test. It is step if the
// rows are steps that build on each other.
func TestLoopVariables(t *testing.T) {
	tables := map[string]map[string]bool{} // the package-level variables of tests that are tables, by package
	for _, s := range sources(t) {
		if !s.test {
			continue // its tables are not tables of cases
		}
		if tables[s.pkg] == nil {
			tables[s.pkg] = map[string]bool{}
		}
		for _, d := range s.ast.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, spec := range d.Specs {
					maps.Copy(tables[s.pkg], declaredTables(spec))
				}
			}
		}
	}
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		for _, v := range otherLoopVariables(s.ast, tables[s.pkg]) {
			t.Errorf("%s: the loop variable of a table is named %q: name it test, or step if the rows are steps that build on each other", s.fset.Position(v.Pos()), v.Name)
		}
	}
}

func TestOtherLoopVariables(t *testing.T) {
	const row = "[]struct{ in string }{{\"a\"}}"
	for _, test := range []struct {
		body string
		want []string
	}{
		{"for _, test := range " + row + " {}", nil},
		{"for _, step := range " + row + " {}", nil},
		{"for i := range " + row + " {}", nil},
		{"for _, c := range " + row + " {}", []string{"c"}},
		{"for _, c := range []*struct{ in string }{} {}", []string{"c"}},
		{"for in, want := range map[string]struct{ out int }{} {}", []string{"want"}},
		{"rows := " + row + "; for _, row := range rows {}", []string{"row"}},
		{"rows := " + row + "; for _, row := range rows[1:] {}", []string{"row"}},
		{"var rows = " + row + "; for _, row := range rows {}", []string{"row"}},
		{"for _, test := range " + row + " { for _, x := range " + row + " {} }", []string{"x"}},
		{"for _, row := range table {}", []string{"row"}}, // of another file
		{"table := []string{}; for _, row := range table {}", nil},
		{"for _, name := range []string{\"a\"} {}", nil},
		{"for _, l := range []line{} {}", nil}, // a named type says what the rows are
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package x\nfunc f() { "+test.body+" }", 0)
		if err != nil {
			t.Fatalf("%s: %v", test.body, err)
		}
		var got []string
		for _, v := range otherLoopVariables(f, map[string]bool{"table": true}) {
			got = append(got, v.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("the loop variables with other names in %q are %q, want %q", test.body, got, test.want)
		}
	}
}

// otherLoopVariables returns the variables of loops over tables in a file that are named neither
// test nor step. tables has the package-level variables that are tables.
func otherLoopVariables(f *ast.File, tables map[string]bool) (all []*ast.Ident) {
	for _, d := range f.Decls {
		known := maps.Clone(tables) // the variables of the function hide those of the package
		ast.Inspect(d, func(n ast.Node) bool {
			maps.Copy(known, declaredTables(n))
			loop, ok := n.(*ast.RangeStmt)
			if !ok || !isTable(loop.X, known) {
				return true
			}
			if v, ok := loop.Value.(*ast.Ident); ok && v.Name != "test" && v.Name != "step" {
				all = append(all, v)
			}
			return true
		})
	}
	return all
}

// declaredTables returns the variables that a node declares or assigns, and whether the value of
// each is a table.
func declaredTables(n ast.Node) map[string]bool {
	var names, values []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		names, values = n.Lhs, n.Rhs
	case *ast.ValueSpec:
		for _, name := range n.Names {
			names = append(names, name)
		}
		values = n.Values
	}
	found := map[string]bool{}
	for i, name := range names {
		if id, ok := name.(*ast.Ident); ok && len(values) == len(names) {
			table, ok := values[i].(*ast.CompositeLit)
			found[id.Name] = ok && hasAnonymousStructs(table.Type)
		}
	}
	return found
}

// isTable reports whether an expression is a literal list or map of anonymous structs, one of
// the variables that are tables, or a part of one.
func isTable(e ast.Expr, tables map[string]bool) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return hasAnonymousStructs(e.Type)
	case *ast.SliceExpr:
		return isTable(e.X, tables)
	case *ast.Ident:
		return tables[e.Name]
	}
	return false
}

// hasAnonymousStructs reports whether the elements of a list or a map of this type are structs
// without a name, or pointers to such structs.
func hasAnonymousStructs(t ast.Expr) bool {
	var element ast.Expr
	switch t := t.(type) {
	case *ast.ArrayType:
		element = t.Elt
	case *ast.MapType:
		element = t.Value
	}
	if p, ok := element.(*ast.StarExpr); ok {
		element = p.X
	}
	_, ok := element.(*ast.StructType)
	return ok
}
