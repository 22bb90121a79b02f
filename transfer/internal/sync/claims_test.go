package sync

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"locus/url"

	"locus/internal/spill"
	"locus/transfer/internal/tree"
)

func TestNames(t *testing.T) {
	type claim struct{ name, url string }
	for _, test := range []struct {
		fold bool
		in   []claim
		want error // of the last
	}{
		{false, []claim{{"a", "u"}}, nil},
		{false, []claim{{"a", "u"}, {"a", "u"}}, nil},
		{false, []claim{{"a", "u"}, {"a", "v"}}, errTaken},
		{false, []claim{{"a", "u"}, {"A", "v"}}, nil},
		{true, []claim{{"a", "u"}, {"A", "v"}}, errTaken},
		{true, []claim{{"É", "u"}, {"é", "v"}}, errTaken},
		{false, []claim{{"a/b", "u"}, {"a/c", "v"}}, nil},
		{false, []claim{{"a", "u"}, {"a/b", "v"}}, errClash},
		{false, []claim{{"a/b", "u"}, {"a", "v"}}, errClash},
		{true, []claim{{"a/b", "u"}, {"A/c", "v"}}, errClash},
		{false, []claim{{"a/b", "u"}, {"A/c", "v"}}, nil},
	} {
		n := names{foldCase: test.fold, owners: spill.NewTable(spill.NewStore(spill.Options{}))}
		var err error
		for _, c := range test.in {
			_, err = n.claimFile(c.name, c.url)
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%v, fold %v: %v, want %v", test.in, test.fold, err, test.want)
		}
	}
}

// After the store has failed, every name is taken.
func TestNamesFail(t *testing.T) {
	s, _ := testStore(t, 1<<20)
	s.Fail(spill.ErrFull)
	if owners := (names{owners: spill.NewTable(s)}); !owners.has("x") {
		t.Error("a name is free after the spool has failed")
	}
}

func BenchmarkNames(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n := names{owners: spill.NewTable(spill.NewStore(spill.Options{}))}
		for i := range 10_000 {
			if _, err := n.claimFile("pub/"+strings.Repeat("x", i%50)+string(rune(i+0x10000)), "u"); err != nil {
				b.Fatalf("claimFile of name %d: %v", i, err)
			}
		}
	}
}

// Two URLs have the same local name only if their decoded segments are the same.
func FuzzLocalNames(f *testing.F) {
	f.Add("a/b", "a%2Fb", true)
	f.Add("a?b", "a%3Fb", false)
	f.Add("a?b", "a%3Fb", true)
	f.Add("a?b/c", "a?b%2Fc", true)
	f.Add("d/", "d/index.html", false)
	f.Add("%25/x", "/x", true)
	f.Add("a%40b", "a@b", true)
	f.Add("a%", "a%25", true)
	f.Add("CON", "%43ON", true)
	f.Add("a?", "a", true)
	f.Add("a;type=i", "a", false)
	f.Add("a%25?x", "a?25x", true)
	f.Fuzz(func(t *testing.T, one, other string, portable bool) {
		for _, root := range []string{"http://h/r/", "ftp://h/r/", "file:///r/", "gopher://h/1/r/"} {
			from, err := tree.At(url.MustParse(root))
			if err != nil {
				t.Fatalf("At(%q): %v", root, err)
			}
			m := newMirror(MirrorOptions{}, remote{tree: from}, nil)
			if m.naming = (tree.Naming{Portable: portable}); from.Pages {
				m.naming.Escape = "?"
			}
			at := root
			if strings.HasPrefix(at, "gopher") {
				at = "gopher://h/0/r/"
			}
			a, whatA, okA := nameBelow(m, at+one)
			b, whatB, okB := nameBelow(m, at+other)
			if !okA || !okB {
				continue
			}
			if !filepath.IsLocal(a) || a == tree.StateDir || strings.HasPrefix(a, tree.StateDir+"/") {
				t.Errorf("%s%s becomes %q", at, one, a)
			}
			if a == b && whatA != whatB {
				t.Errorf("%s%s and %s are both %q", at, one, other, a)
			}
		}
	})
}

// nameBelow returns the local name of a URL, and a text that identifies the resource.
func nameBelow(m *mirror, text string) (name, what string, ok bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", "", false
	}
	if m.tree.Pages {
		u = tree.Normalize(u)
	}
	dirs, last, ok := m.tree.PathOf(u)
	what = strings.Join(append(dirs, last), "\x00")
	if m.tree.Pages {
		if query, has := u.Query(); has {
			what += "\x00?" + query
		}
		site := newCrawl(m).site
		site.Naming = m.naming
		name, isBelow, err := site.Name(u, "text/plain")
		return name, strings.TrimSuffix(what, "index.html"), isBelow && err == nil
	}
	if !ok || last == "" {
		return "", "", false
	}
	name, err = m.naming.Path(dirs, last)
	return name, what, err == nil
}
