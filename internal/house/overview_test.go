package house_test

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	// largePackage is how many files a package may have without an overview. Tests and files that templ generates do
	// not count.
	largePackage = 10

	// overviewHeading begins an overview, which explains the life of a request, a job or a page from one piece of the
	// package to the next. In the comment of a package it is a heading, and in a comment inside a file it ends with a
	// colon.
	overviewHeading = "How the pieces work together"
)

// A package with more than ten files opens with an overview, because its files alone do not show a reader where to
// begin. Each file that an overview names exists, because a name that is out of date sends the reader astray.
func TestOverviews(t *testing.T) {
	type large struct {
		files    map[string]bool
		overview string // in the comment of the package; "" if there is no overview
	}
	packages := map[string]*large{}
	for _, s := range sources(t) {
		if s.test || strings.HasSuffix(s.file, "_templ.go") {
			continue
		}
		p := packages[s.pkg]
		if p == nil {
			p = &large{files: map[string]bool{}}
			packages[s.pkg] = p
		}
		p.files[path.Base(s.file)] = true
		if text, ok := overviewIn(s.ast.Doc.Text()); ok {
			p.overview = text
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if p := packages[name]; len(p.files) > largePackage {
			if err := checkOverview(p.overview); err != nil {
				t.Errorf("package %s has %d files, more than %d: %v", name, len(p.files), largePackage, err)
			}
		}
	}
	for _, s := range sources(t) {
		for _, name := range filesInOverviews(s) {
			if p := packages[s.pkg]; p != nil && !p.files[name] {
				t.Errorf("%s: the overview names %s, and package %s has no such file: correct the name", s.file, name, s.pkg)
			}
		}
	}
}

// filesInOverviews returns the names of the files that the overviews in the comments of s name. It is empty for a test.
func filesInOverviews(s source) (names []string) {
	if s.test {
		return nil
	}
	for _, c := range s.ast.Comments {
		text, _ := overviewIn(commentText(s.ast, c))
		names = append(names, namedFiles(text)...)
	}
	return names
}

// commentText returns the text of a comment in f. In a comment inside the file, it turns the first line of an overview
// into a heading, so that overviewIn finds it.
func commentText(f *ast.File, c *ast.CommentGroup) string {
	if rest, ok := strings.CutPrefix(c.Text(), overviewHeading+":\n"); ok && c != f.Doc {
		return "# " + overviewHeading + "\n" + rest
	}
	return c.Text()
}

// overviewIn returns the text of the overview in the comment of a package: the lines from its heading up to the next
// heading, the divergences or the end. ok is false if the comment has no overview.
func overviewIn(comment string) (text string, ok bool) {
	_, text, ok = strings.Cut("\n"+comment, "\n# "+overviewHeading+"\n")
	for _, next := range []string{"\n# ", "\nNotable divergences"} {
		text, _, _ = strings.Cut(text, next)
	}
	return text, ok
}

// checkOverview returns an error that says how to correct the overview of a large package, or nil if the overview
// names files.
func checkOverview(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("explain in its comment, under the heading %q, how a request passes from file to file", "# "+overviewHeading)
	case namedFiles(text) == nil:
		return errors.New("add to its overview the files of the pieces, in parentheses")
	}
	return nil
}

// fileName is the name of a Go file in a text, with its folder if the text has it.
var fileName = regexp.MustCompile(`[\w./-]+\.go\b`)

// namedFiles returns the names of the Go files in an overview; nil if it names no file.
func namedFiles(text string) []string {
	return fileName.FindAllString(text, -1)
}

func TestCheckOverview(t *testing.T) {
	for _, test := range []struct {
		comment string
		files   []string
		wrong   string // a part of the error; "" if the overview is good
	}{
		{"Package p is small.\n", nil, "how a request passes"},
		{"Package p.\n\n# How the pieces work together\n\n# Errors\n\nSee errors.go.\n", nil, "how a request passes"},
		{"Package p.\n\n# How the files work together\n\nA URL becomes a plan (plan.go).\n", nil, "how a request passes"},
		{"Package p.\n\n# How the pieces work together\n\nA URL becomes a plan.\n", nil, "in parentheses"},
		{"Package p.\n\n# How the pieces work together\n\nA URL becomes a plan (plan.go, query.go).\nA link sends it (link.go).\n\nNotable divergences:\n  - none; see none.go\n", []string{"plan.go", "query.go", "link.go"}, ""},
		{"Package p.\n\n# How the pieces work together\n\n  - run.go  runs, on processors with AVX2 (wide_amd64.go)\n\n# The end\n\nend.go\n", []string{"run.go", "wide_amd64.go"}, ""},
	} {
		text, _ := overviewIn(test.comment)
		if files := namedFiles(text); !slices.Equal(files, test.files) {
			t.Errorf("namedFiles of the overview in %q = %q, want %q", test.comment, files, test.files)
		}
		switch err := checkOverview(text); {
		case test.wrong == "" && err != nil, test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("checkOverview of the overview in %q = %v, want an error with %q", test.comment, err, test.wrong)
		}
	}
}
