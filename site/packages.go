package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// row matches a row of the table of packages in README.md. Its groups are the names and their purpose.
var row = regexp.MustCompile("(?m)^\\| (`.*) \\| (.*) \\|$")

// name matches a name in such a row.
var name = regexp.MustCompile("`([^`]+)`")

// packages writes a page with the overview and the examples of each package that the table in
// README.md names, a page that lists these packages, and the page of the small programs.
func (s *site) packages() error {
	readme, err := os.ReadFile(filepath.Join(s.root, "README.md"))
	if err != nil {
		return err
	}
	_, table, _ := strings.Cut(string(readme), "\n## The map\n")
	var list strings.Builder
	list.WriteString("# Packages\n\n`go doc` shows everything that a package exports. The pages here have the overview and the examples, which the tests run.\n\n| Package | Purpose |\n|---|---|\n")
	var pages []page
	for _, match := range row.FindAllStringSubmatch(table, -1) {
		var links []string
		for i, n := range name.FindAllStringSubmatch(match[1], -1) {
			dir := n[1]
			if dir == "locus" {
				dir = "."
			} else if i > 0 && strings.Contains(match[1], "`proto/") {
				dir = "proto/" + dir
			}
			p, err := s.packagePage(dir)
			if err != nil {
				return err
			}
			if p.text == "" { // a folder of modules or programs
				links = append(links, "`"+n[1]+"`")
				continue
			}
			links = append(links, fmt.Sprintf("[`%s`](%s)", n[1], strings.TrimPrefix(p.path, "packages/")))
			pages = append(pages, p)
		}
		fmt.Fprintf(&list, "| %s | %s |\n", strings.Join(links, ", "), strings.ReplaceAll(match[2], "](doc/", "](../doc/"))
	}
	for _, p := range append([]page{{path: "packages/packages.md", title: "Packages", short: "All packages", group: "Go packages", text: list.String()}}, pages...) {
		if err := s.write(p); err != nil {
			return err
		}
	}
	return s.programs()
}

// packagePage returns the page of the package in the folder dir of the module. It returns the zero
// page for a program, and for a folder without a package of this module.
func (s *site) packagePage(dir string) (page, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return page{}, err
	}
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return page{}, err
		}
		if file.Name.Name == "main" {
			return page{}, nil
		}
		files = append(files, file)
	}
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(dir), "go.mod")); len(files) == 0 || dir != "." && err == nil {
		return page{}, nil
	}
	path := strings.TrimSuffix("locus/"+dir, "/.")
	p, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return page{}, err
	}
	var b strings.Builder
	markdown := p.Printer()
	markdown.HeadingLevel = 2
	markdown.DocLinkURL = func(*comment.DocLink) string { return "" } // the pages have no declarations
	overview := string(markdown.Markdown(p.Parser().Parse(p.Doc)))
	fmt.Fprintf(&b, "# %s\n\n%s\n%s", path, code("go", fmt.Sprintf("import %q", path)), overview)
	for _, example := range examplesOf(p) {
		fmt.Fprintf(&b, "\n## Example: %s\n\n", example.title)
		if example.Doc != "" {
			b.WriteString(escape(example.Doc) + "\n")
		}
		text, err := body(fset, example.Example)
		if err != nil {
			return page{}, err
		}
		b.WriteString(code("go", text))
		if example.Output != "" {
			b.WriteString("\nOutput:\n\n" + code("", example.Output))
		}
	}
	file := "packages/" + strings.ReplaceAll(path, "/", "-") + ".md"
	return page{path: file, title: path, short: strings.TrimPrefix(path, "locus/"), group: "Go packages", text: b.String()}, nil
}

// An example is an example of a package, with its title.
type example struct {
	*doc.Example

	title string
}

// examplesOf returns the examples of a package, followed by the examples of its functions and its types.
func examplesOf(p *doc.Package) []example {
	var all []example
	add := func(of string, examples []*doc.Example) {
		for _, e := range examples {
			title := strings.ReplaceAll(strings.Trim(of+" "+strings.ReplaceAll(e.Suffix, "_", " "), " "), "_", ".")
			all = append(all, example{e, cmp.Or(title, "the package")})
		}
	}
	add("", p.Examples)
	for _, f := range p.Funcs {
		add(f.Name, f.Examples)
	}
	for _, t := range p.Types {
		add(t.Name, t.Examples)
		for _, f := range t.Funcs {
			add(f.Name, f.Examples)
		}
		for _, m := range t.Methods {
			add(t.Name+"."+m.Name, m.Examples)
		}
	}
	return all
}

// body returns the statements of an example, with its comments and without the braces around them.
func body(fset *token.FileSet, e *doc.Example) (string, error) {
	var b strings.Builder
	if err := format.Node(&b, fset, &printer.CommentedNode{Node: e.Code, Comments: e.Comments}); err != nil {
		return "", err
	}
	text, isBlock := strings.CutPrefix(b.String(), "{\n")
	if !isBlock {
		return b.String(), nil
	}
	text = strings.TrimSuffix(text, "}")
	return strings.TrimSuffix(strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:], "\n"), nil
}

// programs writes the page of the small programs in examples.
func (s *site) programs() error {
	dirs, err := s.found("examples/*/main.go")
	if err != nil {
		return err
	}
	slices.Sort(dirs)
	var b strings.Builder
	b.WriteString("# Small programs\n\nA test runs each of these programs.\n")
	for _, file := range dirs {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s", file, code("go", string(text)))
	}
	return s.write(page{path: "examples.md", title: "Small programs", group: "Go packages", text: b.String()})
}
