package house_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The comment of each package begins with a sentence about it, and each exported name has a
// comment, because "go doc" prints them. A value may share the comment of its group.
func TestDocComments(t *testing.T) {
	for _, name := range dependencies(t, "./...", "{{if .Module}}{{if .Module.Main}}{{.ImportPath}}{{end}}{{end}}") {
		if !strings.Contains(name, "internal/") {
			checkDoc(t, name)
		}
	}
}

func checkDoc(t *testing.T, name string) {
	t.Helper()
	p := readDoc(t, name)
	want := "Package " + p.Name + " "
	if p.Name == "main" {
		want = strings.ToUpper(filepath.Base(name)[:1])
		if strings.HasPrefix(name, "locus/cmd/") {
			want = "Command "
		}
	}
	if !strings.HasPrefix(p.Doc, want) || strings.Contains(p.Doc, "templ: ") {
		t.Errorf("%s: the comment of the package is %.60q …, want one that begins with %q, and not a comment that templ generates", name, p.Doc, want)
	}
	without := func(exported, comment string) {
		if comment == "" && token.IsExported(exported) {
			t.Errorf("%s: write a comment for the exported name %s", name, exported)
		}
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			without(v.Names[0], v.Doc+commentOf(v.Decl))
		}
	}
	funcs := func(all []*doc.Func) {
		for _, f := range all {
			if f.Recv == "" || f.Level == 0 { // not of an embedded type
				without(f.Name, f.Doc)
			}
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, typ := range p.Types {
		without(typ.Name, typ.Doc)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
}

// readDoc reads the comments of a package, without its tests.
func readDoc(t *testing.T, name string) *doc.Package {
	t.Helper()
	folder := "." + strings.TrimPrefix(name, "locus")
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := readFile(source)
		if err != nil {
			t.Fatalf("%q: %v", source, err)
		}
		file, err := parser.ParseFile(fset, source, text, parser.ParseComments)
		if err != nil {
			t.Fatalf("%q: %v", source, err)
		}
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// commentOf returns the comments of the values in a declaration.
func commentOf(d *ast.GenDecl) string {
	var comment string
	for _, s := range d.Specs {
		if v, ok := s.(*ast.ValueSpec); ok {
			comment += v.Doc.Text() + v.Comment.Text()
		}
	}
	return comment
}
