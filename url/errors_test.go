package url

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	for in, want := range map[string]string{
		"http://h:8x/":          `parse "http://h:8x/": offset 10: found 'x', want a digit of the port (RFC 3986 §3.2.3)`,
		"http://h:8x/x@y":       `parse "http://h:xxxxx@y": offset 10: found a byte of what may be a password, want a digit of the port (RFC 3986 §3.2.3)`,
		"https://h:443/@a b":    `parse "https://h:443/@a b": offset 16: found ' ', want a byte that may stand in a path, or an escape (RFC 3986 §3.3)`,
		"http://[::1]:80/a@b c": `parse "http://[::1]:80/a@b c": offset 19: found ' ', want a byte that may stand in a path, or an escape (RFC 3986 §3.3)`,
		"mailto:a b@h":          `parse "mailto:a b@h": offset 8: found ' ', want a byte that may stand in a path, or an escape (RFC 3986 §3.3)`,
		"x:\n":                  `parse "x:\n": offset 2: found byte 0x0a, want a byte that may stand in a path, or an escape (RFC 3986 §3.3)`,
		"x:%":                   `parse "x:%": offset 2: found a bad escape, want two hex digits after the "%" (RFC 3986 §2.1)`,
		"http://[%31]/":         `parse "http://[%31]/": offset 8: found the escape %31, want an IPv6 address (RFC 3986 §3.2.2)`,
		"http://[::1":           `parse "http://[::1": offset 11: found the end, want the "]" that ends the address (RFC 3986 §3.2.2)`,
	} {
		if _, err := Parse(in); err == nil || err.Error() != want {
			t.Errorf("Parse(%q) = error\n%v\nwant\n%v", in, err, want)
		}
	}
}

func TestMark(t *testing.T) {
	for in, want := range map[string]string{
		"http://h:8x/":                        "http://h:8x/\n          ^ want a digit of the port",
		"x:\xff\n":                            "x:\\xff\\x0a\n  ^ want a byte that may stand in a path, or an escape",
		"ftp://u:p w@h/":                      "ftp://u:xxxxx@h/\n        ^ want a byte that may stand in a password, or an escape",
		"x:" + strings.Repeat("a", 200) + " ": "…" + strings.Repeat("a", 119) + " \n" + strings.Repeat(" ", 120) + "^ want a byte that may stand in a path, or an escape",
	} {
		_, err := Parse(in)
		if got := err.(*SyntaxError).Mark(); got != want {
			t.Errorf("Mark(%q) =\n%s\nwant\n%s", in, got, want)
		}
	}
}

func ExampleParse() {
	u, err := Parse("https://user@host.example:8042/over/there?name=ferret#nose")
	if err != nil {
		fmt.Println(err)
	}
	host, _ := u.Host()
	_, hasPassword := u.Password()
	fmt.Println(u.Scheme(), host, u.Path(), hasPassword)
	_, err = Parse("http://host/a b")
	fmt.Println(err)
	// Output:
	// https host.example /over/there false
	// parse "http://host/a b": offset 13: found ' ', want a byte that may stand in a path, or an escape (RFC 3986 §3.3)
}

func ExampleURL_Relative() {
	base, _ := RFC1630.Parse("magic://a/b/c//d/e/f")
	u, _ := RFC1630.Parse("magic://a/b/c//d/g")
	ref, _ := base.Relative(u)
	fmt.Println(ref)
	// Output: ../g
}

func TestMarshal(t *testing.T) {
	u := MustParse("http://u:p@h/%2F?a&b#")
	text, err := json.Marshal(map[string]URL{"u": u})
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]URL
	if err := json.Unmarshal(text, &back); err != nil || back["u"] != u {
		t.Errorf("Unmarshal(%s) = %q, %v, want %q", text, back["u"], err, u)
	}
	if err := json.Unmarshal([]byte(`{"u":"a b"}`), &back); err == nil {
		t.Error(`Unmarshal of the invalid URL "a b" = nil error, want an error`)
	}
	if got := u.LogValue().String(); got != "http://u:xxxxx@h/%2F?a&b#" {
		t.Errorf("LogValue = %q, want the password hidden", got)
	}
}

func TestEscape(t *testing.T) {
	for _, test := range []struct {
		in   string
		keep Set
		want string
	}{
		{"a b%\xff/", RFC3986.Unreserved(), "a%20b%25%FF%2F"},
		{"a*+~", RFC1738.Unreserved(), "a*+%7E"},
		{"a*+-", RFC1630.Unreserved(), "a%2A%2B-"},
		{"a/b;c", RFC3986.Allowed(Path).Without("/"), "a%2Fb;c"},
		{"", Set{}, ""},
	} {
		if got := Escape(test.in, test.keep); got != test.want {
			t.Errorf("Escape(%q) = %q, want %q", test.in, got, test.want)
		}
	}
	for in, want := range map[string]int{"%": 0, "a%4": 1, "%41%zz": 3, "%4g": 0} {
		_, err := Unescape(in)
		if e, ok := err.(*SyntaxError); !ok || e.Offset != want {
			t.Errorf("Unescape(%q) = %v, want offset %d", in, err, want)
		}
	}
	plain := "plain"
	if n := testing.AllocsPerRun(10, func() { _ = Escape(plain, unreserved3986); _, _ = Unescape(plain) }); n != 0 {
		t.Errorf("Escape and Unescape of %q allocate %v times, want 0", plain, n)
	}
}

func TestAllocations(t *testing.T) {
	base := MustParse("http://h/a/b/c")
	if n := testing.AllocsPerRun(10, func() { _, _ = base.Resolve("../x/./y?q#f") }); n > 1 {
		t.Errorf("Resolve allocates %v times, want 1", n)
	}
	u := MustParse("HTTP://H/a/../%41")
	if n := testing.AllocsPerRun(10, func() { _ = u.Normalize(AllRewrites, httpFacts) }); n > 1 {
		t.Errorf("Normalize allocates %v times, want 1", n)
	}
	if n := testing.AllocsPerRun(10, func() { _ = base.Normalize(AllRewrites, httpFacts) }); n > 0 {
		t.Errorf("Normalize of a normalized URL allocates %v times, want 0", n)
	}
}
