package compare

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// doc/compare.md has every class, with an example that is of it.
func TestDoc(t *testing.T) {
	text, err := os.ReadFile("../doc/compare.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| class | example | why |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var classes []Class
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		class, example := Class(strings.Trim(cells[0], "| `")), strings.Trim(cells[1], "`")
		if unquoted, err := strconv.Unquote(example); err == nil {
			example = unquoted
		}
		classes = append(classes, class)
		c := Read(example)
		if !slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Class == class }) {
			t.Errorf("%q is an example of %s, and found to be of %q", example, class, names(c.Findings))
		}
	}
	if !slices.Equal(classes, allClasses()) {
		t.Errorf("doc/compare.md has %q, want %q", classes, allClasses())
	}
}
