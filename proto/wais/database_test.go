package wais_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/wais"
	"locus/url"
)

// opened opens a database and returns the titles of its entries.
func opened(t *testing.T, o access.Engine, text string) (r *access.Resource, titles []string) {
	t.Helper()
	r, err := o.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	l, ok := r.List, r.List != nil
	if !ok {
		t.Fatalf("%s is no listing", text)
	}
	err = access.Entries(l, func(e access.Entry) error {
		titles = append(titles, e.Kind.String()+" "+e.Title)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, titles
}

// A freeWAIS database is the reply to a request for help: its source description
// and the catalog.
//
// req: 1738-3.9-2
func TestDatabaseOfFreeWAIS(t *testing.T) {
	help := withoutInit(recorded(t, "x_search_empty_words"))
	src := withoutInit(recorded(t, "retrieve_src"))[3].data
	beyond := withoutInit(recorded(t, "x_range_start_beyond"))[1].data
	server := accesstest.ServeAll(t, answering(func(request string) string {
		switch {
		case !strings.Contains(request, "un re"):
			return help[1].data
		case strings.Contains(request, "wb ro ig ig ig ig-\x010"):
			return src
		}
		return beyond
	}))
	r, titles := opened(t, client(server.Dial), "wais://h/txtdb")
	want := []string{
		"info Server created with freeWAIS-sf 2.2.8 string on Nov 21 02:10:18 2026 by user@wais.example",
		"info The files of type first_line used in the index were:",
		"info    /wais/data/txt/alpha.txt",
		"info    /wais/data/txt/beta.txt",
		"info    /wais/data/txt/gamma.txt",
		"info    /wais/data/txt/latin.txt",
		"info    /wais/data/txt/big.txt",
		"info To search, add words after a question mark to the URL: ?two+words",
		"search Search txtdb",
		"object Information on database: txtdb",
		"directory Catalog for database: txtdb",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("the entries are %q, want %q", titles, want)
	}
	s, ok := r.Sys.(*wais.Source)
	if !ok || s.Database != "/wais/db/txtdb" || r.Size != 573 || r.Type != "application/x-wais-source" {
		t.Errorf("the database is %+v, want its source description", r)
	}
	if got := get(t, client(server.Dial), &access.Request{URL: url.MustParse("wais://h/txtdb")}); !strings.HasPrefix(got, "\n\n(:source ") || len(got) != 573 {
		t.Errorf("its Body is %q, want the source description", got)
	}
	e, err := client(server.Dial).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("wais://h/txtdb")})
	if err != nil {
		t.Fatalf("Stat = %v", err)
	}
	if _, ok := e.Sys.(*wais.Source); !ok || e.Kind != access.Search || e.Title != "txtdb" {
		t.Errorf("Stat = %+v, want a search with its source description", e)
	}
	if got, want := server.Received(0)[:len(help[0].data)], help[0].data[:len(help[0].data)-1]+"\xc8"; got != want {
		t.Errorf("the first request is %q, want %q: no words, and 200 documents", got, want)
	}
}

// If the reply of a database lacks a description, the description in INFO is used.
func TestDatabaseInInfo(t *testing.T) {
	hit := func(headline, wtype string) string {
		return group(150, group(116, "\x01\x01"+headline[:1])+group(123, headline)+group(132, group(133, wtype)))
	}
	for _, test := range []struct {
		name, info string
		described  bool
	}{
		{"there", response(hit("other.src", "WSRC") + hit("db.txt", "TEXT") + hit("db.src", "WSRC")), true},
		{"of others", response(hit("other.src", "WSRC")), false},
		{"no INFO", response(diagnostic("S1", "The following database is not available: INFO")), false},
	} {
		server := accesstest.ServeAll(t, answering(func(request string) string {
			switch {
			case strings.Contains(request, "un re") && strings.Contains(request, "\x12\x04INFO") && strings.Contains(request, "-\x03\x01\x01d"):
				return response(text(`(:source :database-name "db" :description "About db")`) + diagnostic("SF", outOfRange))
			case strings.Contains(request, "\x12\x04INFO\x14\x013c") && strings.Contains(request, "\x6a\x02db"):
				return test.info
			case strings.Contains(request, "\x12\x02db\x14\x013c"):
				return response(hit("Catalog", "TEXT"))
			}
			return ""
		}))
		r, titles := opened(t, client(server.Dial), "wais://h/db")
		if _, ok := r.Sys.(*wais.Source); ok != test.described || slices.Contains(titles, "info About db") != test.described {
			t.Errorf("%s: the entries are %q, %v, want a description: %v", test.name, titles, r.Sys, test.described)
		}
		if !test.described && r.Type != "text/uri-list" {
			t.Errorf("%s: the type is %q, want text/uri-list", test.name, r.Type)
		}
	}
}

// A server may reply to a search for no words in a database that does not exist as if it were empty. A search for a word
// then tells the difference.
func TestDatabaseThatLooksEmpty(t *testing.T) {
	for _, test := range []struct {
		name, probe string
		missing     bool
	}{
		{"missing", response(diagnostic("S1", "The following database is not available: db")), true},
		{"empty", response(""), false},
		{"another error", response(diagnostic("S5", "no")), false},
	} {
		for _, op := range []access.Op{access.Get, access.Stat} {
			server := accesstest.ServeAll(t, answering(func(request string) string {
				if strings.Contains(request, "information") {
					return test.probe
				}
				return response("")
			}))
			r, err := client(server.Dial).Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("wais://h/db")})
			if errors.Is(err, fs.ErrNotExist) != test.missing || (err != nil) != test.missing {
				t.Errorf("%s: %v of the database = %v, want an error: %v", test.name, op, err, test.missing)
			}
			if err == nil && r.Body != nil {
				r.Body.Close()
			}
		}
	}
}

// The documents of a database have a score only if the scores differ, because the client
// searched for no words.
func TestScores(t *testing.T) {
	hit := func(score string) string {
		return group(150, group(116, "\x01\x01x")+group(118, score)+group(123, "title")+group(132, group(133, "TEXT")))
	}
	const most, less = "\x00\x00\x03\xe8", "\x00\x00\x00\x07"
	for _, test := range []struct {
		url, reply string
		want       []int64
	}{
		{"wais://h/db", response(hit(most) + hit(most)), []int64{-1, -1}},
		{"wais://h/db", response(hit(most)), []int64{-1}},
		{"wais://h/db", response(hit(most) + hit(less)), []int64{1000, 7}},
		{"wais://h/db?words", response(hit(most) + hit(most)), []int64{1000, 1000}},
	} {
		server := accesstest.ServeAll(t, answering(func(string) string { return test.reply }))
		found, err := entries(t.Context(), client(server.Dial), test.url)
		if err != nil {
			t.Fatalf("%s: %v", test.url, err)
		}
		var got []int64
		for _, e := range found {
			if h, ok := e.Sys.(*wais.Hit); ok {
				got = append(got, h.Score)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the scores are %v, want %v", test.url, got, test.want)
		}
	}
}

// A hit of type URL links to its headline, but not to a local file. A diagnostic
// besides hits is an entry.
func TestHits(t *testing.T) {
	link := func(headline string) string {
		return group(150, group(116, "\x01\x01x")+group(123, headline)+group(132, group(133, "URL")))
	}
	dated := group(150, group(116, "\x01\x01x")+group(122, "19941220")+group(118, "\xff\xff\xff\xff"))
	server := accesstest.ServeAll(t, answering(func(string) string {
		return response(link("http://example.org/") + link("file:///etc/passwd") + link("javascript:x") + link("no url") + dated + diagnostic("S1", "a\nb"))
	}))
	found, err := entries(t.Context(), client(server.Dial), "wais://h/db?x")
	if err != nil || len(found) != 6 {
		t.Fatalf("%v, %v, want 6 entries", found, err)
	}
	for i, want := range []string{"http://example.org/", "", "", "", "wais://h/db/TEXT/%01%01x", ""} {
		if got := found[i].URL.String(); got != want {
			t.Errorf("entry %d leads to %q, want %q", i, got, want)
		}
	}
	if e := found[4]; e.ModTime.Format("2006-01-02") != "1994-12-20" || e.Size != -1 || e.Sys.(*wais.Hit).Score != -1 {
		t.Errorf("an entry is %+v, want the date 1994-12-20 and no size", e)
	}
	if e := found[5]; e.Kind != access.Failure || e.Title != "S1 a\nb" {
		t.Errorf("the diagnostic is %+v", e)
	}
	want := "# http://example.org/\r\nhttp://example.org/\r\n# file:///etc/passwd\r\n# javascript:x\r\n# no url\r\n# \r\nwais://h/db/TEXT/%01%01x\r\n# S1 a b\r\n"
	if got := get(t, client(server.Dial), &access.Request{URL: url.MustParse("wais://h/db?x")}); got != want {
		t.Errorf("the Body is %q, want %q", got, want)
	}
}

// Stat of a search asks for one document.
func TestStatOfSearch(t *testing.T) {
	server := accesstest.ServeAll(t, answering(library))
	e, err := client(server.Dial).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("wais://h/db?two+words")})
	if err != nil {
		t.Fatalf("Stat of a search = %v", err)
	}
	if e.Kind != access.Directory || e.Title != "two words" {
		t.Errorf("Stat of a search = %+v", e)
	}
	if got := server.Received(0); !strings.HasSuffix(got, "\x6a\x09two words\x6f\x01\x01\x72\x01\x01") {
		t.Errorf("the request is %q, want a search for one document", got)
	}
}

// A search or a database starts at 0 even if the request has an Offset.
func TestListingsComeWhole(t *testing.T) {
	server := accesstest.ServeAll(t, answering(library))
	for _, text := range []string{"wais://h/db?x", "wais://h/db"} {
		r, err := client(server.Dial).Do(t.Context(), &access.Request{URL: url.MustParse(text), Offset: 5})
		if err != nil {
			t.Errorf("Open(%q) at offset 5 = %v", text, err)
			continue
		}
		data, err := io.ReadAll(r.Body)
		if err != nil || r.Offset != 0 || !strings.HasPrefix(string(data), "# ") {
			t.Errorf("Open(%q) at offset 5 gives %q from %d, %v, want everything from 0", text, data, r.Offset, err)
		}
	}
}

// Close ends a Read that is reconnecting.
func TestCloseWhileDialing(t *testing.T) {
	first := true
	dialing := make(chan struct{})
	server := accesstest.Serve(t, accesstest.Script{accesstest.Send(response(text("hello")))})
	o := wais.Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if first {
			first = false
			return server.Dial(ctx, network, address)
		}
		close(dialing)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	r, err := o.Do(t.Context(), &access.Request{URL: url.MustParse("wais://h/db/TEXT/x")})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-dialing
		r.Body.Close()
	}()
	if _, err := io.ReadAll(r.Body); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Read while the Body is closed = %v, want net.ErrClosed", err)
	}
}
