package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Plain text of the help becomes Markdown that shows the same text.
func TestPlain(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"a *.html file", "a \\*.html file\n"},
		{"--output or (-o) writes <FILE>", "`--output` or (`-o`) writes \\<FILE\\>\n"},
		{"q  ends\n\n   z   suspends\n   q   ends\nafter", "q  ends\n\n\n```\nz   suspends\nq   ends\n```\n\nafter\n"},
		{"a well-known e-mail", "a well-known e-mail\n"},
	} {
		if got := plain(test.in); got != test.want {
			t.Errorf("plain(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// The marks of Hugo's shortcodes are shown.
func TestLiteral(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"a `{{< highlight >}}` b {{% x %}}", "a `{{</* highlight */>}}` b {{%/* x */%}}"},
		{"{{< a >}} {{< b >}}", "{{</* a */>}} {{</* b */>}}"},
		{`such as "{{< ref "` + "\n", `such as "{{` + wordJoiner + `< ref "` + "\n"},
		{"{{x}} {{ y }}", "{{x}} {{ y }}"},
	} {
		if got := literal(test.in); got != test.want {
			t.Errorf("literal(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// A block of code can have a fence.
func TestCode(t *testing.T) {
	if got, want := code("", "```\na\n```\n"), "````\n```\na\n```\n````\n"; got != want {
		t.Errorf("code returns %q, want %q", got, want)
	}
}

// Every document, and every package on the map, becomes a page. The pages of packages have
// their examples with the comments and the output.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	s := &site{root: "..", content: dir, static: t.TempDir(), hasPage: map[string]bool{}, files: map[string]string{}}
	if err := s.documents(); err != nil {
		t.Fatal(err)
	}
	if err := s.packages(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, want string }{
		{"README.md", "# locus"},
		{"doc/check.md", "# Find dead links"},
		{"packages/locus.md", "Output:"},
		{"packages/locus-url.md", "import \"locus/url\""},
		{"packages/locus-proto-gopher.md", "## Example"},
		{"packages/packages.md", "](locus-proto-nntp.md)"},
		{"examples.md", "## examples/open/main.go"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(test.file)))
		if err != nil || !strings.Contains(string(text), test.want) {
			t.Errorf("%s lacks %q (%v)", test.file, test.want, err)
		}
	}
	if at := s.files["LICENSE"]; at != "files/license" {
		t.Errorf("LICENSE has the page %q", at)
	}
}
