package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"locus/internal/facts"
)

// A policy that compares the name of a scheme ignores schemes that are added later. So a
// package must ask for traits (access.Scheme, or internal/facts) instead of comparing
// names.

// schemePackages are the packages that may compare the names of schemes, because each
// implements one scheme or all of them.
var schemePackages = []string{
	"internal/facts", "scheme", "internal/trail", // the tables
	"url", "url/*", "compare", // the standards of syntax name the schemes for which they have rules
	"proto/*", "transfer/internal/tree", // each implements one protocol
	"cmd/*", "demo", "demo/*", "examples/*", // programs
}

// schemeNames lists the allowed comparisons with the name of a scheme in other packages, by
// file.
var schemeNames = []allowedNames{
	{"client.go", nil, "it has the table of engines"},
	{"proxy.go", []string{"http", "ftp", "gopher", "wais"}, "the kinds of proxies, and the schemes that HTTP proxies understand"},
	{"proxies.go", []string{"http", "mid", "cid"}, "the kinds of proxies; mail is fetched with the proxy for imap"},
	{"access/fs.go", []string{"ftp", "gopher"}, "the view of a scheme tells where a name stands in its URLs"},
	{"access/location.go", []string{"ftp", "gopher", "file", "afs", "http"}, "as access/fs.go"},
	{"archive/proxy.go", []string{"http"}, "a client that cannot ask for https through a proxy asks for http"},
	{"archive/replay.go", []string{"ftp"}, "an ftp URL may end with a type, which is not part of the name"},
	{"extract/scheme.go", []string{"http", "https", "ldap", "news", "snews", "xmpp", "sip", "sips", "urn", "data", "file", "acct", "pkg", "tag"}, "how a URL of each scheme begins in text"},

	// words that mean something else
	{"extract/document/internal/html/html.go", []string{"data"}, "an attribute of HTML"},
	{"extract/document/internal/rst/objects.go", []string{"data"}, "a directive of Sphinx"},
	{"extract/document/internal/org/links.go", []string{"file"}, "a type of links in Org mode"},
	{"extract/document/internal/rst/directives.go", []string{"file"}, "an option of a directive"},
	{"gateway/internal/page/row.go", []string{"message"}, "a media type"},
	{"internal/forwarded/forwarded.go", []string{"http", "https", "ws", "wss"}, "values of Forwarded and X-Forwarded-Proto"},
	{"transfer/metalink.go", []string{"file"}, "an element of Metalink"},
}

// allowedNames are the names of schemes with which a file may compare values. Without names it may use every name.
type allowedNames struct {
	file   string
	names  []string
	reason string
}

func TestSchemeNames(t *testing.T) {
	isScheme := map[string]bool{}
	for s := range facts.All() {
		isScheme[s.Name] = true
	}
	seen := map[string]bool{} // "file name"
	for _, s := range sources(t) {
		if s.test || matchAny(schemePackages, s.pkg) || ast.IsGenerated(s.ast) {
			continue
		}
		for _, lit := range comparedTexts(s.ast) {
			name, err := strconv.Unquote(lit.Value)
			if err != nil || !isScheme[name] {
				continue
			}
			i := slices.IndexFunc(schemeNames, func(known allowedNames) bool {
				return known.file == s.file && (known.names == nil || slices.Contains(known.names, name))
			})
			seen[s.file], seen[s.file+" "+name] = true, true
			if i < 0 {
				t.Errorf("%s: a value is compared with %q, the name of a scheme: ask for a trait of the scheme, or add the file and the reason to schemeNames in internal/house/schemes_test.go", s.fset.Position(lit.Pos()), name)
			}
		}
	}
	for _, known := range schemeNames {
		if !seen[known.file] {
			t.Errorf("schemeNames lists %s, which does not compare names of schemes: remove the line", known.file)
		}
		for _, name := range known.names {
			if seen[known.file] && !seen[known.file+" "+name] {
				t.Errorf("schemeNames lists %s with %q, which the file does not compare: remove the name", known.file, name)
			}
		}
	}
}

// comparedTexts returns the literals that a file compares, switches on, or uses as the key
// of a map.
func comparedTexts(f *ast.File) []*ast.BasicLit {
	var all []*ast.BasicLit
	add := func(values ...ast.Expr) {
		for _, v := range values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				all = append(all, lit)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CaseClause:
			add(n.List...)
		case *ast.KeyValueExpr:
			add(n.Key)
		case *ast.IndexExpr:
			add(n.Index)
		}
		return true
	})
	return all
}

// comparedTexts finds every form of a comparison, and ignores other texts.
func TestComparedTexts(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p
func _(s string, m map[string]int) {
	_ = s == "a" || "b" != s
	switch s { case "c", "d": }
	_ = m["e"]
	_ = map[string]int{"f": 1}
	_ = []string{"no"}
	g("no")
	s = "no"
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, lit := range comparedTexts(f) {
		got = append(got, lit.Value)
	}
	if want := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e"`, `"f"`}; !slices.Equal(got, want) {
		t.Errorf("comparedTexts: %s, want %s", got, want)
	}
}
