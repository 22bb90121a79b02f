// Command rename renames the modules of a source tree, for example before the tree is
// published:
//
//	cd release && go run ./rename .. example.org/locus
//
// It rewrites imports, the names of packages in strings, and go.mod files. In other texts
// "locus" is the name of the program, which stays.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: rename FOLDER MODULE")
		os.Exit(2)
	}
	if err := rename(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

// asData are files in which the names of packages are data that does not change:
// house_test.go always calls this module "locus".
var asData = []string{"house_test.go"}

// rename renames the module in the folder root to name, and the modules in its folders accordingly.
// It changes each go.mod, and in Go files the imports and the strings that name a package.
func rename(root, name string) error {
	if err := module.CheckPath(name); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	old := modfile.ModulePath(text)
	if old == "" {
		return errors.New("go.mod does not name a module")
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Name() == "go.mod":
			return change(path, func(text []byte) ([]byte, error) { return inModFile(text, old, name), nil })
		case strings.HasSuffix(path, ".go") && !slices.Contains(asData, d.Name()):
			return change(path, func(text []byte) ([]byte, error) { return inSource(root, text, old, name) })
		}
		return nil
	})
}

// change replaces the content of a file with the result of rewrite, unless that is the same.
func change(path string, rewrite func([]byte) ([]byte, error)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := rewrite(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if string(changed) == string(text) {
		return nil
	}
	return os.WriteFile(path, changed, 0o644) // the file exists, so its mode stays
}

// inModFile returns the text of a go.mod file with old, the path of a module, replaced by name. It
// also renames the modules in folders of the module.
func inModFile(text []byte, old, name string) []byte {
	own := regexp.MustCompile(`(?m)^(module |replace |require |\t)` + regexp.QuoteMeta(old) + `((/[a-z]+)?( v0\.0\.0| =>|$))`)
	return own.ReplaceAll(text, []byte("${1}"+name+"${2}"))
}

// inSource returns the text of a Go file with the module path old replaced by name: in imports, and
// in strings that name a package in root.
func inSource(root string, text []byte, old, name string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	imports := map[*ast.BasicLit]bool{}
	for _, spec := range file.Imports {
		imports[spec.Path] = true
	}
	type edit struct {
		start, end int
		path       string
	}
	var edits []edit
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		path, err := strconv.Unquote(lit.Value)
		rest, inModule := strings.CutPrefix(path, old+"/")
		isPackage := inModule && isFolder(filepath.Join(root, filepath.FromSlash(rest)))
		if err == nil && (isPackage || imports[lit] && (path == old || inModule)) {
			edits = append(edits, edit{fset.Position(lit.Pos()).Offset, fset.Position(lit.End()).Offset, name + strings.TrimPrefix(path, old)})
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start }) // the last edit first, so that the offsets stay valid
	for _, e := range edits {
		text = slices.Concat(text[:e.start], []byte(strconv.Quote(e.path)), text[e.end:])
	}
	return text, nil
}

// isFolder reports whether path is a folder that exists.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
