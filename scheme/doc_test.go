package scheme_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// The package stays small: its exported functions, types, variables and methods take at most 126 lines in "go doc
// -short" and "go doc -short TYPE".
func TestDoc(t *testing.T) {
	const most = 126
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name.Name(), "_test.go") || !strings.HasSuffix(name.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(set, name.Name(), nil, 0)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, "locus/scheme")
	if err != nil {
		t.Fatal(err)
	}
	lines := len(p.Consts) + len(p.Vars) + len(p.Funcs) + len(p.Types)
	for _, of := range p.Types {
		lines += len(of.Consts) + len(of.Vars) + len(of.Funcs) + len(of.Methods)
	}
	if lines < most/2 || lines > most {
		t.Errorf("go doc shows %d lines, want at most %d", lines, most)
	}
}
