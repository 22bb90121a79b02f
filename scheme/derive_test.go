package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestCite(t *testing.T) {
	for _, test := range []struct{ base, name, want string }{
		{"news:comp.lang.go", "a@b.c", "news:a@b.c"},
		{"news:x@y.z", "alt.test", "news:alt.test"},
		{"news://h:1190/comp.lang.go/1-5", "a@b.c", "news://h:1190/a@b.c"},
		{"nntp://h/comp.lang.go/7", "alt.test", "news://h/alt.test"},
		{"nntps://h/comp.lang.go/7", "a@b.c", "snews://h/a@b.c"},
		{"snews://h/comp.lang.go", "alt.test", "snews://h/alt.test"},
		{"news:comp.lang.go", "no group!", ""},
		{"news:comp.lang.go", "", ""},
		{"news://u@h/x", "a@b.c", ""},
		{"mid:a@b", "c@d.e", "mid:c@d.e"},
		{"cid:a@b", "c@d.e", "mid:c@d.e"},
		{"mid:a@b", "no-at", ""},
		{"http://h/", "a@b.c", ""},
	} {
		got, ok := scheme.Cite(url.MustParse(test.base), test.name)
		if ok != (test.want != "") || ok && got.String() != test.want {
			t.Errorf("Cite(%q, %q) = %q, %t, want %q", test.base, test.name, got, ok, test.want)
		}
	}
}
