package cache_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
	"locus/url/whatwg"
)

// wholeEntry returns an Entry with every field set but Sys and Incomplete, because the
// cache drops Sys, and does not store an incomplete listing.
func wholeEntry(u url.URL) access.Entry {
	return access.Entry{
		Title: "caf\xe9", Name: "a/b\xff.txt", ID: "7-\xfe", URL: u, Kind: access.Object,
		Type: "text/plain; charset=utf-8", Size: 4, ModTime: time.Date(1994, 10, 6, 8, 49, 37, 5, time.UTC), Mode: 0o640,
		Rough: access.Rough{Size: 1229, ModTime: time.Date(1994, 10, 6, 8, 49, 0, 0, time.UTC)},
		Header: access.Header{
			{Name: "From", Value: "\xff\nx"},
			{Name: "Parent", Value: "p", URL: url.MustParse("gopher://h/1p")},
			{Name: "Set-Cookie2", Value: "a=b", Hidden: true},
		},
	}
}

// checkWhole fails if a field of v is zero that is not in except, because the test could
// not notice that the cache loses it.
func checkWhole(t *testing.T, v any, except ...string) {
	t.Helper()
	for field, value := range reflect.ValueOf(v).Fields() {
		isExcept := false
		for _, name := range except {
			isExcept = isExcept || name == field.Name
		}
		if !isExcept && value.IsZero() {
			t.Errorf("the test does not set %s", field.Name)
		}
	}
}

// every is the fields of a Resource besides those of its Entry that a hit has again. The
// others belong to one access, or to resources that are not stored.
func every(r *access.Resource) access.Resource {
	got := *r
	got.Sys, got.Body, got.List = nil, nil, nil
	return got
}

// A hit has every field of the resource that another package may need.
func TestWholeHit(t *testing.T) {
	for _, test := range []struct {
		url    string
		status int
	}{
		{"gopher://h/0x", 0},
		{"ftp://h/a%2Fb", 0},
		{"http://h/x", 200},
	} {
		u := url.MustParse(test.url)
		want := access.Resource{Entry: wholeEntry(u), ETag: `"1"`, Immutable: true, HTTPStatus: test.status}
		if test.status != 0 {
			want.Header = append(want.Header, access.Field{Name: "Cache-Control", Value: "max-age=60", Hidden: true}, access.Field{Name: "Age", Value: "0", Hidden: true})
		}
		except := []string{"Offset", "Body", "List", "Session", "Login", "Questions"} // of one access, or never stored
		if test.status == 0 {
			except = append(except, "HTTPStatus")
		}
		checkWhole(t, want, except...)
		checkWhole(t, want.Entry, "Sys", "Incomplete")
		o := &origin{open: func(context.Context, *access.Request) (*access.Resource, error) {
			r := want
			r.Header = append(access.Header(nil), want.Header...)
			r.Sys, r.Body = "of the engine", io.NopCloser(strings.NewReader("text"))
			return &r, nil
		}}
		c, _ := newCache(t, o, 0)
		for _, from := range []string{"the server", "the folder", "memory"} {
			r, err := c.Do(t.Context(), &access.Request{URL: u})
			if err != nil {
				t.Fatalf("%s, from %s: %v", test.url, from, err)
			}
			if text, err := io.ReadAll(r.Body); string(text) != "text" || err != nil {
				t.Errorf("%s, from %s: %q, %v", test.url, from, text, err)
			}
			r.Body.Close()
			if got := every(r); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, from %s:\n%+v, want\n%+v", test.url, from, got, want)
			}
		}
		stat, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: u})
		if err != nil {
			t.Fatalf("%s: %v", test.url, err)
		}
		if got := every(stat); !reflect.DeepEqual(got, want) {
			t.Errorf("Stat %s:\n%+v, want\n%+v", test.url, got, want)
		}
		if n := o.asked.Load(); n != 1 {
			t.Errorf("%s: asked %d times, want once", test.url, n)
		}
	}
}

// The entries of a stored listing have every field, too, and URLs of each Standard.
func TestWholeListing(t *testing.T) {
	var want []access.Entry
	for _, std := range []url.Standard{url.RFC3986, url.RFC1738, whatwg.Standard} {
		u, err := std.Parse("wais://h/a/b")
		if err != nil {
			t.Fatalf("%v: %v", std, err)
		}
		want = append(want, wholeEntry(u))
	}
	checkWhole(t, want[0], "Sys", "Incomplete")
	at := wholeEntry(url.MustParse("wais://h/a"))
	at.Kind, at.Size = access.Directory, -1
	o := &origin{open: func(context.Context, *access.Request) (*access.Resource, error) {
		l := &listing{Reader: strings.NewReader("raw"), entries: want}
		return &access.Resource{Entry: at, Body: l, List: l}, nil
	}}
	c, _ := newCache(t, o, 0)
	for _, from := range []string{"the server", "the folder", "memory"} {
		r, err := c.Do(t.Context(), &access.Request{URL: at.URL})
		if err != nil {
			t.Fatalf("%q: %v", from, err)
		}
		if got := every(r); !reflect.DeepEqual(got, access.Resource{Entry: at}) {
			t.Errorf("from %s:\n%+v, want\n%+v", from, got, at)
		}
		var got []access.Entry
		for {
			e, err := r.List.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", from, err)
			}
			got = append(got, e)
		}
		r.Body.Close()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("from %s: entries\n%+v, want\n%+v", from, got, want)
		}
	}
	if n := o.asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}
