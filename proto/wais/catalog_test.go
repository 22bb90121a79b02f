package wais_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/wais"
	"locus/scheme"
	"locus/url"
)

// catalogID is the document-id of the recorded catalog, in a URL.
const catalogID = "%02%05txtdb%03%160%200%20%2Fwais%2Fdb%2Ftxtdb.cat%07%01%00"

// serving returns a server with these documents, by the names in their document-ids.
func serving(files map[string]string) accesstest.Script {
	return answering(func(request string) string {
		start, end := span(request)
		for name, content := range files {
			if !strings.Contains(request, " "+name) {
				continue
			}
			if start > len(content) {
				return response(diagnostic("SF", outOfRange))
			}
			reply := text(content[start:min(end, len(content))])
			if end > len(content) {
				reply += diagnostic("SF", outOfRange)
			}
			return response(reply)
		}
		return response(diagnostic("SF", "Missing DocID in request"))
	})
}

// The catalog of a freeWAIS server lists the documents of its database. Each has a URL that the
// server understands.
func TestCatalogOfFreeWAIS(t *testing.T) {
	recording := withoutInit(recorded(t, "x_catalog_beyond_end"))
	server := accesstest.ServeAll(t, answering(func(request string) string {
		start, end := span(request)
		switch {
		case strings.Contains(request, "txtdb.cat") && end == 1:
			return response(text("C"))
		case strings.Contains(request, "txtdb.cat"):
			return recording[1].data
		}
		return response(text("from beta.txt"[min(start, 13):min(end, 13)]) + diagnostic("SF", outOfRange))
	}))
	c := client(server.Dial)
	found, err := entries(t.Context(), c, "wais://h/txtdb/TEXT/"+catalogID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range found {
		v, err := scheme.ParseWAIS(e.URL)
		if err != nil || e.Kind != access.Object || e.Type != "text/plain" {
			t.Fatalf("%+v, %v, want a text", e, err)
		}
		got = append(got, e.Title+" | "+v.DocID[strings.Index(v.DocID, "\x03")+2:])
	}
	want := []string{
		"Alpha document about uniform resource locators. | 0 122 /wais/data/txt/alpha.txt\x07\x01\x00",
		"Beta document about uniform naming. | 0 120 /wais/data/txt/beta.txt\x07\x01\x00",
		"Gamma report on relevance ranking | 0 102 /wais/data/txt/gamma.txt\x07\x01\x00",
		"Latin document with 8-bit characters | 0 83 /wais/data/txt/latin.txt\x07\x01\x00",
		"Big document: the long chronicle of locators | 0 131850 /wais/data/txt/big.txt\x07\x01\x00",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the documents are\n%q, want\n%q", got, want)
	}
	if found[1].Size != 120 {
		t.Errorf("the size is %d, want 120", found[1].Size)
	}
	if got := get(t, c, &access.Request{URL: found[1].URL}); got != "from beta.txt" {
		t.Errorf("its document is %q", got)
	}
	const sum = "f990b3501605a04cd272afd5f68050502439d61002169a7d3c8d4dbbaaf79fe8" // of the recorded file
	catalog := url.MustParse("wais://h/txtdb/TEXT/" + catalogID)
	if body := sha256.Sum256([]byte(get(t, c, &access.Request{URL: catalog}))); hex.EncodeToString(body[:]) != sum {
		t.Error("the Body is not the text of the catalog")
	}
	if r, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: catalog}); err != nil || r.Kind != access.Directory {
		t.Errorf("stat: %+v, %v, want a directory", r, err)
	}
}

// A catalog lists documents that are not texts or are parts of a file. A catalog may end early.
func TestCatalog(t *testing.T) {
	const start = "Catalog for database: db\n\n"
	for _, test := range []struct{ text, want string }{
		{start, ""},
		{start + "Headline: A\nDocID: 0 5 /a.gif\n", "A GIF 5 0 5 /a.gif"},
		{start + "Headline: A\nDocID: 0 5 /a.TEXT", "A TEXT 5 0 5 /a.TEXT"},
		{start + "Headline: A\r\nDocID: 3 9 /m.html\r\nDocID: 1 2", "A HTML 6 3 9 /m.html| TEXT -1 1 2"},
		{start + "Headline: A\nDocID: -1 9 /a\nDocID: x\n", "A TEXT -1 -1 9 /a| TEXT -1 x"},
		{start + "DocID: 0 0 /whole\n", " TEXT -1 0 0 /whole"},
	} {
		server := accesstest.ServeAll(t, serving(map[string]string{"/db.cat": test.text}))
		found, err := entries(t.Context(), client(server.Dial), "wais://h/db/TEXT/3=0%200%20%2Fdb.cat;6=0%200%20%2Fdb.cat;")
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		var got []string
		for _, e := range found {
			v, err := scheme.ParseWAIS(e.URL)
			if err != nil {
				t.Fatalf("%q: %v", e.Title, err)
			}
			fields := strings.SplitN(v.DocID, "\x06", 2)
			if len(fields) != 2 || fields[0][2:] != fields[1][1:] {
				t.Errorf("%q: the document-id is %q, want the name in both fields", test.text, v.DocID)
			}
			got = append(got, strings.Join([]string{e.Title, v.WType, sizeText(e.Size), fields[0][2:]}, " "))
		}
		if text := strings.Join(got, "|"); text != test.want {
			t.Errorf("%q lists %q, want %q", test.text, text, test.want)
		}
	}
}

// An endless catalog without documents ends with an error.
func TestCatalogWithoutEnd(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(request string) string {
		from, to := span(request)
		if from == 0 {
			return response(text(("Catalog for database: db" + strings.Repeat("\n", to))[:to]))
		}
		return response(text(strings.Repeat("\n", to-from)))
	}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if found, err := entries(ctx, client(server.Dial), "wais://h/db/TEXT/3=0%200%20%2Fdb.cat;"); len(found) > 0 || !errors.Is(err, access.ErrTooLong) {
		t.Errorf("the entries are %v, %v, want %v", found, err, access.ErrTooLong)
	}
}

func sizeText(n int64) string {
	if n < 0 {
		return "-1"
	}
	return string(rune('0' + n))
}

// A document that is not named like the catalog of its database, or does not have the text of
// one, is not a listing.
func TestNoCatalog(t *testing.T) {
	for _, test := range []struct{ url, text string }{
		{"wais://h/db/TEXT/3=0%200%20%2Fother.cat;", "Catalog for database: other\nDocID: 0 1 /x\n"},
		{"wais://h/db/TEXT/3=0%200%20%2Fdb.cat;", "Once upon a time\nDocID: 0 1 /x\n"},
		{"wais://h/db/TEXT/3=none;", "Catalog for database: db\n"},
		{"wais://h/db/TEXT/none", "Catalog for database: db\n"},
	} {
		server := accesstest.ServeAll(t, answering(func(request string) string {
			start, end := span(request)
			n := len(test.text)
			return response(text(test.text[min(start, n):min(end, n)]) + diagnostic("SF", outOfRange))
		}))
		r, err := client(server.Dial).Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("%s: %v", test.url, err)
		}
		data, err := io.ReadAll(r.Body)
		if r.List != nil || err != nil || string(data) != test.text {
			t.Errorf("%s with %q is %v, %q, %v, want a document", test.url, test.text, r.List, data, err)
		}
		r.Body.Close()
	}
}

// A line that is too long, and an early end, are errors of the listing.
func TestCatalogErrors(t *testing.T) {
	const catalog = "wais://h/db/TEXT/3=0%200%20%2Fdb.cat;"
	long := "Catalog for database: db\nHeadline: " + strings.Repeat("x", 70_000) + "\n"
	server := accesstest.ServeAll(t, serving(map[string]string{"/db.cat": long}))
	if _, err := entries(t.Context(), client(server.Dial), catalog); !errors.Is(err, access.ErrTooLong) {
		t.Errorf("a line of 70000 bytes: %v, want ErrTooLong", err)
	}
	n := 0
	server = accesstest.ServeAll(t, answering(func(string) string {
		if n++; n > 1 {
			return ""
		}
		return response(text("Catalog for database: db\nHeadline: A\nDocID: 0 1 /a\n"))
	}))
	found, err := entries(t.Context(), wais.Client{Dial: server.Dial}, catalog)
	if len(found) != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken connection: %v, %v, want one document and an early end", found, err)
	}
}

func FuzzCatalog(f *testing.F) {
	for _, text := range []string{"Catalog for database: db\nHeadline: A\nDocID: 0 5 /a.gif\n", "Catalog for database:DocID:", "Catalog for database:\nDocID:\x00\x80 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		server := accesstest.ServeAll(t, serving(map[string]string{"/db.cat": text}))
		found, _ := entries(t.Context(), client(server.Dial), "wais://h/db/TEXT/3=0%200%20%2Fdb.cat;")
		for _, e := range found {
			if v, err := scheme.ParseWAIS(e.URL); err != nil || v.Kind != scheme.WAISDocument || v.URL() != e.URL {
				t.Errorf("%q is listed as %s: %+v, %v", text, e.URL, v, err)
			}
		}
	})
}
