package tree

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/internal/ascii"
	"locus/url"
)

var nameTests = []struct {
	in, unix, portable string // empty means "same as in"
}{
	{"a.txt", "", ""},
	{"café", "", ""},
	{"100%", "", ""},
	{"%", "%25", "%25"},
	{"", "%", "%"},
	{"a/b", "a%2Fb", "a%2Fb"},
	{`a\b`, `a\b`, "a%5Cb"},
	{`\`, `\`, "%5C"},
	{"a%5Cb", "a%5Cb", "a%255Cb"},
	{"a%2Fb", "a%252Fb", "a%252Fb"},
	{"a%20b", "a%20b", "a%2520b"},
	{"a%2520b", "a%252520b", "a%252520b"},
	{"%41.txt", "%41.txt", "%2541.txt"},
	{"%2e%2E", "%252e%252E", "%252e%252E"},
	{"%0a%5c", "%250a%5c", "%250a%255c"},
	{"a%@b", "a%25@b", "a%25@b"},
	{".", "%2E", "%2E"},
	{"..", "%2E%2E", "%2E%2E"},
	{"../../etc/passwd", "..%2F..%2Fetc%2Fpasswd", "..%2F..%2Fetc%2Fpasswd"},
	{"a\x00b", "a%00b", "a%00b"},
	{"a\nb", "a%0Ab", "a%0Ab"},
	{"a\x1b[2J", "a%1B[2J", "a%1B[2J"},
	{StateDir, "%2Elocus-mirror", "%2Elocus-mirror"},
	{".Locus-MIRROR", "%2ELocus-MIRROR", "%2ELocus-MIRROR"},
	{".locuſ-mirror", "%2Elocuſ-mirror", "%2Elocuſ-mirror"},
	{".locus-mirrors", "", ""},
	{"CON", "CON", "%43ON"},
	{"con.txt", "con.txt", "%63on.txt"},
	{"COM1 .x", "COM1 .x", "%43OM1 .x"},
	{"COM10", "", ""},
	{"LPT²", "LPT²", "%4CPT²"},
	{"a.", "a.", "a%2E"},
	{"a ", "a ", "a%20"},
	{"a?b:c*", "a?b:c*", "a%3Fb%3Ac%2A"},
	{"caf\xe9", "caf\xe9", "caf%E9"},
}

func TestFileName(t *testing.T) {
	// attack: A listing names files such as `../../.ssh/authorized_keys`
	for _, test := range nameTests {
		for portable, want := range map[bool]string{false: test.unix, true: test.portable} {
			if want == "" {
				want = test.in
			}
			if got, err := (Naming{Portable: portable}).File(test.in); got != want || err != nil {
				t.Errorf("file(%q), portable %v = %q, %v, want %q", test.in, portable, got, err, want)
			}
		}
	}
	if got, err := (Naming{}).File(strings.Repeat("a", 256)); err == nil {
		t.Errorf("file(256 bytes) = %q, want an error", got)
	}
}

// Every name stays in its folder and can be reversed.
func FuzzFileName(f *testing.F) {
	for _, test := range nameTests {
		f.Add(test.in, "a=b", true)
		f.Add(test.in, "/..", false)
	}
	f.Fuzz(func(t *testing.T, name, query string, portable bool) {
		portable = portable || runtime.GOOS == "windows" // as a mirror has it
		n := Naming{Portable: portable}
		got, err := n.File(name)
		if err != nil {
			if len(name) <= 85 {
				t.Fatalf("file(%q) = %v", name, err)
			}
			return
		}
		if !filepath.IsLocal(got) || strings.ContainsAny(got, "/\x00") || portable && strings.Contains(got, `\`) || strings.EqualFold(got, StateDir) {
			t.Fatalf("file(%q) = %q", name, got)
		}
		if back := n.unescape(got); back != name {
			t.Fatalf("file(%q) = %q, which means %q", name, got, back)
		}
		n.Escape = "?"
		got, err = n.Page(name, query)
		if err != nil {
			return
		}
		mark := "?"
		if portable {
			mark = "%@"
		}
		before, after, ok := strings.Cut(got, mark)
		if !ok || n.unescape(before) != name || (Naming{Portable: portable}).unescape(after) != query {
			t.Fatalf("page(%q, %q) = %q", name, query, got)
		}
	})
}

// unescape is the reverse of file.
func (n Naming) unescape(s string) string {
	if s == "%" {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if ascii.HasEscape(s, i) && n.isEscaped(ascii.Escaped(s, i)) {
			b.WriteByte(ascii.Escaped(s, i))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestPlace(t *testing.T) {
	for _, test := range []struct {
		root, in string
		want     string // directories and name, with "|" between them; "" if it is not below
	}{
		{"ftp://h/pub/", "ftp://h/pub/a", "a"},
		{"ftp://h/pub", "ftp://h/pub/b/c;type=i", "b|c"},
		{"ftp://h/pub", "ftp://h/pub/b/", "b|"},
		{"ftp://h/pub", "ftp://h/pub/..%2F..%2Fetc%2Fpasswd", "../../etc/passwd"},
		{"ftp://h/pub", "ftp://h/other/a", ""},
		{"ftp://h/pub", "ftp://g/pub/a", ""},
		{"ftp://h/%2Fpub/", "ftp://h/%2Fpub/a", "a"},
		{"file:///pub", "file:///pub/a/b", "a|b"},
		{"file:///pub", "file:///public/a", ""},
		{"http://h/a/b", "http://h/a/c", "c"},
		{"http://h/a/b", "http://h/a/", ""},
		{"http://h/a/", "http://h/a/x%2Fy/z", "x/y|z"},
		{"http://h/a/", "http://h/b", ""},
		{"http://h/a/", "http://h/ab/c", ""},
		{"http://h/a/", "https://h/a/c", ""},
		{"http://h/a/", "http://h:8080/a/c", ""},
		{"http://h:80/a/", "http://H/a/c#x", "c"},
		{"http://h/a/", "http://h/a/../b", ""},
		{"http://h/a/", "http://h/a/%2e%2e/b", ""},
		{"http://h/a/", "http://h/a/..%2Fb", "../b"},
		{"gopher://h/1/pub", "gopher://h/0/pub/a", "a"},
		{"gopher://h/1/pub", "gopher://h:70/1/pub/a/", "a|"},
		{"gopher://h/1/pub", "gopher://h/0/public", ""},
		{"gopher://h/1/pub", "gopher://h:7070/0/pub/a", ""},
		{"gopher://h/", "gopher://h/0any", "any"},
		{"gopher://h/1/pub", "gopher://h/7/pub/find%09x", ""},
		{"gopher://h/1/pub", "gopher://h/0/pub/a%09%09+", "a"},
		{"gopher://h/11/pub", "gopher://h/00/pub/a", "a"},
		{"gopher://h/11/pub", "gopher://h/I9/pub/a/b", "a|b"},
		{"gopher://h/11/pub", "gopher://h/11/pub/d", "d|"},
		{"gopher://h/", "gopher://h/00/pub/a", "pub|a"},
		{"gopher://h/", "gopher://h/02/pub/a", "2|pub|a"},
		{"gopher://h/", "gopher://h/01/a", "1|a"},
		{"gopher://h/", "gopher://h/0exec:%22x%22:/f", `exec:"x":|f`},
	} {
		tree, err := At(url.MustParse(test.root))
		if err != nil {
			t.Fatalf("At(%q): %v", test.root, err)
		}
		u := url.MustParse(test.in)
		if tree.Pages {
			u = Normalize(u)
		}
		dirs, name, ok := tree.PathOf(u)
		got := strings.Join(append(dirs, name), "|")
		if !ok {
			got = ""
		}
		if got != test.want {
			t.Errorf("%s in %s: %q, want %q", test.in, test.root, got, test.want)
		}
	}
	for _, bad := range []string{"mailto:a@b", "gopher://h/0/text", "news:a.b", "telnet://h/"} {
		if tree, err := At(url.MustParse(bad)); err == nil {
			t.Errorf("At(%q) = %v, want an error", bad, tree)
		}
	}
}
