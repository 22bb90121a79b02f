package charset

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
)

func TestWeb(t *testing.T) {
	names := namesIn(t, "golang.org/x/text/encoding/htmlindex", "nameMap")
	for _, name := range names {
		want, err := htmlindex.Get(name)
		if got, ok := Web(name); err != nil || !ok || got != want {
			t.Errorf("Web(%q) = %v, %v, want %v", name, got, ok, want)
		}
	}
	if got := len(web.Get()); got != len(names) {
		t.Errorf("there are %d labels, want %d", got, len(names))
	}
	for _, name := range []string{"", "ibm037", "latin-1", "utf", "utf-8 latin1"} {
		if got, ok := Web(name); ok {
			t.Errorf("Web(%q) = %v", name, got)
		}
	}
	if got, ok := Web("\t ISO-8859-1\n"); !ok || got != charmap.Windows1252 {
		t.Errorf("Web(ISO-8859-1) = %v, %v", got, ok)
	}
}

// A registered name has the same meaning as in ianaindex, if x/text has its character set.
func TestRegistered(t *testing.T) {
	for _, name := range namesIn(t, "golang.org/x/text/encoding/ianaindex", "ianaAliases") {
		want, err := ianaindex.IANA.Encoding(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		isKnown := want != nil
		if !isKnown { // the web may know it
			want, isKnown = Web(name)
			isKnown = isKnown && want != encoding.Replacement
		}
		if fmt.Sprint(want) == "US-ASCII" {
			want = ascii{}
		}
		if got, ok := Registered(name); ok != isKnown || ok && got != want {
			t.Errorf("Registered(%q) = %v, %v, want %v, %v", name, got, ok, want, isKnown)
		}
	}
	for name, want := range map[string]encoding.Encoding{
		" Latin1": charmap.ISO8859_1, "latin5": charmap.ISO8859_9, "cp1252": charmap.Windows1252, "UTF8": unicode.UTF8, "IBM037": charmap.CodePage037,
	} {
		if got, ok := Registered(name); !ok || got != want {
			t.Errorf("Registered(%q) = %v, %v, want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "iso-2022-kr", "replacement", "nothing"} {
		if got, ok := Registered(name); ok {
			t.Errorf("Registered(%q) = %v", name, got)
		}
	}
}

// Each name is in a list only once.
func TestNames(t *testing.T) {
	for _, rows := range [][]row{webRows(), registeredRows()} {
		seen := make(map[string]bool)
		for _, r := range rows {
			for name := range strings.FieldsSeq(r.names) {
				if seen[name] || name != normal(name) {
					t.Errorf("%q is there twice, or can never be found", name)
				}
				seen[name] = true
			}
		}
	}
}

func TestASCII(t *testing.T) {
	long := strings.Repeat("a b", 3000)
	for _, test := range []struct{ bytes, text string }{
		{"", ""}, {"a\x00\x7f", "a\x00\x7f"}, {long, long}, {"\x80é", "\ufffd\ufffd\ufffd"}, {long + "\xff", long + "\ufffd"},
	} {
		if got, err := (ascii{}).NewDecoder().String(test.bytes); err != nil || got != test.text {
			t.Errorf("%.20q is decoded as %.20q, %v, want %.20q", test.bytes, got, err, test.text)
		}
	}
	for _, text := range []string{"", "a\x00\x7f", long} {
		if got, err := (ascii{}).NewEncoder().String(text); err != nil || got != text {
			t.Errorf("%.20q is encoded as %.20q, %v", text, got, err)
		}
	}
	for _, text := range []string{"é", long + "é"} {
		if got, err := (ascii{}).NewEncoder().String(text); err == nil {
			t.Errorf("%.20q is encoded as %.20q", text, got)
		}
	}
}

// namesIn returns the keys of a map in the sources of a package.
func namesIn(t *testing.T, pkg, variable string) []string {
	t.Helper()
	found, err := build.Import(pkg, ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(found.Dir, "tables.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != variable {
			return true
		}
		for _, item := range v.Values[0].(*ast.CompositeLit).Elts {
			name, err := strconv.Unquote(item.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return false
	})
	if len(names) < 200 {
		t.Fatalf("%s has only %d names", variable, len(names))
	}
	return names
}
