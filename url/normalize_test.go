package url

import "testing"

// Each rewrite alone, applied to a text that every rewrite changes. If want is empty, the text must not change.
func TestEachRewrite(t *testing.T) {
	const in = "HTTP://U%41@EX%41.org:80/%2fa/./b/../%7e?%6a%2f"
	for _, test := range []struct {
		std  Standard
		in   string
		how  Rewrite
		want string
	}{
		{RFC3986, in, 0, ""},
		{RFC3986, in, LowerScheme, "http://U%41@EX%41.org:80/%2fa/./b/../%7e?%6a%2f"},
		{RFC3986, in, LowerHost, "HTTP://U%41@ex%41.org:80/%2fa/./b/../%7e?%6a%2f"},
		{RFC3986, in, UpperEscapes, "HTTP://U%41@EX%41.org:80/%2Fa/./b/../%7E?%6A%2F"},
		{RFC3986, in, Unencode, "HTTP://UA@EXA.org:80/%2fa/./b/../~?j%2f"},
		{RFC3986, in, RemoveDots, "HTTP://U%41@EX%41.org:80/%2fa/%7e?%6a%2f"},
		{RFC3986, in, DropPort, "HTTP://U%41@EX%41.org/%2fa/./b/../%7e?%6a%2f"},
		{RFC3986, in, FillPath, ""},
		{RFC3986, "http://h#f", FillPath, "http://h/#f"},
		{RFC3986, "//h", FillPath, "//h/"},
		{RFC3986, "http:", FillPath, ""},
		{RFC3986, "http://h:0/", DropPort, ""},
		{RFC3986, "http://h:800/", DropPort, ""},
		{RFC3986, "http://h:65616/", DropPort, ""}, // 80 modulo 65536
		{RFC3986, "http://[::A]:80/", LowerHost | DropPort, "http://[::a]/"},
		{RFC3986, "http://[VF.A]/", LowerHost, "http://[vf.a]/"},
		{RFC3986, "http://A%2FB/", LowerHost, "http://a%2Fb/"},
		{RFC3986, "http://u:%7E@h/", Unencode, "http://u:~@h/"},
		{RFC3986, "x:a%3Ab", Unencode, ""},
		{RFC3986, "%61%3Ab", Unencode, "a%3Ab"},
		{RFC3986, "/%2E%2e/a", RemoveDots, ""}, // dot segments only after Unencode
		{RFC3986, "/%2E%2e/a", RemoveDots | Unencode, "/a"},
		{RFC3986, "/a/..", RemoveDots, "/"},
		{RFC3986, "/a/.", RemoveDots, "/a/"},
		{RFC3986, "a/../b", RemoveDots, ""}, // the path does not start with a slash
		{RFC3986, "/a/...", RemoveDots, ""},
		{RFC1738, "HTTP://H:80/%7e%2a/./a/../b?%2A", Unencode, "HTTP://H:80/%7e*/./a/../b?*"},
		{RFC1738, "HTTP://H:80/%7e%2a/./a/../b?%2A", UpperEscapes, "HTTP://H:80/%7E%2A/./a/../b?%2A"},
		{RFC1738, "HTTP://H:80/%7e%2a/./a/../b?%2A", RemoveDots, "HTTP://H:80/%7e%2a/b?%2A"},
		{RFC1738, "HTTP://H:80/%7e%2a/./a/../b?%2A", LowerScheme | LowerHost | DropPort, "http://h/%7e%2a/./a/../b?%2A"},
		{RFC1738, "http://h/../a", RemoveDots, ""}, // ".." without a segment before it stays
		{RFC1738, "http://h", FillPath, "http://h/"},
		{RFC1738, "http://h/%3B%2F%3F%3A%40%3D%26", AllRewrites, ""}, // reserved
		{RFC1630, "HTTP://H:80/%2A%2D/a/../b?%2B#%2b", Unencode, "HTTP://H:80/%2A-/a/../b?%2B#+"},
		{RFC1630, "HTTP://H:80/%2A%2D/a/../b?%2B#%2b", UpperEscapes, "HTTP://H:80/%2A%2D/a/../b?%2B#%2B"},
		{RFC1630, "HTTP://H:80/%2A%2D/a/../b?%2B#%2b", RemoveDots, "HTTP://H:80/%2A%2D/b?%2B#%2b"},
		{RFC1630, "http://h/a/.", RemoveDots, "http://h/a"},
		{RFC1630, "http://h/a/..", RemoveDots, ""},
		{RFC1630, "file:///./.", RemoveDots, "file:///"},          // the slash before a path stays, because file:// lacks it
		{RFC1630, "http://h/%2e%2e/b", Unencode | RemoveDots, ""}, // a name, not a level
	} {
		u, err := test.std.Parse(test.in)
		if err != nil {
			t.Errorf("%v.Parse(%q): %v", test.std, test.in, err)
			continue
		}
		if test.want == "" {
			test.want = test.in
		}
		got := u.Normalize(test.how, httpFacts)
		if got.String() != test.want || got.Standard() != test.std {
			t.Errorf("%v: Normalize(%q, %07b) = %q, want %q", test.std, test.in, test.how, got, test.want)
		}
		if again := got.Normalize(test.how, httpFacts); again != got {
			t.Errorf("%v: Normalize(%q, %07b) = %q, want it unchanged", test.std, got, test.how, again)
		}
		if test.how&RemoveDots == 0 && !isEquivalent(u, got, httpFacts) {
			t.Errorf("%v: %q and its normal form %q are not equivalent", test.std, u, got)
		}
	}
}

// Without the facts of a scheme, Normalize makes only changes that are right in every scheme.
func TestZeroFacts(t *testing.T) {
	for _, text := range []string{"x://h:80/", "x://h", "x://h/a/../b", "x:a/./b", "x:/%2F"} {
		if got := MustParse(text).Normalize(AllRewrites, Facts{}); got.String() != text {
			t.Errorf("Normalize(%q) without facts = %q, want it unchanged", text, got)
		}
	}
}

// All texts of one class mean the same. Two texts of different classes do not.
func TestEquivalenceClasses(t *testing.T) {
	for std, classes := range map[Standard][][]string{
		RFC3986: {
			{"http://h", "HTTP://H/", "http://h:80/", "http://h:/", "http://%48/", "http://h:080"},
			{"http://h?", "http://h/?"},
			{"http://h/#", "http://h#"},
			{"http://h:81/"},
			{"http://@h/"},
			{"http://:@h/"},
			{"https://h/"},
			{"http://h//"},
			{"http:h"},
			{"//h", "//H:80/"},
			{"http://h/a", "http://h/%61"},
			{"http://h/A", "http://h/%41"},
			{"http://h/%2f", "http://h/%2F"},
			{"http://h/%3B"},
			{"http://h/;"},
			{"http://h/a/../b", "http://h/a/%2E%2e/b", "http://h/b"},
			{"http://[::A]/", "http://[::a]/"},
			{"http://[::b%25E]/"},
			{"http://[::b%25e]/"},
			{""},
			{"#"},
			{"?"},
		},
		RFC1738: {
			{"ftp://h/%2a", "FTP://H/*", "ftp://h/%2A"},
			{"ftp://h/%7e", "ftp://h/%7E"},
			{"ftp://h/;"},
			{"ftp://h/%3b", "ftp://h/%3B"},
			{"http://h/a?b"},
			{"http://h/a%3Fb", "http://h/a%3fb"},
			{"ftp://h/a?b"},
			{"ftp://h/a%3fb"},
		},
		RFC1630: {
			{"x:a-b", "x:a%2Db", "X:a%2db"},
			{"x:a/b"},
			{"x:a%2Fb", "x:a%2fb"},
			{"x:*"},
			{"x:%2A", "x:%2a"},
			{"x:", "x:#"},
			{"x:?"},
			{"x:a/../b"},
			{"x:a/%2E./b", "x:a/.%2e/b"},
		},
	} {
		for i, class := range classes {
			for j, other := range classes {
				for _, a := range class {
					for _, b := range other {
						u, errU := std.Parse(a)
						v, errV := std.Parse(b)
						if errU != nil || errV != nil {
							t.Fatalf("%v: %v %v", b, errU, errV)
						}
						if isEquivalent(u, v, httpFacts) != (i == j) {
							t.Errorf("%v: isEquivalent(%q, %q) = %v, want %v", std, a, b, i != j, i == j)
						}
					}
				}
			}
		}
	}
}

// Difference reads the second URL by the standard of the first.
func TestDifferenceAcrossStandards(t *testing.T) {
	for first, want := range map[Standard]bool{RFC3986: false, RFC1738: true, RFC1630: false} {
		for _, second := range standards {
			escaped, star := parseBy(t, first, "ftp://h/%2A"), parseBy(t, second, "ftp://h/*")
			if got := isEquivalent(escaped, star, Facts{}); got != want {
				t.Errorf("%v: isEquivalent(%q, %q), the second read by %v, = %v, want %v", first, escaped, star, second, got, want)
			}
		}
	}
}
