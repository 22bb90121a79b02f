package sync

import (
	"errors"
	"testing"

	"locus/internal/spill"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A later run finds the files of an earlier one, also through redirects.
func TestURLIndex(t *testing.T) {
	root, name := tempRoot(t)
	fill(t, name, map[string]string{tree.StateDir + "/": ""})
	index := loadURLIndex(root, spill.NewStore(spill.Options{}), false)
	index.set(urlEntry{URL: "http://h/a", Name: "a.html", Type: "text/html"})
	index.set(urlEntry{URL: "http://h/old", To: "http://h/older"})
	index.set(urlEntry{URL: "http://h/older", To: "http://h/a"})
	index.set(urlEntry{URL: "http://h/loop", To: "http://h/loop"})
	index.setMissing(url.MustParse("http://h/gone"), errors.New("broken"))
	index.setMissing(url.MustParse("http://h/a"), errors.New("the file of an earlier run stays"))
	seen := spill.NewSet(spill.NewStore(spill.Options{}))
	for _, u := range []string{"http://h/a", "http://h/old", "http://h/older", "http://h/loop", "http://h/gone"} {
		seen.Add(u)
	}
	if err := index.save(true, seen); err != nil {
		t.Fatal(err)
	}
	index.close()
	index = loadURLIndex(root, spill.NewStore(spill.Options{}), false)
	defer index.close()
	for _, test := range []struct {
		url, name, why string
		ok             bool
	}{
		{"http://h/a", "a.html", "", true},
		{"http://u@h/a", "a.html", "", true},
		{"http://h/old", "a.html", "", true},
		{"http://h/loop", "", "it redirects too often", true},
		{"http://h/gone", "", "broken", true},
		{"http://h/unknown", "", "", false},
	} {
		e, ok := index.find(url.MustParse(test.url))
		if e.Name != test.name || e.Why != test.why || ok != test.ok {
			t.Errorf("find(%q) = %+v, %v, want the name %q, the reason %q, %v", test.url, e, ok, test.name, test.why, test.ok)
		}
	}
}

// A nil index is empty, and the index of a dry run does not change.
func TestURLIndexUnchanged(t *testing.T) {
	root, name := tempRoot(t)
	fill(t, name, map[string]string{tree.StateDir + "/": ""})
	u := url.MustParse("http://h/a")
	for _, index := range []*urlIndex{nil, loadURLIndex(root, spill.NewStore(spill.Options{}), true)} {
		index.set(urlEntry{URL: "http://h/a", Name: "a"})
		index.setMissing(u, errors.New("broken"))
		if e, ok := index.find(u); ok {
			t.Errorf("find(%q) = %+v, want no entry", u, e)
		}
		index.close()
	}
}
