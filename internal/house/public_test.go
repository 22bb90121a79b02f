package house_test

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// This file lists the packages that other modules can import. A package that is in neither
// list fails the test until its author decides whether its API is stable.

// stable packages keep their API: a program that compiles keeps compiling.
var stable = []string{
	"locus", "url", "url/query", "url/whatwg", "url/iri", "scheme",
	"access", "access/engine", "access/accesstest", "terminal",
	"guard", "limit", "retry", "cache", "proto", "proto/file", "proto/mail", "proto/pin",
}

// changing packages may change before v1.
var changing = []string{
	"compare", "extract", "extract/document", "extract/document/dialect", "transfer", "archive", "gateway", "server", "robots",
	"check", "check/report", "check/site", "check/stream",
	"proto/cso", "proto/data", "proto/dict", "proto/finger", "proto/ftp", "proto/gemini", "proto/gopher", "proto/imap", "proto/nfs", "proto/nntp", "proto/prospero", "proto/rlogin", "proto/sftp",
	"proto/telnet", "proto/tn3270", "proto/wais", "proto/web", "proto/z3950",
	"demo", "examples", // for readers, and for people who try the command
}

func TestPublicPackages(t *testing.T) {
	listed := slices.Concat(stable, changing)
	slices.Sort(listed)
	if got := importable(t); !slices.Equal(got, listed) {
		for _, pkg := range got {
			if !slices.Contains(listed, pkg) {
				t.Errorf("other modules can import %s: add it to stable or changing in internal/house/public_test.go, or make it internal", pkg)
			}
		}
		for _, pkg := range listed {
			if !slices.Contains(got, pkg) {
				t.Errorf("internal/house/public_test.go lists %s, which other modules cannot import", pkg)
			}
		}
	}
}

// importable returns the packages that other modules can import, sorted, as house names them.
func importable(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []string
	for path := range strings.FieldsSeq(string(out)) {
		if pkg := houseName(path); !slices.Contains(strings.Split(pkg, "/"), "internal") {
			pkgs = append(pkgs, pkg)
		}
	}
	slices.Sort(pkgs)
	return pkgs
}

// houseName returns the name of a package of the module without the module: "url" for
// "locus/url".
func houseName(path string) string {
	if below, ok := strings.CutPrefix(path, "locus/"); ok {
		return below
	}
	return path
}

// A stable package shows only types of stable packages and of the standard library, because
// a type that may change would change the package that shows it.
func TestStableTypes(t *testing.T) {
	for _, shown := range shownBy(t, stable) {
		if why := unstable(shown.pkg); why != "" {
			t.Errorf("%s shows %s.%s, %s", shown.by, shown.pkg, shown.name, why)
		}
	}
}

// A public package must not show a type of an internal package, because a program of
// another module cannot name that type.
func TestInternalTypes(t *testing.T) {
	for _, shown := range shownBy(t, slices.Concat(stable, changing)) {
		if slices.Contains(strings.Split(shown.pkg, "/"), "internal") {
			t.Errorf("%s shows %s.%s, which other modules cannot name", shown.by, shown.pkg, shown.name)
		}
	}
}

// shownBy returns the types of other packages that the exported names of pkgs show.
func shownBy(t *testing.T, pkgs []string) []shownType {
	t.Helper()
	load := compiled(t, pkgs)
	var all []shownType
	for _, pkg := range pkgs {
		path := "locus/" + pkg
		if pkg == "locus" {
			path = pkg
		}
		loaded, err := load.Import(path)
		if err != nil {
			t.Fatalf("%q: %v", pkg, err)
		}
		all = append(all, exposed(loaded)...)
	}
	return all
}

// unstable returns the reason why the types of a package may change; "" if they are stable.
func unstable(path string) string {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == "locus" && !slices.Contains(stable, houseName(path)):
		return "which is not a type of a stable package"
	case strings.Contains(first, "."):
		return "which is a type of another module"
	}
	return ""
}

// compiled returns an importer that reads the compiler's export data of pkgs.
func compiled(t *testing.T, pkgs []string) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"}
	for _, pkg := range pkgs {
		args = append(args, strings.TrimSuffix("./"+pkg, "locus"))
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list -export: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
}

// A shownType is a type that an exported name shows.
type shownType struct{ by, pkg, name string }

// exposed returns the named types of other packages that the exported names of pkg show.
func exposed(pkg *types.Package) []shownType {
	w := &walker{pkg: pkg, seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() {
			w.by = pkg.Path() + "." + name
			w.object(o)
		}
	}
	return w.found
}

// A walker walks the types that the names of a package show.
type walker struct {
	pkg   *types.Package
	by    string // the exported name
	seen  map[types.Type]bool
	found []shownType
}

func (w *walker) object(o types.Object) {
	if name, ok := o.(*types.TypeName); ok && name.IsAlias() {
		w.see(name.Type())
		return
	}
	w.see(o.Type())
}

// see walks a type. It adds a named type of another package, and does not walk into it.
func (w *walker) see(t types.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.name(t.Obj())
		w.see(types.Unalias(t))
	case *types.Named:
		w.name(t.Obj())
		for arg := range t.TypeArgs().Types() {
			w.see(arg)
		}
		if t.Obj().Pkg() == w.pkg {
			w.see(t.Underlying())
			w.methods(t)
		}
	case *types.Struct:
		w.fields(t)
	case *types.Interface:
		for m := range t.Methods() {
			w.see(m.Type())
		}
	case *types.Signature:
		w.see(t.Params())
		w.see(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.see(v.Type())
		}
	case *types.Map:
		w.see(t.Key())
		w.see(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		w.see(t.Elem())
	}
}

// name adds a type of another package to found.
func (w *walker) name(o *types.TypeName) {
	if o.Pkg() != nil && o.Pkg() != w.pkg {
		w.found = append(w.found, shownType{w.by, o.Pkg().Path(), o.Name()})
	}
}

// fields walks the exported fields and the embedded fields of a struct, because the fields
// of an embedded struct are exported, too.
func (w *walker) fields(s *types.Struct) {
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() {
			w.see(f.Type())
		}
	}
}

// methods walks the exported methods of a type, including methods of embedded fields.
func (w *walker) methods(t *types.Named) {
	set := types.NewMethodSet(types.NewPointer(t))
	for m := range set.Methods() {
		if m.Obj().Exported() {
			w.see(m.Type())
		}
	}
}
