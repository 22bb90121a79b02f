package whatwg

import (
	"strings"
	"testing"

	"locus/url"
)

// If a fast path takes a text for an href or repairs it, the machine returns the same URL.
func FuzzHref(f *testing.F) {
	for _, s := range []string{
		"http://h/", "https://h.example:8080/a/b?q#f", "ftp://h/%2e/", "http://h/.", "http://h:80/", "http://h:065/",
		"http://1.2.3/", "http://a.0x1/", "ws://h/\\", "http://h/?'", "http://h/a b", "http://xn--a/", "mailto:a@b?c", "gopher://h:70/0x\\", "urn:a b", "x:/y", "x:?q", "foo://h", "file:///x", "x://h:065/", "http://h/%2E%2e/x", "http://h/..?q", "http://h/%2e#f", "http://h/a?/../'",
		"http://h", "https://h:8080?q", "file://localhost/x", "file:x", "file:/x#f", "ftp://u:@h/", "ftp://@h/", "x://:@h:1", "x://u::@h", "file://u:@h/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		var m machine
		if wantErr := m.parse(s); (err == nil) != (wantErr == nil) {
			t.Fatalf("Parse(%q) = %v, but the machine returns %v", s, err, wantErr)
		}
		if err != nil {
			return
		}
		href := m.url.href(m.path.bytes(), s)
		if u.String() != href {
			t.Fatalf("Parse(%q) = %q, but the machine makes %q", s, u, href)
		}
		if want, err := hrefs.Parse(href); err != nil || u != want {
			t.Fatalf("Parse(%q) = %#v, want %#v, %v", s, u, want, err)
		}
		if glance(s) && href != s {
			t.Fatalf("readHref(%q) = true, but its href is %q", s, href)
		}
	})
}

// glance reports whether readHref accepts s.
func glance(s string) bool {
	_, ok := readHref(s)
	return ok
}

// Parse does not change the result of Parse, nor the result of a setter.
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

// hold checks that u is its own href.
func hold(t *testing.T, u url.URL) {
	t.Helper()
	again, err := Parse(u.String())
	if err != nil || again != u {
		t.Fatalf("Parse(%q) = %q, %v, want it unchanged", u, again, err)
	}
	if f := FieldsOf(u); f.Href != u.String() {
		t.Fatalf("FieldsOf(%q).Href = %q, want the text of the URL", u, f.Href)
	}
}

// Parse neither copies an href nor allocates for it, whatever its shape.
func TestParseDoesNotCopy(t *testing.T) {
	long := strings.Repeat("/a-longer-path", 100)
	for _, s := range []string{
		"https://h.example:8080/a/b?q#f", "http://h/a.html", "ftp://h/", "ws://h/", "http://h:0/",
		"http://user@h/", "http://user:password@h:81/", "http://:password@h/", "http://%3Buser@h/",
		"http://192.0.2.1/", "http://[::1]/", "http://[2001:db8::7]:8080/x", "x://[::1]", "http://h.:81/foo",
		"http://xn--mnchen-3ya.example/", "http://a~b/", "http://h" + long,
		"file:///etc/hosts", "file:///", "file://host/x", "file://192.0.2.1/x", "file:///C:/x", "file:///a/.b",
		"http://h/.well-known/x", "http://h/a/..b/", "http://h/%2Fa", "http://h/[x]|", "http://h" + long + "?[|]", "http://h/?%", "http://h/%zz#{a}",
		"x:", "x:/", "x:/a/b", "x:opaque path?q#f", "x:a%20", "x:/.//a", "x://", "x:///", "x://H%41/b", "x://u:p@H:1",
		"mailto:a@b?subject=c", "urn:isbn:0", "data:text/html,<p>A b</p>", "javascript:alert('x')", "blob:https://h/x", "about:blank#c",
	} {
		u, err := Parse(s)
		if err != nil || u.String() != s {
			t.Errorf("Parse(%q) = %q, %v, want it unchanged", s, u, err)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = Parse(s) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times, want 0", s, n)
		}
	}
}

// Parse allocates only the href if it differs from the text, and does not allocate if the href is a part of the text.
func TestParseAllocatesTheHref(t *testing.T) {
	for _, test := range []struct {
		in     string
		allocs float64
	}{
		{"http://h", 1},
		{"http://h?q", 1},
		{"http://h:80/", 1},
		{"http:h/", 1},
		{"http:\\\\h\\a", 1},
		{"http://h/a/../b", 1},
		{"http://h/a/%2e", 0},
		{"http://h/\u00e9", 1},
		{"http://h/a b", 1},
		{"http://u:@h/", 1},
		{"file:/x", 1},
		{"file://localhost/x", 1},
		{"file:///C|/x", 1},
		{"http://h:080/", 1},
		{"  http://h/  ", 0},
		{"http://h/ ", 0},
		{"http://H/", 2},
		{"HTTP://h/", 1},
		{"http://0x7f.1/", 2},
		{"http://[0:0::1]/", 2},
		{"http://h/?'", 2},
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = Parse(test.in) }); n != test.allocs {
			t.Errorf("Parse(%q) allocates %v times, want %v", test.in, n, test.allocs)
		}
	}
}

// indexIn finds a byte of a set at every offset of texts with every length up to three words.
func TestIndexIn(t *testing.T) {
	for size := range 25 {
		for from := range size + 1 {
			text := strings.Repeat("a", size)
			if got := indexIn(text, from, notPlainHost); got != size {
				t.Errorf("indexIn(%q, %d) = %d, want %d", text, from, got, size)
			}
			for at := range size {
				want := at
				if at < from {
					want = size
				}
				odd := text[:at] + "A" + text[at+1:]
				if got := indexIn(odd, from, notPlainHost); got != want {
					t.Errorf("indexIn(%q, %d) = %d, want %d", odd, from, got, want)
				}
			}
		}
	}
}

// hasDotSegment finds dot segments at every position of paths with every length up to three words.
func TestHasDotSegment(t *testing.T) {
	for size := range 25 {
		plain := "/" + strings.Repeat("a", size)
		for _, dots := range []string{"/.", "/..", "/%2e", "/%2E.", "/.%2e"} {
			for i := range plain {
				path := plain[:i] + dots
				if !hasDotSegment(path) || !hasDotSegment(path+"/x.y") || !hasDotSegment(path+"?q") {
					t.Errorf("hasDotSegment(%q) = false, alone or with more text after it, want true", path)
				}
				if name := path + "b"; hasDotSegment(name) {
					t.Errorf("hasDotSegment(%q) = true, want false", name)
				}
			}
		}
	}
}

// isSettled finds a "'" and a segment that starts with "." or "%" at every position, and does not find other text.
func TestIsSettled(t *testing.T) {
	for size := 8; size <= 20; size++ {
		for start := range size {
			for at := start; at < size; at++ {
				for _, pair := range []string{"", "/", ".", "%", "'", "/.", "/%", "/a", "a.", "./", "//", "'/"} {
					if at+len(pair) > size {
						continue
					}
					s := strings.Repeat("a", at) + pair + strings.Repeat("a", size-at-len(pair))
					rest := s[start:]
					want := !strings.Contains(rest, "'") && !strings.Contains(rest, "/.") && !strings.Contains(rest, "/%")
					if got := isSettled(s, start); got != want {
						t.Errorf("isSettled(%q, %d) = %v, want %v", s, start, got, want)
					}
				}
			}
		}
	}
}
