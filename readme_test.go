package locus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// Parsing a URL needs only package url and the standard library.
func Example_url() {
	u, err := url.RFC1738.Parse("ftp://ada:@example.org/pub/a%2Fb;type=i")
	if err != nil {
		fmt.Println(err) // the offset, the section, and what was wanted
		return
	}
	v, err := scheme.ParseFTP(u)
	fmt.Printf("%q %q %q %v\n", v.Dirs, v.Name, v.Type, err)
	// Output: ["pub"] "a/b" "i" <nil>
}

// The Go code in README.md is the code of the examples.
func TestReadmeGo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples.Write(text)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("README.md has no Go")
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		var indented strings.Builder
		for line := range strings.Lines(block) {
			if line != "\n" {
				indented.WriteString("\t")
			}
			indented.WriteString(line)
		}
		if !strings.Contains(examples.String(), indented.String()) {
			t.Errorf("README.md shows Go that no example runs:\n%s", block)
		}
	}
}
