package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"locus/cmd/locus/internal/cli"
	"locus/extract/document"
)

// A verb is registered under its own name.
func TestVerbNames(t *testing.T) {
	for _, m := range program().Verbs {
		if got := m.Make().Name; got != m.Name {
			t.Errorf("the verb %q is called %q", m.Name, got)
		}
	}
}

// Each flag is declared once, so that it has the same names and default in each verb. No two flags
// have the same sentence, each flag belongs to a verb, and each name means one flag of a verb.
func TestFlagsMeanOneThing(t *testing.T) {
	used, bySentence := make(map[string]bool), make(map[string]string)
	for _, verb := range program().All() {
		seen := map[string]bool{"help": true, "h": true}
		for _, f := range verb.Flags() {
			used[f.Name] = true
			for _, name := range []string{f.Name, f.Short} {
				if name != "" && seen[name] {
					t.Errorf("%s declares %s twice", verb.Name, name)
				}
				seen[name] = true
			}
		}
	}
	names := make(map[string]bool)
	for _, f := range cli.AllFlags() {
		_, usage := f.Text()
		if other, ok := bySentence[usage]; ok {
			t.Errorf("--%s and --%s have the same sentence in the help", other, f.Name)
		}
		bySentence[usage] = f.Name
		if names[f.Name] {
			t.Errorf("--%s is declared twice", f.Name)
		}
		names[f.Name] = true
		if !used[f.Name] {
			t.Errorf("--%s is declared, but no verb has it", f.Name)
		}
		if len(f.Name) == 1 {
			t.Errorf("-%s has no long form", f.Name)
		}
	}
}

// readByAll are the flags that the command reads for all verbs.
var readByAll = []string{"quiet"}

// Each flag in the Options of a verb is read by its Run, or by a function that Run calls. In a
// package with several verbs, RunX reads XOptions.
func TestFlagsAreRead(t *testing.T) {
	packages := readPackages(t)
	verbs := 0
	for path, p := range packages {
		for _, name := range p.Scope().Names() {
			options, ok := strings.CutSuffix(name, "Options")
			run := p.Scope().Lookup("Run" + options)
			if !ok || run == nil {
				continue
			}
			verbs++
			read := make(map[types.Object]bool)
			collectReads(packages, run, read, make(map[types.Object]bool))
			for flag, field := range flagFields(p.Scope().Lookup(name).Type().Underlying().(*types.Struct)) {
				if !read[field] && !slices.Contains(readByAll, flag) {
					t.Errorf("%s.%s declares --%s, but Run%s and the functions that it calls do not read it", path, name, flag, options)
				}
			}
		}
	}
	if want := len(program().Verbs) - len([]string{"help", "completion"}); verbs < want {
		t.Errorf("%d verbs have options and a function that runs them, want %d", verbs, want)
	}
}

// The rules for flags name only flags that exist.
func TestRules(t *testing.T) {
	declared := make(map[string]bool)
	for _, f := range cli.AllFlags() {
		declared[f.Name] = true
	}
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, name := range namesInRules(t, file) {
			named++
			if !declared[name] {
				t.Errorf("a rule in %s names --%s, which is not a flag", file, name)
			}
		}
	}
	if named < 100 {
		t.Errorf("the rules name %d flags, want at least 100", named)
	}
}

// namesInRules returns the flags that the rules of a source file name. These are the words in the
// fields Flags, Needs and Excludes.
func namesInRules(t *testing.T, file string) (names []string) {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(source, func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := field.Key.(*ast.Ident); !ok || !slices.Contains([]string{"Flags", "Needs", "Excludes"}, key.Name) {
			return true
		}
		ast.Inspect(field.Value, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				names = append(names, strings.Fields(strings.Trim(text.Value, `"`))...)
			}
			return true
		})
		return true
	})
	return names
}

// A checkedPackage is a package of the command with the functions and fields that each of its
// functions mentions.
type checkedPackage struct {
	*types.Package
	mentions map[types.Object]map[types.Object]bool
}

// readPackages reads the sources of the command.
func readPackages(t *testing.T) map[string]*checkedPackage {
	t.Helper()
	const own = "locus/cmd/locus"
	out, err := exec.Command("go", "list", "-trimpath", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{.Export}}\t{{join .GoFiles \" \"}}", own).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports, checked := make(map[string]string), make(map[string]*checkedPackage)
	positions := token.NewFileSet()
	foreign := importer.ForCompiler(positions, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	find := importerFunc(func(path string) (*types.Package, error) {
		if p := checked[path]; p != nil {
			return p.Package, nil
		}
		return foreign.Import(path)
	})
	for line := range strings.Lines(string(out)) { // dependencies come first
		words := strings.Split(strings.TrimSpace(line), "\t")
		if exports[words[0]] = words[2]; strings.HasPrefix(words[0], own) {
			checked[words[0]] = checkPackage(t, positions, find, words[0], words[1], strings.Fields(words[3]))
		}
	}
	return checked
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func checkPackage(t *testing.T, positions *token.FileSet, find types.Importer, path, dir string, names []string) *checkedPackage {
	t.Helper()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(positions, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: find}
	p, err := config.Check(path, positions, files, info)
	if err != nil {
		t.Fatal(err)
	}
	mentions := make(map[types.Object]map[types.Object]bool)
	for _, file := range files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				mentions[info.Defs[fn.Name]] = mentionedIn(fn, info)
			}
		}
	}
	return &checkedPackage{p, mentions}
}

// mentionedIn returns the functions and fields that a function uses. Setting a field in a literal
// does not count as a use.
func mentionedIn(fn *ast.FuncDecl, info *types.Info) map[types.Object]bool {
	used, keys := make(map[types.Object]bool), make(map[*ast.Ident]bool)
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				keys[key] = true
			}
		case *ast.Ident:
			switch object := info.Uses[n].(type) {
			case *types.Func:
				used[object.Origin()] = true
			case *types.Var:
				if object.IsField() && !keys[n] {
					used[object] = true
				}
			}
		}
		return true
	})
	return used
}

// collectReads adds the functions and fields that a function uses, directly or through other
// functions.
func collectReads(packages map[string]*checkedPackage, name types.Object, read, done map[types.Object]bool) {
	if done[name] || name.Pkg() == nil || packages[name.Pkg().Path()] == nil {
		return
	}
	done[name] = true
	for other := range packages[name.Pkg().Path()].mentions[name] {
		read[other] = true
		if _, ok := other.(*types.Func); ok {
			collectReads(packages, other, read, done)
		}
	}
}

// flagFields returns the fields of a struct that are flags, by the names of the flags.
func flagFields(s *types.Struct) map[string]types.Object {
	fields := make(map[string]types.Object)
	for i := range s.NumFields() {
		f := s.Field(i)
		if name, ok := reflect.StructTag(s.Tag(i)).Lookup("flag"); ok {
			fields[name] = f
		}
		if group, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() {
			for name, field := range flagFields(group) {
				fields[name] = field
			}
		}
	}
	return fields
}

// The short help of a verb fits on a screen of 24 lines of 80 characters, and the full help has
// every flag.
func TestHelpFitsOnAScreen(t *testing.T) {
	for _, verb := range program().All() {
		var short, all bytes.Buffer
		_, _ = verb.WriteHelp(&short, false), verb.WriteHelp(&all, true)
		rows := 0
		for line := range strings.Lines(short.String()) {
			rows += 1 + max(0, utf8.RuneCountInString(line)-2)/80
		}
		if rows > 24 {
			t.Errorf("help %s has %d lines, want at most 24:\n%s", verb.Name, rows, short.String())
		}
		for line := range strings.Lines(verb.Description) {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("the description of %s has a line of %d characters: %s", verb.Name, n, line)
			}
		}
		for _, f := range verb.Flags() {
			if written, _ := f.Text(); !strings.Contains(all.String(), "\n   "+written) {
				t.Errorf("help --all %s lacks --%s", verb.Name, f.Name)
			}
		}
		for _, name := range strings.Fields(verb.Common) {
			if !slices.ContainsFunc(verb.Flags(), func(f cli.Flag) bool { return f.Name == name }) {
				t.Errorf("Common of %s names --%s, which the verb does not have", verb.Name, name)
			}
		}
	}
}

// The examples in the short help of a verb use only flags that the short help lists.
func TestExamplesHaveListedFlags(t *testing.T) {
	for _, verb := range program().All() {
		var short bytes.Buffer
		if err := verb.WriteHelp(&short, false); err != nil {
			t.Fatalf("WriteHelp of %s: %v", verb.Name, err)
		}
		flags, examples, _ := strings.Cut(short.String(), "\nexample:\n")
		for line := range strings.Lines(examples) {
			_, own, _ := strings.Cut(line, "locus "+verb.Name)
			for word := range strings.FieldsSeq(own) {
				name, _, _ := strings.Cut(word, "=")
				if strings.HasPrefix(name, "-") && len(name) > 1 && !isListed(flags, name) {
					t.Errorf("help %s does not list %s, which is in its example %s", verb.Name, name, line)
				}
			}
		}
	}
}

// isListed reports whether a table of flags has the flag with a name or a letter, both with dashes.
func isListed(table, name string) bool {
	for line := range strings.Lines(table) {
		for _, word := range strings.Fields(line)[:min(2, len(strings.Fields(line)))] {
			if strings.TrimSuffix(word, ",") == name {
				return true
			}
		}
	}
	return false
}

// The Usages of a verb are about flags of the verb, and differ from the usual sentence.
func TestOwnSentences(t *testing.T) {
	for _, verb := range program().All() {
		for _, own := range verb.Usages {
			i := slices.IndexFunc(verb.Flags(), func(f cli.Flag) bool { return f.Name == own[0] })
			if i < 0 || own[1] == cli.Spec(own[0]).Usage {
				t.Errorf("%s has the sentence %q for --%s, which is not a flag of the verb or already has that sentence", verb.Name, own[1], own[0])
			}
		}
	}
}

// The help and the completions show the values of --as that extract accepts.
func TestKinds(t *testing.T) {
	extract, err := program().Find("extract")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range extract.Kinds {
		if _, ok := document.ByString(kind); !ok {
			t.Errorf("extract does not accept --as %s", kind)
		}
	}
}

// doc/flags.md contains the tables of all flags.
func TestFlagTable(t *testing.T) {
	const name, begin, end = "../../doc/flags.md", "<!-- flags -->\n", "<!-- end of flags -->\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s does not contain %q and %q", name, begin, end)
	}
	want := before + begin + flagTable(program()) + end + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s has another table of flags: go test ./cmd/locus -run TestFlagTable -u", name)
	}
}

// flagTable returns two tables in Markdown: the flags that several verbs share, with their meanings
// and verbs, and the other flags of each verb.
func flagTable(p *cli.Program) string {
	var b strings.Builder
	b.WriteString("| Flag | Meaning and default | Verbs |\n|---|---|---|\n")
	own := make(map[string][]string) // flags of only one verb
	for _, f := range cli.AllFlags() {
		var verbs []string
		for _, verb := range p.All() {
			if slices.ContainsFunc(verb.Flags(), func(other cli.Flag) bool { return other.Name == f.Name }) {
				verbs = append(verbs, verb.Name)
			}
		}
		written, usage := f.Text()
		if len(verbs) == 1 {
			own[verbs[0]] = append(own[verbs[0]], "`"+written+"`")
			continue
		}
		usage += ownSentences(p, f.Name)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", written, strings.ReplaceAll(usage, "|", `\|`), verbList(verbs))
	}
	b.WriteString("\n| Verb | Flags that no other verb has |\n|---|---|\n")
	for _, verb := range p.All() {
		if flags := own[verb.Name]; flags != nil {
			fmt.Fprintf(&b, "| %s | %s |\n", verb.Name, strings.Join(flags, ", "))
		}
	}
	return b.String()
}

// ownSentences returns the sentences of verbs for a flag, to append to the usual sentence.
func ownSentences(p *cli.Program, flag string) string {
	var b strings.Builder
	for _, verb := range p.All() {
		for _, own := range verb.Usages {
			if own[0] == flag {
				fmt.Fprintf(&b, ". %s: %s", verb.Name, strings.ReplaceAll(own[1], "`", ""))
			}
		}
	}
	return b.String()
}

func verbList(verbs []string) string {
	return strings.Join(verbs, ", ")
}
