package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// long are the files that may have more than 600 lines, with the reason.
var long = map[string]string{}

// A source is one Go file of the module.
type source struct {
	file string // path from the module's root
	pkg  string // import path without the module's: "url", "proto/ftp"; "locus" for the root package
	test bool
	ast  *ast.File
	fset *token.FileSet
	size int // lines
}

// A file, also of tests, has at most 600 lines, unless it is generated.
func TestFileLength(t *testing.T) {
	const limit = 600
	sizes := map[string]int{}
	for _, s := range sources(t) {
		sizes[s.file] = s.size
		if s.size > limit && long[s.file] == "" && !ast.IsGenerated(s.ast) {
			t.Errorf("%s has %d lines, more than %d: divide it", s.file, s.size, limit)
		}
	}
	for file := range long {
		if sizes[file] <= limit {
			t.Errorf("long lists %s, which has only %d lines: remove the line", file, sizes[file])
		}
	}
}

// sources reads every Go file of the module, once for every test.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("found no sources")
	}
	return all
}

// enterRoot enters the root again, so that the go command sees it. The go command remembers
// the files that tests open, and repeats the tests if a file has changed. It begins to do
// so only after TestMain has entered the root.
var enterRoot = sync.OnceFunc(func() {
	root, err := os.Getwd()
	if err == nil {
		err = os.Chdir(root)
	}
	if err != nil {
		panic(err)
	}
})

// readFile reads a file of the module.
func readFile(name string) ([]byte, error) {
	enterRoot()
	return os.ReadFile(name)
}

var readSources = sync.OnceValues(func() ([]source, error) {
	enterRoot()
	var all []source
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil || d.Name() == "testdata" || d.Name()[0] == '.' {
				return fs.SkipDir // another module, or not Go code
			}
		}
		if d.IsDir() || path.Ext(file) != ".go" {
			return nil
		}
		text, err := readFile(file)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, text, parser.ParseComments)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		pkg := path.Dir(file)
		if pkg == "." {
			pkg = "locus"
		}
		all = append(all, source{
			file: file,
			pkg:  pkg,
			test: strings.HasSuffix(file, "_test.go"),
			ast:  f,
			fset: fset,
			size: bytes.Count(text, []byte("\n")),
		})
		return nil
	})
	return all, err
})
