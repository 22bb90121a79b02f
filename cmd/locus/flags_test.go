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
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"locus/extract/document"
)

func testRoot() *cli.Command { return newProcess(os.Stdin, os.Stdout, os.Stderr).command() }

// ownFlags returns the flags that a verb declares, without --help.
func ownFlags(c *cli.Command) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool { return f.Names()[0] == "help" })
}

// A flag has the same names, default and sentence in each verb that has it, and the
// same sentence belongs to no other flag.
func TestFlagsMeanOneThing(t *testing.T) {
	type meaning struct {
		verb, text string
		names      []string
	}
	byName, bySentence := make(map[string]meaning), make(map[string]string)
	for _, verb := range testRoot().Commands {
		seen := make(map[string]bool)
		for _, f := range ownFlags(verb) {
			doc := f.(cli.DocGenerationFlag)
			m := meaning{verb.Name, fmt.Sprintf("%T %s %q: %s", f, f.Names(), doc.GetValue(), doc.GetUsage()), f.Names()}
			for _, name := range m.names {
				if seen[name] {
					t.Errorf("%s declares %s twice", verb.Name, dashed(name))
				}
				seen[name] = true
				if other, ok := byName[name]; ok && other.text != m.text {
					t.Errorf("%s is\n\t%s in %s, and\n\t%s in %s", dashed(name), other.text, other.verb, m.text, m.verb)
				}
				byName[name] = m
			}
			if other, ok := bySentence[doc.GetUsage()]; ok && other != m.names[0] {
				t.Errorf("--%s and --%s have the same sentence", other, m.names[0])
			}
			bySentence[doc.GetUsage()] = m.names[0]
			if len(m.names[0]) == 1 {
				t.Errorf("-%s of %s has no long form", m.names[0], verb.Name)
			}
		}
	}
	for _, s := range flagSpecs {
		if _, ok := byName[s.name]; !ok && s.name != "version" {
			t.Errorf("no verb has --%s", s.name)
		}
	}
}

// Every flag that a verb declares is read in a function that its action calls or
// mentions, directly or through others. Calls are resolved by their types.
func TestFlagsAreRead(t *testing.T) {
	functions := readFunctions(t)
	byAction := make(map[string]*function) // by the name of the verb
	for _, f := range functions {
		if f.verb != "" {
			byAction[f.verb] = f
		}
	}
	for _, verb := range testRoot().Commands {
		declaration := byAction[verb.Name]
		if declaration == nil || declaration.action == nil {
			t.Errorf("no function declares the verb %s with a method as Action", verb.Name)
			continue
		}
		read := make(map[string]bool)
		collectReads(functions, declaration.action, read, make(map[types.Object]bool))
		for _, f := range ownFlags(verb) {
			if name := f.Names()[0]; !read[name] && !slices.Contains(readByAll, name) {
				t.Errorf("%s declares --%s, and nothing that %s calls reads it", verb.Name, name, declaration.action.Name())
			}
		}
	}
}

// readByAll are the flags that before reads for all verbs. What becomes of them is
// tested elsewhere.
var readByAll = []string{"quiet", "password-file"}

// A function is a function or method of the command.
type function struct {
	mentions map[types.Object]bool // functions and methods of the command
	reads    map[string]bool       // flags
	verb     string                // that it declares; "" if none
	action   types.Object          // of that verb
}

// readFunctions reads the sources of the command.
func readFunctions(t *testing.T) map[types.Object]*function {
	t.Helper()
	list := func(args ...string) string {
		out, err := exec.Command("go", append([]string{"list", "-f"}, args...)...).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return strings.TrimSpace(string(out))
	}
	names := strings.Fields(list(`{{join .GoFiles " "}}`, "."))
	imports := strings.Fields(list(`{{join .Imports " "}}`, "."))
	exports := make(map[string]string)
	for line := range strings.Lines(list(append([]string{"{{.ImportPath}} {{.Export}}", "-export", "-deps"}, imports...)...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	positions := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(positions, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	config := types.Config{Importer: importer.ForCompiler(positions, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	if _, err := config.Check("locus/cmd/locus", positions, files, info); err != nil {
		t.Fatal(err)
	}
	all := make(map[types.Object]*function)
	for _, file := range files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				all[info.Defs[fn.Name]] = functionOf(fn, info)
			}
		}
	}
	return all
}

func functionOf(fn *ast.FuncDecl, info *types.Info) *function {
	f := &function{mentions: make(map[types.Object]bool), reads: make(map[string]bool)}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if used, ok := info.Uses[n].(*types.Func); ok {
				f.mentions[used.Origin()] = true
			}
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			switch value := n.Value.(type) {
			case *ast.SelectorExpr:
				if key != nil && key.Name == "Action" {
					f.action = info.Uses[value.Sel]
				}
			case *ast.BasicLit:
				if key != nil && key.Name == "Name" && strings.HasSuffix(fn.Name.Name, "Command") {
					f.verb, _ = strconv.Unquote(value.Value)
				}
			}
		case *ast.CallExpr:
			if !readsFlag(n, info) {
				break
			}
			for _, arg := range n.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					name, _ := strconv.Unquote(lit.Value)
					f.reads[name] = true
				}
			}
		}
		return true
	})
	return f
}

// readsFlag reports whether a call reads the value of a flag: by a method of
// cli.Command, or by a function here that is given the flag's name.
func readsFlag(call *ast.CallExpr, info *types.Info) bool {
	switch called := call.Fun.(type) {
	case *ast.Ident:
		return called.Name == "durationOf" || called.Name == "countOf"
	case *ast.SelectorExpr:
		method, ok := info.Uses[called.Sel].(*types.Func)
		return ok && method.Pkg() != nil && method.Pkg().Path() == "github.com/urfave/cli/v3" &&
			slices.Contains([]string{"Bool", "String", "StringSlice", "Int", "Duration"}, method.Name())
	}
	return false
}

// collectReads adds the flags that a function reads, and those that it mentions.
func collectReads(all map[types.Object]*function, name types.Object, read map[string]bool, done map[types.Object]bool) {
	f := all[name]
	if done[name] || f == nil || f.verb != "" {
		return
	}
	done[name] = true
	maps.Copy(read, f.reads)
	for other := range f.mentions {
		collectReads(all, other, read, done)
	}
}

// The short help of a verb fits on a screen of 24 lines, and is not all of it where
// there are more flags than that.
func TestHelpFitsOnAScreen(t *testing.T) {
	for _, verb := range testRoot().Commands {
		var short bytes.Buffer
		writeHelp(&short, verb, false)
		if n := bytes.Count(short.Bytes(), []byte("\n")); n > 24 {
			t.Errorf("help %s has %d lines, want at most 24", verb.Name, n)
		}
		var all bytes.Buffer
		writeHelp(&all, verb, true)
		for _, f := range ownFlags(verb) {
			if !strings.Contains(all.String(), "\n   "+flagText(f)[0]) {
				t.Errorf("help --all %s lacks --%s", verb.Name, f.Names()[0])
			}
		}
		for _, name := range commonFlags(verb) {
			if !slices.ContainsFunc(verb.Flags, func(f cli.Flag) bool { return f.Names()[0] == name }) {
				t.Errorf("%s has no --%s, which is to be in its short help", verb.Name, name)
			}
		}
	}
}

// The values of --as that help and completions show are those that the verbs take.
func TestKinds(t *testing.T) {
	for _, kind := range documentKinds {
		if _, ok := document.ByString(kind); !ok {
			t.Errorf("extract does not take --as %s", kind)
		}
	}
	for _, kind := range rfcStandards {
		if _, ok := standards[kind]; !ok {
			t.Errorf("parse does not take --as %s", kind)
		}
	}
}

// doc/command.md has the table of all flags.
func TestFlagTable(t *testing.T) {
	const name, begin, end = "../../doc/command.md", "<!-- flags -->\n", "<!-- end of flags -->\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no %q and %q", name, begin, end)
	}
	want := before + begin + flagTable(testRoot()) + end + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s has another table of flags: go test ./cmd/locus -run TestFlagTable -u", name)
	}
}

// flagTable returns a table in Markdown: flag, meaning, verbs.
func flagTable(root *cli.Command) string {
	var b strings.Builder
	b.WriteString("| Flag | Meaning and default | Verbs |\n|---|---|---|\n")
	for _, s := range flagSpecs {
		var verbs []string
		for _, verb := range root.Commands {
			if slices.ContainsFunc(verb.Flags, func(f cli.Flag) bool { return f.Names()[0] == s.name }) {
				verbs = append(verbs, verb.Name)
			}
		}
		text := flagText(s.flag())
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", text[0], strings.ReplaceAll(text[1], "|", `\|`), verbList(verbs))
	}
	return b.String()
}

func verbList(verbs []string) string {
	if len(verbs) == 0 {
		return "locus itself"
	}
	return strings.Join(verbs, ", ")
}
