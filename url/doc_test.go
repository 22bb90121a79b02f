package url_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The package documentation stays short: the lines of "go doc -short" and the methods together are at most 66.
func TestShortDocumentation(t *testing.T) {
	const most = 66 // 60 lines and methods, plus Rules, Hrefs and the methods of Set
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, "locus/url")
	if err != nil {
		t.Fatal(err)
	}
	lines, methods := len(p.Consts)+len(p.Vars)+len(p.Funcs), 0
	for _, typ := range p.Types {
		lines += 1 + len(typ.Consts) + len(typ.Vars) + len(typ.Funcs)
		methods += len(typ.Methods)
	}
	if lines+methods > most || methods == 0 {
		t.Errorf("%d lines and %d methods, want at most %d in all", lines, methods, most)
	}
}
