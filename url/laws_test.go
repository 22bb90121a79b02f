package url

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// grammar3986 is the grammar of RFC 3986, appendix A, with the zone of RFC 6874, written as one regular expression.
var grammar3986 = func() *regexp.Regexp {
	const (
		escape  = `%[0-9A-Fa-f]{2}`
		unres   = `[A-Za-z0-9._~-]`
		sub     = `[!$&'()*+,;=]`
		pchar   = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|` + escape + `)`
		noColon = `(?:[A-Za-z0-9._~!$&'()*+,;=@-]|` + escape + `)`
		octet   = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
		ipv4    = octet + `(?:\.` + octet + `){3}`
		h16     = `[0-9A-Fa-f]{1,4}`
		ls32    = `(?:` + h16 + `:` + h16 + `|` + ipv4 + `)`
		ipv6    = `(?:(?:` + h16 + `:){6}` + ls32 +
			`|::(?:` + h16 + `:){5}` + ls32 +
			`|(?:` + h16 + `)?::(?:` + h16 + `:){4}` + ls32 +
			`|(?:(?:` + h16 + `:){0,1}` + h16 + `)?::(?:` + h16 + `:){3}` + ls32 +
			`|(?:(?:` + h16 + `:){0,2}` + h16 + `)?::(?:` + h16 + `:){2}` + ls32 +
			`|(?:(?:` + h16 + `:){0,3}` + h16 + `)?::` + h16 + `:` + ls32 +
			`|(?:(?:` + h16 + `:){0,4}` + h16 + `)?::` + ls32 +
			`|(?:(?:` + h16 + `:){0,5}` + h16 + `)?::` + h16 +
			`|(?:(?:` + h16 + `:){0,6}` + h16 + `)?::)`
		zone     = `(?:%25(?:` + unres + `|` + escape + `)+)?`
		future   = `[vV][0-9A-Fa-f]+\.(?:` + unres + `|` + sub + `|:)+`
		host     = `(?:\[(?:` + ipv6 + zone + `|` + future + `)\]|(?:` + unres + `|` + sub + `|` + escape + `)*)`
		userinfo = `(?:` + unres + `|` + sub + `|:|` + escape + `)*`
		auth     = `(?:` + userinfo + `@)?` + host + `(?::[0-9]*)?`
		abempty  = `(?:/` + pchar + `*)*`
		absolute = `/(?:` + pchar + `+(?:/` + pchar + `*)*)?`
		rootless = pchar + `+(?:/` + pchar + `*)*`
		noscheme = noColon + `+(?:/` + pchar + `*)*`
		tail     = `(?:\?(?:` + pchar + `|[/?])*)?(?:#(?:` + pchar + `|[/?])*)?`
	)
	return regexp.MustCompile(`\A(?:[A-Za-z][A-Za-z0-9+.-]*:(?://` + auth + abempty + `|` + absolute + `|` + rootless + `|)` + tail +
		`|(?://` + auth + abempty + `|` + absolute + `|` + noscheme + `|)` + tail + `)\z`)
}()

func seeds(f *testing.F) {
	for _, texts := range accepted {
		for _, s := range texts {
			f.Add(s)
		}
	}
	for _, test := range refused {
		f.Add(test.in)
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		_, err := Parse(s)
		if grammar3986.MatchString(s) != (err == nil) {
			t.Fatalf("Parse(%q) = %v, but the grammar disagrees", s, err)
		}
		href, err := hrefStandard.Parse(s)
		if slow, slowErr := hrefStandard.parseSlowly(s); slow != href || (slowErr == nil) != (err == nil) {
			t.Fatalf("hrefStandard: Parse(%q) = %+v, %v; parseSlowly = %+v, %v", s, href, err, slow, slowErr)
		}
		for _, std := range standards {
			checkSplit(t, std, s)
			checkParse(t, std, s)
		}
	})
}

func checkSplit(t *testing.T, std Standard, s string) {
	if got := std.Split(s).String(); got != s {
		t.Fatalf("%v: Split(%q).String() = %q, want the text itself", std, s, got)
	}
}

func checkParse(t *testing.T, std Standard, s string) {
	u, err := std.Parse(s)
	if slow, slowErr := std.parseSlowly(s); slow != u || (slowErr == nil) != (err == nil) {
		t.Fatalf("%v: Parse(%q) = %+v, %v; parseSlowly = %+v, %v", std, s, u, err, slow, slowErr)
	}
	if scanned := (URL{text: s}); std == RFC3986 && scanned.scan() != (err == nil) || err == nil && std == RFC3986 && scanned != u {
		t.Fatalf("scan(%q) = %+v, but Parse = %+v, %v", s, scanned, u, err)
	}
	if tried, ok := hrefs.Divide(s); std == RFC3986 && ok != (err == nil && u.IsAbs()) || ok && tried != parseBy(t, hrefStandard, s) {
		t.Fatalf("Divide(%q) = %+v, %v, but Parse = %+v, %v", s, tried, ok, u, err)
	}
	if err != nil {
		checkError(t, std, s, err)
		return
	}
	if u.String() != s {
		t.Fatalf("%v: Parse(%q).String() = %q, want the text itself", std, s, u)
	}
	if v, err := std.Build(u.Parts()); err != nil || v != u {
		t.Fatalf("%v: Build(Parse(%q).Parts()) = %v, %v, want the same URL", std, s, v, err)
	}
	for how := range AllRewrites + 1 {
		checkNormalize(t, u, how, Facts{})
		checkNormalize(t, u, how, Facts{DefaultPort: 80, Hierarchical: true, Roots: []string{"/", ""}})
		checkNormalize(t, u, how, Facts{Free: reservable, Roots: []string{"/", ""}})
	}
}

// checkError checks that an error names the first wrong byte: the text before that byte has no earlier error.
func checkError(t *testing.T, std Standard, s string, err error) {
	e, ok := errors.AsType[*SyntaxError](err)
	if !ok || e.Offset < 0 || e.Offset > len(s) {
		t.Fatalf("%v: Parse(%q) = %v, want an offset in the text", std, s, err)
	}
	if strings.Contains(s[e.Offset:], "@") {
		return // because without the "@" the text before it is not a user name
	}
	before, ok := errors.AsType[*SyntaxError](second(std.Parse(s[:e.Offset])))
	if ok && before.Offset < e.Offset {
		t.Fatalf("%v: Parse(%q) = %v, but the text before that offset has an error at %d", std, s, err, before.Offset)
	}
}

func parseBy(t *testing.T, std Standard, s string) URL {
	t.Helper()
	u, err := std.Parse(s)
	if err != nil {
		t.Fatalf("%v: Parse(%q): %v", std, s, err)
	}
	return u
}

func second(_ URL, err error) error { return err }

func checkNormalize(t *testing.T, u URL, how Rewrite, facts Facts) {
	v := u.Normalize(how, facts)
	if w := v.Normalize(how, facts); w != v {
		t.Fatalf("%v: Normalize(%q, %b) = %q, but a second Normalize = %q", u.std, u, how, v, w)
	}
	if how&RemoveDots != 0 {
		return
	}
	if part, at, other, differ := u.Difference(v, facts); differ {
		t.Fatalf("%v: Normalize(%q, %b) = %q, which differs in the %v at %d and %d", u.std, u, how, v, part, at, other)
	}
}

// isEquivalent reports whether a and b mean the same.
func isEquivalent(a, b URL, facts Facts) bool {
	_, _, _, differ := a.Difference(b, facts)
	return !differ
}

func FuzzEquivalent(f *testing.F) {
	f.Add("http://H:80/%61", "HTTP://h/a")
	f.Add("x:%2E./", "x:%2e%2E/")
	f.Fuzz(func(t *testing.T, s, r string) {
		facts := Facts{DefaultPort: 80, Roots: []string{"/", ""}, Free: bytesOf(";@")}
		for _, std := range standards {
			a, errA := std.Parse(s)
			b, errB := std.Parse(r)
			if errA != nil || errB != nil {
				continue
			}
			const how = AllRewrites &^ RemoveDots
			same := a.Normalize(how, facts).Parts() == b.Normalize(how, facts).Parts()
			if same && !isEquivalent(a, b, facts) {
				t.Errorf("%v: Difference(%q, %q) = true, but both normalize to the same URL", std, s, r)
			}
			if isEquivalent(a, b, facts) != isEquivalent(b, a, facts) {
				t.Errorf("%v: Difference of %q and %q is not symmetric", std, s, r)
			}
		}
	})
}

func FuzzEscape(f *testing.F) {
	f.Add("a b%/\x00\xff", "ab%")
	f.Fuzz(func(t *testing.T, s, keep string) {
		escaped := Escape(s, bytesOf(keep))
		if got, err := Unescape(escaped); err != nil || got != s {
			t.Errorf("Unescape(Escape(%q)) = %q, %v, want the text itself", s, got, err)
		}
	})
}

func FuzzRelative(f *testing.F) {
	for _, base := range []string{"http://a/b/c/d;p?q", "magic://a/b/c//d/e/f", "x:a/b", "file:///a", "http://h", "x:/.//a"} {
		for _, texts := range accepted {
			for _, s := range texts {
				f.Add(base, s)
			}
		}
	}
	f.Fuzz(func(t *testing.T, baseText, text string) {
		for _, std := range standards {
			base, err := std.Parse(baseText)
			if err != nil {
				continue
			}
			if u, err := base.Resolve(text); err == nil {
				if v, err := std.Parse(u.String()); err != nil || v != u || !u.IsAbs() {
					t.Errorf("%v: Resolve(%q, %q) = %+v, want an absolute URL", std, base, text, u)
				}
			}
			u, err := std.Parse(text)
			if err != nil {
				continue
			}
			ref, err := base.Relative(u)
			if err != nil {
				continue
			}
			if v, err := base.Resolve(ref); err != nil || v != u || len(ref) > len(text) {
				t.Errorf("%v: Relative(%q, %q) = %q, but it resolves to %q, %v", std, base, text, ref, v, err)
			}
		}
	})
}
