package cache_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// A listing is stored with its entries once it was read to its end.
func TestListing(t *testing.T) {
	entries := []access.Entry{
		{Title: "caf\xe9", URL: url.MustParse("ftp://h/a"), Kind: access.Object, Size: 5, ModTime: time.Unix(1, 0).UTC()},
		{Title: "text", Kind: access.Info, Size: -1},
		{Title: "hit", URL: url.MustParse("wais://h/b"), Size: -1, Header: access.Header{{Name: "Score", Value: "900"}}},
	}
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		l := &listing{Reader: strings.NewReader("raw"), entries: entries}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
	}}
	c, _ := newCache(t, o, 0)
	read := func(most int) []access.Entry {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if r.List == nil {
			t.Fatal("no listing")
		}
		var got []access.Entry
		for range most {
			e, err := r.List.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		return got
	}
	read(1) // the listing is not stored, because it is not read to its end
	read(9)
	got := read(9)
	if o.asked.Load() != 2 {
		t.Errorf("asked %d times, want 2", o.asked.Load())
	}
	for i, e := range got {
		want := entries[i]
		if e.Title != want.Title || e.URL != want.URL || e.Kind != want.Kind || e.Size != want.Size || !e.ModTime.Equal(want.ModTime) {
			t.Errorf("entry %d = %+v, want %+v", i, e, want)
		}
	}
	if f := got[2].Header; len(f) != 1 || f[0].Value != "900" {
		t.Errorf("facts = %v", f)
	}
	if raw, err := get(t, c, "ftp://h/"); raw != "raw" || err != nil {
		t.Errorf("as bytes: %q, %v", raw, err)
	}
}

type listing struct {
	io.Reader
	entries []access.Entry
}

func (l *listing) Next() (access.Entry, error) {
	if len(l.entries) == 0 {
		return access.Entry{}, io.EOF
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

func (*listing) Close() error { return nil }

// A listing that is Incomplete is not stored, because the reader of a stored listing could
// not tell. A request with MoreEntries bypasses the cache.
func TestIncompleteListing(t *testing.T) {
	for _, incomplete := range []bool{true, false} {
		o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
			entries := []access.Entry{{Title: "hit", URL: url.MustParse("wais://h/b"), Size: -1}}
			if incomplete {
				entries = append(entries, access.Entry{Title: "There may be more.", Kind: access.Info, Size: -1, Incomplete: errors.New("there may be more")})
			}
			for range req.MoreEntries {
				entries = append(entries, access.Entry{Title: "another"})
			}
			l := &listing{Reader: strings.NewReader("raw"), entries: entries}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
		}}
		c, _ := newCache(t, o, 0)
		read := func(more int) (last access.Entry) {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("wais://h/db?x"), MoreEntries: more})
			if err != nil {
				t.Fatalf("incomplete %t: %v", incomplete, err)
			}
			defer r.Body.Close()
			err = access.Entries(r.List, func(e access.Entry) error {
				last = e
				return nil
			})
			if err != nil {
				t.Fatalf("incomplete %t: %v", incomplete, err)
			}
			return last
		}
		for range 2 {
			if ok := read(0).Incomplete != nil; ok != incomplete {
				t.Errorf("the listing says that it is incomplete: %v, want %v", ok, incomplete)
			}
			if e := read(1); e.Title != "another" {
				t.Errorf("incomplete %t: with one entry more the last is %+v", incomplete, e)
			}
		}
		if want := map[bool]int64{true: 4, false: 3}[incomplete]; o.asked.Load() != want {
			t.Errorf("incomplete %v: asked %d times, want %d", incomplete, o.asked.Load(), want)
		}
	}
}
