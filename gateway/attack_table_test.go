package gateway_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of the table of attacks in doc/gateway.md names tests that exist.
func TestAttackTable(t *testing.T) {
	text, err := os.ReadFile("../doc/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Attacks\n")
	table, _, _ = strings.Cut(table, "\n## ")
	name := regexp.MustCompile("`([^`]+)`")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || cells[0] == "| Attack" {
			continue
		}
		rows++
		dir, named := "gateway", 0
		for _, word := range name.FindAllStringSubmatch(cells[2], -1) {
			if !strings.HasPrefix(word[1], "Test") {
				dir = word[1]
				continue
			}
			named++
			if !hasTest(t, dir, word[1]) {
				t.Errorf("%s: there is no %s in %s", cells[0], word[1], dir)
			}
		}
		if named == 0 {
			t.Errorf("no test: %s", line)
		}
	}
	if rows < 40 {
		t.Errorf("the table has %d rows, want at least 40", rows)
	}
}

// hasTest reports whether a folder of the module has a test.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}
