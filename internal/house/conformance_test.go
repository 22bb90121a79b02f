package house_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locus/internal/vectors"
)

var update = flag.Bool("update", false, "rewrite the tables of doc/conformance.md and doc/threats.md")

// conformance is the document about the RFCs.
const conformance = "doc/conformance.md"

// checkPart compares a part of a document with want. With -update it writes want. `make conformance`
// writes the parts, each between two lines with its name.
func checkPart(t *testing.T, document, name, want string) {
	t.Helper()
	begins, ends := "<!-- "+name+": written by make conformance -->\n", "<!-- end of "+name+" -->\n"
	text, err := readFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begins)
	got, after, ok2 := strings.Cut(rest, ends)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s lacks the lines %q and %q", document, begins, ends)
	case got == want:
	case !*update:
		t.Errorf("%s: the part %q is out of date: run `make conformance`", document, name)
	default:
		if err := os.WriteFile(document, []byte(before+begins+want+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// requirementID matches a requirement: RFC, section, number.
var requirementID = regexp.MustCompile(`\b1(?:738|630)-[A-Za-z0-9.]+-[0-9]+\b`)

// The table of the document has every requirement that a test names, with its tests.
func TestConformance(t *testing.T) {
	checkPart(t, conformance, "requirements", table(proofs(t), requirements(t)))
}

// subjects matches the name of an RFC that the document is about.
var subjects = regexp.MustCompile(`RFC\s+1(?:738|630)\b`)

// The document lists the divergences that the comments of packages name. The divergences from RFC 1738 and RFC 1630,
// the subject of the document, come first.
func TestDivergences(t *testing.T) {
	var subject, others strings.Builder
	for _, s := range sources(t) {
		if s.test || s.ast.Doc == nil || strings.HasPrefix(s.pkg, "demo") || strings.Contains("/"+s.pkg+"/", "/internal/") {
			continue
		}
		_, list, ok := strings.Cut(s.ast.Doc.Text(), "Notable divergences:\n")
		if !ok {
			continue
		}
		var ofSubject, ofOthers string
		for _, bullet := range bullets(list) {
			if subjects.MatchString(bullet) {
				ofSubject += bullet
			} else {
				ofOthers += bullet
			}
		}
		if ofSubject != "" {
			fmt.Fprintf(&subject, "\n`%s`\n\n%s", s.pkg, ofSubject)
		}
		if ofOthers != "" {
			fmt.Fprintf(&others, "\n`%s`\n\n%s", s.pkg, ofOthers)
		}
	}
	checkPart(t, conformance, "divergences", "### RFC 1738 and RFC 1630\n"+subject.String()+
		"\n### Other standards\n\nPackages that implement other standards list their divergences, too.\n"+others.String()+"\n")
}

// docLink matches a link of a doc comment, such as [Client.Do] or [*access.Moved].
var docLink = regexp.MustCompile(`\[(\*?(?:[a-z0-9/]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)*)\]`)

// bullets returns the bullets of the list at the start of text as Markdown: without their indent, and with doc links as
// code.
func bullets(text string) []string {
	var all []string
	for line := range strings.Lines(docLink.ReplaceAllString(text, "`$1`")) {
		switch {
		case strings.HasPrefix(line, "  - "):
			all = append(all, line[2:])
		case strings.HasPrefix(line, "    ") && len(all) > 0:
			all[len(all)-1] += line[2:]
		default:
			return all
		}
	}
	return all
}

func TestBullets(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"  - A\n    b.\n  - C.\n\nOther text.\n", []string{"- A\n  b.\n", "- C.\n"}},
		{"  - See [Client.Do], [*access.Moved] and [AFS].\n", []string{"- See `Client.Do`, `*access.Moved` and `AFS`.\n"}},
		{"  - An address [fe80::1%25eth0], a list[i].\n", []string{"- An address [fe80::1%25eth0], a list[i].\n"}},
		{"No list.\n", nil},
	} {
		if got := bullets(test.in); !slices.Equal(got, test.want) {
			t.Errorf("bullets(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// Every requirement has a test, and tests name only known requirements.
func TestRequirements(t *testing.T) {
	known := requirements(t)
	proved := proofs(t)
	for r := range known {
		if _, ok := proved[r]; !ok {
			t.Errorf("requirement %s needs a test that names it in a line \"req:\"", r)
		}
	}
	for r, tests := range proved {
		if known[r] == "" {
			t.Errorf("%s is not a requirement, but %q name it", r, tests)
		}
	}
}

// requirements returns the text of each requirement by its id. requirements.txt has a line for
// each: the id, a space and the text.
func requirements(t *testing.T) map[string]string {
	t.Helper()
	const file = "internal/house/requirements.txt"
	text, err := readFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for line := range strings.Lines(string(text)) {
		id, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || !requirementID.MatchString(id) {
			t.Fatalf("%s: %q is not an id and a text", file, line)
		}
		texts[id] = text
	}
	return texts
}

// The ids match the published list, if it is beside the checkout.
func TestRequirementIDs(t *testing.T) {
	enterRoot()
	file := vectors.Path(t, "../spec/requirements.md")
	text := vectors.Read(t, "../spec/requirements.md")
	known := requirements(t)
	published := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "- 1") {
			continue
		}
		published++
		if id := strings.Fields(line)[1]; known[id] == "" {
			t.Errorf("%s has the requirement %s, which is missing in internal/house/requirements.txt", file, id)
		}
	}
	if published != len(known) {
		t.Errorf("%d requirements, want the %d of %s", len(known), published, file)
	}
}

// table returns a row for each requirement, sorted, with its text and its tests by package.
func table(proved map[string][]string, texts map[string]string) string {
	var b strings.Builder
	b.WriteString("| id | requirement | tests |\n|---|---|---|\n")
	for _, r := range slices.SortedFunc(maps.Keys(texts), compareIDs) {
		text := strings.ReplaceAll(texts[r], "|", "\\|")
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r, text, strings.Join(proved[r], "<br>"))
	}
	return b.String()
}

// compareIDs sorts RFC 1738 before RFC 1630, and sections and numbers by number.
func compareIDs(a, b string) int {
	return strings.Compare(sortKey(a), sortKey(b))
}

var digits = regexp.MustCompile(`[0-9]+`)

func sortKey(r string) string {
	rest, first := strings.CutPrefix(r, "1738")
	key := digits.ReplaceAllStringFunc(rest, func(n string) string { return fmt.Sprintf("%04s", n) })
	if first {
		return "0" + key
	}
	return "1" + key
}

func TestSortKey(t *testing.T) {
	ids := []string{"1630-syn-1", "1738-A-1", "1738-3.10-1", "1738-3.2-10", "1738-3.2-9", "1738-2-1"}
	want := []string{"1738-2-1", "1738-3.2-9", "1738-3.2-10", "1738-3.10-1", "1738-A-1", "1630-syn-1"}
	slices.SortFunc(ids, compareIDs)
	if !slices.Equal(ids, want) {
		t.Errorf("sorted ids = %q, want %q", ids, want)
	}
}

// proofs maps each requirement to the tests that name it, one string for each package:
// "`proto/ftp`: TestCommands, TestListing".
func proofs(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string]map[string][]string{} // id, package, tests
	add := func(text, pkg, test string) {
		for _, r := range named(text) {
			if found[r] == nil {
				found[r] = map[string][]string{}
			}
			if !slices.Contains(found[r][pkg], test) {
				found[r][pkg] = append(found[r][pkg], test)
			}
		}
	}
	for _, s := range sources(t) {
		if !s.test || s.file == "internal/house/conformance_test.go" {
			continue
		}
		for _, group := range s.ast.Comments {
			add(group.Text(), s.pkg, owner(s, group.Pos()))
		}
	}
	for _, file := range scripts(t) {
		text, err := readFile(file)
		if err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		pkg, _, _ := strings.Cut(filepath.ToSlash(file), "/testdata/")
		add(string(text), pkg, filepath.Base(file))
	}
	lines := map[string][]string{}
	for r, pkgs := range found {
		for _, pkg := range slices.Sorted(maps.Keys(pkgs)) {
			slices.Sort(pkgs[pkg])
			lines[r] = append(lines[r], "`"+pkg+"`: "+strings.Join(pkgs[pkg], ", "))
		}
	}
	return lines
}

// named returns the ids in the lines of text that begin with "req:".
func named(text string) []string {
	var ids []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, "/# \t"), "req:"); ok {
			ids = append(ids, requirementID.FindAllString(rest, -1)...)
		}
	}
	return ids
}

// owner returns the function that has the comment; outside functions, the file.
func owner(s source, pos token.Pos) string {
	for _, d := range s.ast.Decls {
		begin := d.Pos()
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Doc != nil {
			begin = f.Doc.Pos()
		}
		if ok && begin <= pos && pos < d.End() {
			return f.Name.Name
		}
	}
	return path.Base(s.file)
}

// scripts returns the test scripts of the command.
func scripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("cmd/*/testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestNamed(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"req: 1738-2.2-1", []string{"1738-2.2-1"}},
		{"Words.\nreq: 1738-2.2-1, 1630-enc-2 1738-A-1\nMore.", []string{"1738-2.2-1", "1630-enc-2", "1738-A-1"}},
		{"# req: 1738-2-1\nexec locus", []string{"1738-2-1"}},
		{"speaks of 1738-2.2-1", nil},
	} {
		if got := named(test.in); !slices.Equal(got, test.want) {
			t.Errorf("named(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
