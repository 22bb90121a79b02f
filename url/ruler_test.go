package url

import (
	"fmt"
	"strings"
	"testing"
)

func TestRuler(t *testing.T) {
	for in, want := range map[string]string{
		"": "\n", // nothing to name
		"a": "a\n" +
			"|\n" +
			"path",
		"x:": "x:\n" +
			"|\n" +
			"scheme",
		"//h": "//h\n" +
			"  |\n" +
			"  host",
		"ftp://u:S3CRET@h/": "ftp://u:xxxxx@h/\n" +
			"\\_/   | \\___/ ||\n" +
			"|     | |     |path\n" +
			"|     | |     host\n" +
			"|     | password\n" +
			"|     user\n" +
			"scheme",
	} {
		if got := MustParse(in).Ruler(); got != want {
			t.Errorf("Ruler of %q =\n%s\nwant\n%s", in, got, want)
		}
	}
}

// checkRuler holds a drawing to what is true of every one: no password, a line
// for each part that is there, and nothing wider than the text.
func checkRuler(t *testing.T, u URL, drawing string) {
	t.Helper()
	lines := strings.Split(drawing, "\n")
	named := lines[min(2, len(lines)):]
	for n := range PartName(partCount) {
		p := u.Part(n)
		shown := p.Present && (n != Path || p.Text != "")
		found := false
		for _, line := range named {
			fields := strings.Fields(strings.ReplaceAll(line, "|", " "))
			found = found || len(fields) > 0 && fields[0] == n.String()
		}
		if found != shown {
			t.Errorf("Ruler of %q names the %v: %v, want %v:\n%s", u.Redacted(), n, found, shown, drawing)
		}
	}
	if p := u.Part(Password); p.Text == "S3CRET" && strings.Contains(drawing, "S3CRET") {
		t.Errorf("Ruler shows the password:\n%s", drawing)
	}
	if len(lines) > 1 && columns(lines[1]) > columns(lines[0]) {
		t.Errorf("Ruler of %q is wider than the text:\n%s", u.Redacted(), drawing)
	}
}

func TestRulerOfEveryShape(t *testing.T) {
	for scheme := range 2 {
		for login := range 4 {
			for port := range 3 {
				for tail := range 8 {
					text := [...]string{"", "ftp:"}[scheme] + "//" + [...]string{"", "@", "u@", "u:S3CRET@"}[login] + "h" +
						[...]string{"", ":", ":21"}[port] + [...]string{"", "/", "/a/b", "?", "?q", "#", "#f", "/a?q#f"}[tail]
					u := MustParse(text)
					checkRuler(t, u, u.Ruler())
				}
			}
		}
	}
	for _, in := range []string{"http://h/" + strings.Repeat("a", 10000), strings.Repeat("a", 49), "x:" + strings.Repeat("%41", 1000) + "?" + strings.Repeat("q", 1000)} {
		u := MustParse(in)
		drawing := u.Ruler()
		checkRuler(t, u, drawing)
		if len(drawing) > 1000 || !strings.Contains(drawing, "…") {
			t.Errorf("Ruler of %.20q… is not cut: %d octets", in, len(drawing))
		}
	}
}

// The "^" stands under the offending octet, whatever stands before it.
func TestMarkColumns(t *testing.T) {
	for _, before := range []string{"http://h/", "x:", "/a/b?q", "//u@h/", "x:%41", "http://[::1]/", strings.Repeat("long/", 10)} {
		for _, bad := range []string{" ", "\x00", "\xff", "é", "<", "\"", "%", "%zz"} {
			for _, after := range []string{"", "g", strings.Repeat("z", 300)} {
				_, err := Parse(before + bad + after)
				e, ok := err.(*SyntaxError)
				if !ok || e.Offset != len(before) {
					t.Errorf("Parse(%q) = %v, want an error at %d", before+bad+after, err, len(before))
					continue
				}
				drawing, mark, _ := strings.Cut(e.Mark(), "\n")
				column := strings.IndexByte(mark, '^')
				want := fmt.Sprintf(`\x%02x`, bad[0])
				if ' ' <= bad[0] && bad[0] < 0x7f {
					want = bad[:1]
				}
				if runes := []rune(drawing); column < 0 || column >= len(runes) || !strings.HasPrefix(string(runes[column:]), want) {
					t.Errorf("Mark of %q points at column %d:\n%s", before+bad+after, column, e.Mark())
				}
			}
		}
	}
}
