package house_test

import (
	"regexp"
	"strings"
	"testing"
)

// packageInTable matches the packages in the first column of a row.
var packageInTable = regexp.MustCompile("`([a-z0-9/*]+)`")

// doc/architecture.md names every package of the module, by its path or by a pattern.
func TestArchitectureNamesPackages(t *testing.T) {
	text, err := readFile("doc/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(text)) {
		cell, isRow := strings.CutPrefix(line, "| ")
		cell, _, _ = strings.Cut(cell, " |")
		if !isRow {
			continue
		}
		for _, m := range packageInTable.FindAllStringSubmatch(cell, -1) {
			named = append(named, m[1])
		}
	}
	used := map[string]bool{}
	seen := map[string]bool{}
	for _, s := range sources(t) {
		if seen[s.pkg] {
			continue
		}
		seen[s.pkg] = true
		found := false
		for _, name := range named {
			if name == s.pkg || matchAny([]string{name}, s.pkg) {
				used[name], found = true, true
			}
		}
		if !found {
			t.Errorf("doc/architecture.md does not name the package %s: add it to a table", s.pkg)
		}
	}
	for _, name := range named {
		if !used[name] {
			t.Errorf("doc/architecture.md names %s, which does not match a package", name)
		}
	}
}
