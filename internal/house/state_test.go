package house_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Packages must not have init functions, because an import must not have effects.
func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: remove the init function, because an import must not have effects", s.fset.Position(f.Pos()))
			}
		}
	}
}

// Packages must not use the templates of the standard library. These find methods by their
// names, so the linker would keep every exported method of every type, 2.7 MB in the
// command.
func TestNoTemplates(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.ast.Imports {
			if text := imported.Path.Value; !s.test && (text == `"html/template"` || text == `"text/template"`) {
				t.Errorf("%s imports %s: write the page with templ", s.fset.Position(imported.Pos()), text)
			}
		}
	}
}

// Packages must not export variables, because another package could change them. Exceptions
// are errors for errors.Is, a NoBody as in the standard library, and the standards of URLs,
// which point to their rules.
func TestNoExportedVariables(t *testing.T) {
	exceptions := []string{"NoBody", "RFC3986", "RFC1738", "RFC1630", "Standard"}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.IsExported() && !strings.HasPrefix(name.Name, "Err") && !slices.Contains(exceptions, name.Name) {
						t.Errorf("%s: the exported variable %s could be changed by another package: make it a function or a constant", s.fset.Position(name.Pos()), name.Name)
					}
				}
			}
		}
	}
}

// defaults are functions that use or change state of the whole process.
var defaults = map[string][]string{
	"log/slog": {
		"Debug", "DebugContext", "Default", "Error", "ErrorContext", "Info", "InfoContext", "Log", "LogAttrs",
		"SetDefault", "SetLogLoggerLevel", "Warn", "WarnContext", "With",
	},
	"fmt":      {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"net":      {"Dial", "DialTimeout", "Listen", "ListenPacket", "DefaultResolver", "LookupHost", "LookupIP", "LookupAddr"},
	"net/http": {"DefaultClient", "DefaultTransport", "DefaultServeMux", "Get", "Head", "Post", "PostForm", "Handle", "HandleFunc", "ListenAndServe", "ListenAndServeTLS"},
}

// Only programs may use state of the whole process. (demo and internal/peers may listen,
// because they start servers.)
func TestNoDefaults(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || matchAny([]string{"cmd/*", "demo", "demo/*", "examples/*", "internal/*"}, s.pkg) {
			continue
		}
		names := packageNames(s.ast)
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			id, ok := sel.X.(*ast.Ident)
			if ok && slices.Contains(defaults[names[id.Name]], sel.Sel.Name) {
				t.Errorf("%s: %s.%s uses state of the whole process: take a logger, a Writer or a Dial from the caller", s.fset.Position(n.Pos()), id.Name, sel.Sel.Name)
			}
			return true
		})
	}
}

// packageNames maps the names of a file's imports to their paths.
func packageNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
	}
	return names
}
