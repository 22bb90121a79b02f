package nfs_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A listing has every name with its size and time: with READDIRPLUS, with READDIR, and from a
// server that sends no attributes.
func TestListing(t *testing.T) {
	files := map[string]string{"d/sub/": "", "d/a.txt": "abc", "d/link@": "a.txt", "d/b c%": "", "d/\xff\n": "x", "d/é": "", "d/z": strings.Repeat("z", 500)}
	for _, way := range []string{"plus", "plain", "bare"} {
		m := newMemory(t, files)
		m.noPlus, m.bare = way == "plain", way == "bare"
		m.files[m.add("d/pipe", "")].kind = 7
		r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/d")})
		if err != nil {
			t.Fatalf("%q: %v", way, err)
		}
		var got []string
		err = access.Entries(r.List, func(e access.Entry) error {
			got = append(got, fmt.Sprintf("%q %s %s %d %s %v", e.Title, e.URL, e.Kind, e.Size, e.Type, e.ModTime.Equal(epoch)))
			return nil
		})
		r.Body.Close()
		want := []string{
			`"a.txt" nfs://h/d/a.txt object 3 text/plain true`,
			`"b c%" nfs://h/d/b%20c%25 object 0  true`,
			`"link" nfs://h/d/link link -1  true`,
			`"pipe"  unknown -1  true`,
			`"sub" nfs://h/d/sub/ directory -1  true`,
			`"z" nfs://h/d/z object 500  true`,
			`"é" nfs://h/d/%C3%A9 object 0  true`,
			`"\xff\n" nfs://h/d/%FF%0A object 1  true`,
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", way, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, name := range []string{"%FF%0A", "b%20c%25", "%C3%A9"} {
			if _, err := get(t, client(m), "nfs://h/d/"+name); err != nil {
				t.Errorf("opening %s: %v", name, err)
			}
		}
	}
}

// The URLs of entries begin like the URL of the directory.
func TestListingURLs(t *testing.T) {
	for _, public := range []bool{false, true} {
		m := newMemory(t, map[string]string{"d/f": ""})
		m.public = public
		for u, want := range map[string]string{
			"nfs://h": "nfs://h/d/", "nfs://h/": "nfs://h/d/", "nfs://h//": "nfs://h//d/", "nfs://h/d": "nfs://h/d/f", "nfs://h//d//": "nfs://h//d/f",
		} {
			if got, err := get(t, client(m), u); got != want+"\r\n" || err != nil {
				t.Errorf("%q (public %v) = %q, %v, want %q", u, public, got, err, want)
			}
		}
	}
}

// A name that the user may not look up stays in the listing. A name that was removed does not.
func TestListingGone(t *testing.T) {
	m := newMemory(t, map[string]string{"d/a": "", "d/gone": "", "d/hidden": ""})
	m.noPlus = true
	m.before = func(call *rpcCall, w *xdrWriter) bool {
		if call.name != "LOOKUP" {
			return false
		}
		handle := call.args.String(64)
		name := call.args.String(4096)
		status := map[string]uint32{"gone": 2, "hidden": 13}[name]
		if status == 0 {
			call.args = encoded(handle, name)
			return false
		}
		for _, v := range []uint32{0, 0, 0, 0, status, 0} {
			w.Uint32(v)
		}
		return true
	}
	r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/d/")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := read(r, nil)
	if text != "nfs://h/d/a\r\nnfs://h/d/hidden\r\n" || err != nil {
		t.Errorf("listing = %q, %v", text, err)
	}
}

// A listing of many entries takes no more memory than a short one.
func TestLongListing(t *testing.T) {
	const n = 40_000
	m := newMemory(t, map[string]string{"d/": ""})
	m.endless, m.batch = n, 500
	r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/d")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	count := 0
	for ; ; count++ {
		e, err := r.List.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || e.Title != fmt.Sprint("name", count) || e.Size != int64(count) {
			t.Fatalf("entry %d is %+v, %v", count, e, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if count != n {
		t.Errorf("%d entries, want %d", count, n)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("the listing holds %d bytes at its end", grown)
	}
}

// A directory whose cookies repeat causes an error, not an endless listing.
func TestRepeatingCookies(t *testing.T) {
	for _, cycle := range []uint64{1, 2, 7, 500, 3000} {
		m := newMemory(t, map[string]string{"d/": ""})
		m.endless, m.batch, m.cycle = 1<<40, 100, cycle
		r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/d")})
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		if !errors.Is(err, access.ErrProtocol) {
			t.Errorf("cookies that repeat after %d give %v", cycle, err)
		}
	}
}
