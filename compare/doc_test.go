package compare

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// doc/compare.md lists every class with an example that has a finding of the class.
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
			t.Errorf("the findings in %q, an example of %s, are %q", example, class, names(c.Findings))
		}
	}
	if !slices.Equal(classes, allClasses()) {
		t.Errorf("classes in doc/compare.md = %q, want %q", classes, allClasses())
	}
}
