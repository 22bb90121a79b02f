package whatwg

import (
	"testing"

	"locus/url"
)

// What is an href at a glance is one at a closer look.
func FuzzHref(f *testing.F) {
	for _, s := range []string{
		"http://h/", "https://h.example:8080/a/b?q#f", "ftp://h/%2e/", "http://h/.", "http://h:80/", "http://h:065/",
		"http://1.2.3/", "http://a.0x1/", "ws://h/\\", "http://h/?'", "http://h/a b", "http://xn--a/", "mailto:a@b?c", "gopher://h:70/0x\\", "urn:a b", "x:/y", "x:?q", "foo://h", "file:///x", "x://h:065/", "http://h/%2E%2e/x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !isHref(s) {
			return
		}
		m := machine{parser: &Parser{}}
		if err := m.parse(s); err != nil {
			t.Fatalf("Parse(%q): %v", s, err)
		}
		if href := string(m.url.appendHref(nil)); href != s {
			t.Fatalf("Parse(%q) = %q, want it unchanged", s, href)
		}
	})
}

// The parser's result is its own href, and every setter's too.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"http://user:pass@host:81/a/../b?q#f", "file:///C|/x", "data:a b ?q", "web+demo:/.//not-a-host/", "HTTP://[::ffff:1.2.3.4]:80",
		"http://0x7f.1/", "non-special://h%zz/", "blob:https://a/b", "http:\\\\h\\p", "x:", "http://\u1e9e.com/", "mailto:a@b", "//",
	} {
		f.Add(s, "v")
	}
	f.Fuzz(func(t *testing.T, s, value string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		hold(t, u)
		for _, set := range []func(url.URL, string) url.URL{
			WithProtocol, WithUsername, WithPassword, WithHost, WithHostname, WithPort, WithPathname, WithSearch, WithHash,
		} {
			hold(t, set(u, value))
		}
	})
}

func hold(t *testing.T, u url.URL) {
	t.Helper()
	again, err := Parse(u.String())
	if err != nil || again != u {
		t.Fatalf("Parse(%q) = %q, %v, want it unchanged", u, again, err)
	}
	if f := FieldsOf(u); f.Href != u.String() {
		t.Fatalf("FieldsOf(%q).Href = %q", u, f.Href)
	}
}

func TestParseDoesNotCopy(t *testing.T) {
	for _, s := range []string{"https://h.example:8080/a/b?q#f", "http://h/a.html", "ftp://h/"} {
		if n := testing.AllocsPerRun(100, func() { _, _ = Parse(s) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times, want 0", s, n)
		}
	}
}
