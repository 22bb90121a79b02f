package house_test

import (
	"path"
	"strings"
	"testing"
)

// The map in README.md has every package that other modules can import.
func TestReadmeMap(t *testing.T) {
	readme, err := readFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n## The map\n")
	onMap := map[string]bool{}
	for line := range strings.Lines(table) {
		cell, isRow := strings.CutPrefix(line, "| `")
		if !isRow {
			continue
		}
		cell, _, _ = strings.Cut(cell, " |")
		// In "`proto/web`, `ftp`" all names are in the folder of the first.
		folder := ""
		for i, name := range strings.Split(strings.ReplaceAll(cell, "`", ""), ", ") {
			onMap[name], onMap[path.Join(folder, name)] = true, true
			if i == 0 {
				folder = path.Dir(name)
			}
		}
	}
	for _, name := range dependencies(t, "./...", "{{if .Module}}{{if .Module.Main}}{{.ImportPath}}{{end}}{{end}}") {
		name = strings.TrimPrefix(name, "locus/")
		if strings.Contains(name, "internal/") || strings.HasPrefix(name, "examples/") || name == "demo/library" {
			continue
		}
		if !onMap[name] {
			t.Errorf("add package %s to the map in README.md", name)
		}
	}
}
