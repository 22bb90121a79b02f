package archive_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
)

// entries is a Lister.
type entries []access.Entry

func (e *entries) Next() (access.Entry, error) {
	if len(*e) == 0 {
		return access.Entry{}, io.EOF
	}
	first := (*e)[0]
	*e = (*e)[1:]
	return first, nil
}

// A listing is replayed as a listing, whatever its titles are.
func TestListing(t *testing.T) {
	want := entries{
		{Title: "a \xff", URL: parse(t, "ftp://h/a"), Kind: access.Object, Size: 12, Type: "text/plain"},
		{Title: "sub", URL: parse(t, "ftp://u@h/sub/"), Kind: access.Directory, Size: -1},
		{Title: "a line", Kind: access.Info, Size: -1},
	}
	list := append(entries(nil), want...)
	list[1].URL = parse(t, "ftp://u:sesame@h/sub/")
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	resource := access.Resource{Entry: access.Entry{Kind: access.Directory, Size: -1}, Body: io.NopCloser(strings.NewReader("")), List: &list}
	recorder := archive.Recorder{Engine: tapped(nil, resource, nil), Writer: w}
	if got := listOf(t, recorder, "ftp://h/"); len(got) != 3 {
		t.Fatalf("the listing of ftp://h/ by a Recorder = %v, want 3 entries", got)
	}
	w.Close()
	a := open(t, root, "a.warc.gz")
	if got := listOf(t, a, "ftp://h/"); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", []access.Entry(want)) {
		t.Errorf("the listing is\n%+v, want\n%+v", got, want)
	}
	if r, err := a.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, "ftp://h/")}); err != nil || r.Kind != access.Directory {
		t.Errorf("stat: %+v, %v", r, err)
	}
}

// A listing is replayed as a listing, even if it is empty, or if the archive has the same bytes already.
func TestListingRevisit(t *testing.T) { inBothFormats(t, testListingRevisit) }

func testListingRevisit(t *testing.T, name string) {
	root := folder(t)
	file := access.Entry{Title: "a", URL: parse(t, "ftp://h/a"), Kind: access.Object, Size: 12}
	for range 2 { // the second Writer finds the records of the first
		w := create(t, root, name, archive.Options{})
		if _, _, err := get(t, archive.Recorder{Engine: resourceOf(""), Writer: w}, "ftp://h/empty.txt"); err != nil {
			t.Fatalf("recording an empty file: %v", err)
		}
		for _, list := range []entries{{file}, nil} {
			target := []string{"ftp://h/empty/", "ftp://h/"}[len(list)]
			resource := access.Resource{Entry: access.Entry{Size: -1}, Body: io.NopCloser(strings.NewReader("")), List: &list}
			listOf(t, archive.Recorder{Engine: tapped(nil, resource, nil), Writer: w}, target)
		}
		if err := w.Close(); err != nil {
			t.Fatalf("closing the archive: %v", err)
		}
	}
	a := open(t, root, name)
	for _, test := range []struct {
		target string
		want   int
	}{{"ftp://h/", 1}, {"ftp://h/empty/", 0}} {
		if got := listOf(t, a, test.target); len(got) != test.want {
			t.Errorf("the listing of %s is %v, want %d entries", test.target, got, test.want)
		}
		if r, err := a.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, test.target)}); err != nil || r.Kind != access.Directory {
			t.Errorf("Stat(%s) = %+v, %v, want a directory", test.target, r, err)
		}
	}
	if _, r, err := get(t, a, "ftp://h/empty.txt"); err != nil || r.Kind != access.Object || r.List != nil {
		t.Errorf("get(ftp://h/empty.txt) = %+v, %v, want an object", r, err)
	}
}

// A listing that fails before its first entry is replayed as a listing that fails.
func TestListingFails(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	broken := io.NopCloser(strings.NewReader(""))
	resource := access.Resource{Body: broken, List: failing{}}
	r, err := archive.Recorder{Engine: tapped(nil, resource, nil), Writer: w}.Do(t.Context(), &access.Request{URL: parse(t, "ftp://h/")})
	if err != nil {
		t.Fatalf("opening ftp://h/: %v", err)
	}
	if _, err := r.List.Next(); err == nil || access.IsEnd(err) {
		t.Errorf("Next = %v, want an error that is not the end", err)
	}
	r.Body.Close()
	w.Close()
	r, err = open(t, root, "a.warc.gz").Do(t.Context(), &access.Request{URL: parse(t, "ftp://h/")})
	if err != nil || r.List == nil {
		t.Fatalf("the archive opens ftp://h/ as %+v, %v, want a listing", r, err)
	}
	defer r.Body.Close()
	if _, err := r.List.Next(); err == nil || access.IsEnd(err) {
		t.Errorf("Next of the archive = %v, want an error that is not the end", err)
	}
}

// failing is a Lister that fails before its first entry.
type failing struct{}

func (failing) Next() (access.Entry, error) { return access.Entry{}, io.ErrUnexpectedEOF }

func listOf(t *testing.T, engine access.Engine, text string) []access.Entry {
	t.Helper()
	r, err := engine.Do(t.Context(), &access.Request{URL: parse(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.List == nil {
		t.Fatal("it is no listing")
	}
	var all []access.Entry
	if err := access.Entries(r.List, func(e access.Entry) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}
