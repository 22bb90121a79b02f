package url

import (
	"fmt"
	"strings"
	"testing"
)

func everyByte() string {
	var b []byte
	for c := range 256 {
		b = append(b, byte(c))
	}
	return string(b)
}

// Escape and Unescape handle each byte correctly, with a set that is empty and with a set that contains only this
// byte.
func TestEscapeEveryByte(t *testing.T) {
	for c := range 256 {
		s := string([]byte{byte(c)})
		encoded := fmt.Sprintf("%%%02X", c)
		if got := Escape(s, Set{}); got != encoded {
			t.Errorf("Escape(%q, nothing) = %q, want %q", s, got, encoded)
		}
		want := s
		if c == '%' {
			want = encoded
		}
		if got := Escape(s, bytesOf(s)); got != want {
			t.Errorf("Escape(%q, itself) = %q, want %q", s, got, want)
		}
		for _, escape := range []string{encoded, strings.ToLower(encoded)} {
			if got, err := Unescape("a" + escape + "z"); err != nil || got != "a"+s+"z" {
				t.Errorf("Unescape(a%sz) = %q, %v, want %q", escape, got, err, s)
			}
		}
	}
}

func TestUnescape(t *testing.T) {
	for _, test := range []struct {
		in     string
		want   string
		offset int // of the error; -1 if there is none
	}{
		{"", "", -1},
		{"a+b", "a+b", -1},
		{"%2541", "%41", -1}, // decoded once only
		{"%25%34%31", "%41", -1},
		{"%00", "\x00", -1},
		{"%e2%98%83", "☃", -1},
		{"%fF", "\xff", -1},
		{"\xff%41", "\xffA", -1},
		{"%", "", 0},
		{"%4", "", 0},
		{"%%41", "", 0},
		{"a%4 ", "", 1},
		{"%41%4", "", 3},
		{"%41%G1", "", 3},
		{"%1é", "", 0},
		{"%+1", "", 0},
		{"%0x41", "", 0},
		{"%u0041", "", 0},
	} {
		got, err := Unescape(test.in)
		if test.offset < 0 {
			if err != nil || got != test.want {
				t.Errorf("Unescape(%q) = %q, %v, want %q", test.in, got, err, test.want)
			}
			continue
		}
		e, ok := err.(*SyntaxError)
		if !ok || e.Offset != test.offset || got != "" || e.Rule != "RFC 3986 §2.1" {
			t.Errorf("Unescape(%q) = %q, %v, want an error at offset %d", test.in, got, err, test.offset)
		}
		if want := fmt.Sprintf("unescape: offset %d: found a bad escape, want two hex digits after the \"%%\" (RFC 3986 §2.1)", test.offset); ok && e.Error() != want {
			t.Errorf("Unescape(%q) fails with %s, want %s", test.in, e, want)
		}
		if ok && e.Mark() != e.Detail() { // because the text may be a password
			t.Errorf("Mark of the error of Unescape(%q) = %s, want it without the text", test.in, e.Mark())
		}
	}
}

// The methods of Set behave as the operations on sets.
func TestSets(t *testing.T) {
	all, none := bytesOf(everyByte()), Set{}
	for _, s := range []Set{none, all, bytesOf("abc"), bytesOf("\x00\x3f\x40\x7f\x80\xbf\xc0\xff"), RFC3986.Unreserved(), RFC1738.Allowed(Path)} {
		for _, u := range []Set{none, all, bytesOf("bcd"), bytesOf("\x00\xff"), RFC1630.Unreserved()} {
			for c := range 256 {
				o := byte(c)
				one := string([]byte{o})
				for name, held := range map[string]bool{
					"Union":        s.union(u).Has(o) == (s.Has(o) || u.Has(o)),
					"Intersect":    s.Intersect(u).Has(o) == (s.Has(o) && u.Has(o)),
					"With":         s.With(one).Has(o),
					"Without":      !s.Without(one).Has(o),
					"With again":   s.With(one).With(one) == s.With(one),
					"With, not":    !s.Has(o) == (s.With(one).Without(one) == s),
					"Union itself": s.union(s) == s && s.Intersect(s) == s,
				} {
					if !held {
						t.Fatalf("%s is false for %q in %v and %v", name, o, s, u)
					}
				}
			}
			if s.union(u) != u.union(s) || s.Intersect(u) != u.Intersect(s) || s.union(s.Intersect(u)) != s {
				t.Errorf("union and Intersect of %v and %v break a law of sets", s, u)
			}
		}
	}
	if bytesOf("ba") != bytesOf("abab") || none.With("é") != bytesOf("\xc3\xa9") || all.Without(everyByte()) != none {
		t.Error("two sets of the same bytes differ")
	}
}

// Allowed returns the bytes that the grammar of each part allows. The sets are written here a second time, directly
// from the grammars.
func TestAllowed(t *testing.T) {
	const (
		letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		digits  = "0123456789"
		sub     = "!$&'()*+,;="
		unres   = letters + digits + "-._~"
		safe    = letters + digits + "$-_.+!*'(),"
		xalpha  = letters + digits + "$-_@.&+!*\"'(),"
	)
	for _, test := range []struct {
		std  Standard
		part PartName
		want string
	}{
		{RFC3986, Scheme, letters + digits + "+-."},
		{RFC3986, User, unres + sub},
		{RFC3986, Password, unres + sub + ":"},
		{RFC3986, Host, unres + sub},
		{RFC3986, Port, digits},
		{RFC3986, Path, unres + sub + ":@/"},
		{RFC3986, Query, unres + sub + ":@/?"},
		{RFC3986, Fragment, unres + sub + ":@/?"},
		{RFC1738, Scheme, letters + digits + "+-."},
		{RFC1738, User, safe + ";?&="},
		{RFC1738, Password, safe + ";?&="},
		{RFC1738, Host, letters + digits + "-."},
		{RFC1738, Port, digits},
		{RFC1738, Path, safe + ";/?:@&="},
		{RFC1738, Query, safe + ";/?:@&="},
		{RFC1738, Fragment, ""},
		{RFC1630, Scheme, xalpha},
		{RFC1630, User, letters + digits + "-_.+"},
		{RFC1630, Host, xalpha},
		{RFC1630, Path, xalpha + "=;/:"},
		{RFC1630, Fragment, xalpha},
	} {
		set := test.std.Allowed(test.part)
		if set != bytesOf(test.want) {
			t.Errorf("%v: Allowed(%v) differs from %q", test.std, test.part, test.want)
		}
		if set.Has('%') {
			t.Errorf("%v: Allowed(%v) contains %%", test.std, test.part)
		}
	}
	if RFC3986.Unreserved() != bytesOf(unres) || RFC1738.Unreserved() != bytesOf(safe) || RFC1630.Unreserved() != bytesOf(letters+digits+"$-_.@&\"'(),") {
		t.Error("Unreserved differs from the grammar of a standard")
	}
	for _, std := range standards {
		for _, n := range []PartName{Path, Query} {
			if std.Unreserved().Intersect(std.Allowed(n)) != std.Unreserved() {
				t.Errorf("%v: Allowed(%v) lacks an unreserved byte", std, n)
			}
		}
	}
}

// Escape and Unescape allocate once, however long the text is.
func TestEscapeAllocations(t *testing.T) {
	raw := strings.Repeat("a b", 1000)
	escaped := Escape(raw, RFC3986.Unreserved())
	if n := testing.AllocsPerRun(10, func() { _ = Escape(raw, RFC3986.Unreserved()) }); n > 1 {
		t.Errorf("Escape allocates %v times, want 1", n)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = Unescape(escaped) }); n > 1 {
		t.Errorf("Unescape allocates %v times, want 1", n)
	}
}

func bytesOf(s string) Set { return Set{}.With(s) }
