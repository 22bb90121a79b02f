package wais_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/wais"
	"locus/url"
)

// hit returns a record with a document header.
func hit(docID, headline string) string {
	return group(150, group(116, docID)+group(123, headline))
}

const noSuchDatabase = "The following database is not available: nosuch"

// freeWAIS is a server without databases. For a search without words it lists the help and then
// a diagnostic. It closes the connection when a document is requested.
func freeWAIS(request string) string {
	switch {
	case strings.Contains(request, "un re"):
		return ""
	case strings.Contains(request, "\x6a\x00"): // a search without words
		help := hit("s", "Information on database: nosuch") + hit("c", "Catalog for database: nosuch")
		return response(help + diagnostic("S1", noSuchDatabase))
	}
	return response(diagnostic("S1", noSuchDatabase))
}

// A database that does not exist gives fs.ErrNotExist for every request. The request is not
// retried, because the error is permanent.
func TestMissingDatabase(t *testing.T) {
	for _, text := range []string{"wais://h/nosuch", "wais://h/nosuch?words", "wais://h/nosuch/TEXT/%01%01x"} {
		for _, op := range []access.Op{access.Get, access.Stat} {
			server := accesstest.ServeAll(t, answering(freeWAIS))
			r, err := client(server.Dial).Do(t.Context(), &access.Request{Op: op, URL: url.MustParse(text)})
			if r != nil {
				r.Body.Close()
			}
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(err), noSuchDatabase) {
				t.Errorf("%v %s: %v, want fs.ErrNotExist with the words of the server", op, text, err)
			}
			if errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v %s: %v, which would be retried", op, text, err)
			}
		}
	}
}

// If the server closes the connection although it has the database, the error is the error of
// the connection.
func TestDroppedDocument(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(request string) string {
		if strings.Contains(request, "un re") {
			return ""
		}
		return response(hit("c", "Catalog for database: db"))
	}))
	err := fetch(t.Context(), client(server.Dial), "wais://h/db/TEXT/%01%01x")
	if errors.Is(err, fs.ErrNotExist) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error is %v, want a broken connection", err)
	}
}

// A search without hits gives an empty list. The catalog that freeWAIS sends instead does not
// count as a hit. If the query is malformed, the diagnostic is the error.
func TestNoHits(t *testing.T) {
	server := accesstest.Serve(t, script(withoutInit(recorded(t, "search_nohit"))[:2]))
	found, err := entries(t.Context(), wais.Client{Dial: server.Dial, MaxHits: 40}, "wais://h/txtdb?xyzzyplugh")
	if err != nil || len(found) != 0 {
		t.Errorf("the entries are %v, %v, want none", found, err)
	}
	server = accesstest.Serve(t, script(withoutInit(recorded(t, "x_search_boolean_syntax"))[:2]))
	found, err = entries(t.Context(), wais.Client{Dial: server.Dial, MaxHits: 40}, "wais://h/txtdb?uniform+not+(locators")
	if err == nil || !strings.Contains(err.Error(), "query syntax error") {
		t.Errorf("the entries are %v, %v, want the syntax error", found, err)
	}
}

// A list that may be incomplete ends with an entry that says so.
func TestMoreHits(t *testing.T) {
	list := func(n, size int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(hit("d", fmt.Sprintf("%0*d", size, i)))
		}
		return response(b.String())
	}
	for _, test := range []struct {
		name           string
		most           int // requested
		hits, headline int // in the reply; bytes of a headline
		want           bool
	}{
		{"as many as asked for", 3, 3, 10, true},
		{"fewer", 4, 3, 10, false},
		{"none", 4, 0, 10, false},
		{"as many as the server can send", 1000, 99, 1000, true},
		{"less than the server can send", 1000, 97, 1000, false},
	} {
		server := accesstest.Serve(t, answering(func(string) string { return list(test.hits, test.headline) }))
		found, err := entries(t.Context(), wais.Client{Dial: server.Dial, MaxHits: test.most}, "wais://h/db?words")
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if n := len(found) - test.hits; n != 0 && n != 1 {
			t.Fatalf("%s: %d entries, want those of %d hits", test.name, len(found), test.hits)
		}
		var more *wais.More
		if n := len(found); n > 0 {
			more, _ = found[n-1].Sys.(*wais.More)
		}
		switch {
		case (more != nil) != test.want:
			t.Errorf("%s: the list ends in %+v, want a note: %v", test.name, found[len(found)-1], test.want)
		case test.want && (more.Hits != test.hits || more.IsLimit != (test.hits == test.most) || found[len(found)-1].Kind != access.Info):
			t.Errorf("%s: the note is %+v, want %d hits", test.name, more, test.hits)
		}
	}
}

// The note at the end of a list is a sentence for any number of documents.
func TestMoreString(t *testing.T) {
	for _, test := range []struct {
		more wais.More
		want string
	}{
		{wais.More{Hits: 1, IsLimit: true}, "This list has the first document. There may be more."},
		{wais.More{Hits: 2, IsLimit: true}, "This list has the first 2 documents. There may be more."},
		{wais.More{Hits: 1}, "This list has the first document. The server may have more, but cannot send them in one reply."},
		{wais.More{Hits: 17}, "This list has the first 17 documents. The server may have more, but cannot send them in one reply."},
	} {
		if got := test.more.String(); got != test.want {
			t.Errorf("%#v.String() = %q, want %q", test.more, got, test.want)
		}
	}
}

// MoreEntries requests more documents than MaxHits, but not more than mostHits.
func TestMoreEntries(t *testing.T) {
	for _, test := range []struct{ most, more, want int }{
		{0, 0, 200}, {0, 200, 400}, {10, 5, 15}, {10, -5, 10}, {10, math.MaxInt, 100_000}, {math.MaxInt, 0, 100_000}, {math.MaxInt, math.MaxInt, 100_000},
	} {
		var limit string
		server := accesstest.Serve(t, answering(func(request string) string {
			_, after, _ := strings.Cut(request, "words\x6f\x01\x01\x72") // the number of documents
			limit = fmt.Sprintf("%x", after[1:1+after[0]])
			return response("")
		}))
		req := &access.Request{URL: url.MustParse("wais://h/db?words"), MoreEntries: test.more}
		r, err := wais.Client{Dial: server.Dial, MaxHits: test.most}.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("most %d: %v", test.most, err)
		}
		r.Body.Close()
		want := fmt.Sprintf("%x", test.want)
		if len(want)%2 > 0 {
			want = "0" + want
		}
		if limit != want {
			t.Errorf("with %d and %d more, %s documents are asked for, want %s", test.most, test.more, limit, want)
		}
	}
}
