package z3950_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/z3950"
	"locus/url"
)

// real returns a Client that dials the network.
func real() z3950.Client {
	return z3950.Client{Dial: new(net.Dialer).DialContext, Idle: 20 * time.Second}
}

// at returns the URL of a path on a server.
func at(s *peers.Server, scheme, path string) url.URL {
	return url.MustParse(scheme + "://" + s.Addr + "/" + path)
}

// queried returns the path of a query of a database.
func queried(database, query string) string {
	return database + ";query=" + url.Escape(query, url.Set{})
}

// list returns the entries of a list, and the Sys of its Resource.
func list(ctx context.Context, c z3950.Client, u url.URL) (entries []access.Entry, sys any, err error) {
	r, err := c.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return nil, nil, err
	}
	defer r.Body.Close()
	err = access.Entries(r.List, func(e access.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, r.Sys, err
}

// read returns the bytes of a record.
func read(ctx context.Context, c z3950.Client, u url.URL) (data, mediaType string, err error) {
	r, err := c.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return "", "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.Size != int64(len(b)) {
		err = fmt.Errorf("%d bytes, and the size is %d", len(b), r.Size)
	}
	return string(b), r.Type, err
}

// liveQueries are searches whose results must equal the results of yaz-client.
var liveQueries = []struct{ database, query, syntax string }{
	{"books", `sea`, "usmarc"},
	{"books", `@attr 1=4 sea`, "usmarc"},
	{"books", `@attr 1=4 lens`, "xml"},
	{"books", `@attr 1=4 lens`, "sutrs"},
	{"books", `@attr 1=1003 hansen`, "usmarc"},
	{"books", `@attr 1=1003 müller`, "usmarc"},
	{"books", `@attr 1=1003 @attr 4=1 "Bruun, Carl"`, "usmarc"},
	{"books", `@attr 1=21 storm`, "usmarc"},
	{"books", `@attr 1=30 1907`, "usmarc"},
	{"books", `@attr 1=30 @attr 2=4 1990`, "usmarc"},
	{"books", `@attr 1=7 8700000012`, "usmarc"},
	{"books", `@attr 1=12 bk000042`, "xml"},
	{"books", `@attr 1=12 none`, "usmarc"},
	{"books", `@attr 1=1032 @attr 4=104 doc000042`, "usmarc"},
	{"books", `@attr 1=1016 harbour`, "usmarc"},
	{"books", `@and @attr 1=4 sea @attr 1=4 charts`, "usmarc"},
	{"books", `@or @attr 1=4 sea @attr 1=4 island`, "usmarc"},
	{"books", `@not @attr 1=4 sea @attr 1=4 charts`, "usmarc"},
	{"books", `@attr 1=4 @and sea charts`, "usmarc"},
	{"books", `@attr 1=4 @or sea @and lens library`, "sutrs"},
	{"books", `@attr 1=4 @attr 5=1 har`, "usmarc"},
	{"books", `@attr 1=4 @attr 4=1 "Lens and sea"`, "usmarc"},
	{"books", `@attr 1=4 @prox 0 2 1 2 k 2 lens sea`, "usmarc"},
	{"books", `@attr 1=4 nosuchword`, "usmarc"},
	{"books", `@attr 1=9999 x`, "usmarc"},
	{"books", `@attr 1=4 @attr 2=99 x`, "usmarc"},
	{"books", `@attr 4=99 x`, "usmarc"},
	{"books", `@attrset gils @attr 1=4 sea`, "usmarc"},
	{"nosuch", `sea`, "usmarc"},
	{"IR-Explain-1", `@attrset exp-1 @attr 1=1 databaseinfo`, "xml"},
	{"books", `@attr 1=title sea`, "usmarc"},
	{"Default", `computer`, "usmarc"},
	{"Default", `3`, "usmarc"},
	{"Default", `5`, "sutrs"},
	{"Default", `1`, "xml"},
	{"Default", `0`, "usmarc"},
	{"Default", `100000`, "usmarc"},
	{"Default", `@and @attr 1=4 computer @attr 1=1003 x`, "usmarc"},
	{"Default", `@attr 1=4 @attr 4=2 "two words"`, "usmarc"},
	{"Default", `"quoted \"term\""`, "sutrs"},
	{"absent", `1`, "usmarc"},
	{"Default", `@set nosuch`, "usmarc"},
}

var (
	hitsLine       = regexp.MustCompile(`Number of hits: (\d+)`)
	diagnosticLine = regexp.MustCompile(`(?m)^ +\[(\d+)\]`)
	recordLine     = regexp.MustCompile(`(?m)^\d+ database=.* syntax=.* schema=.*\n`)
)

// Forty searches and presents have the same hits, records and diagnostics in this package as in
// yaz-client and zoomsh.
func TestLikeYAZClient(t *testing.T) {
	zebra, ztest := peers.Zebra(t, peers.Books(300), nil), peers.YAZTest(t)
	for _, test := range liveQueries {
		server := zebra
		if test.database == "Default" || test.database == "absent" {
			server = ztest
		}
		printed := peers.YAZClient(t, "open "+server.Addr, "base "+test.database, "find "+test.query)
		pqf := test.query
		if !strings.HasPrefix(pqf, "@") {
			pqf = "@term general " + pqf // without the attributes that the client adds to words
		}
		u := at(server, "z39.50s", queried(test.database, pqf)+";rs="+test.syntax)
		client := real()
		client.MaxHits = 3
		entries, sys, err := list(t.Context(), client, u)
		if want := diagnosticLine.FindStringSubmatch(printed); want != nil {
			if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil || strconv.Itoa(e.Reply.Code) != want[1] {
				t.Errorf("%s in %s: %v, want the diagnostic %s", test.query, test.database, err, want[1])
			}
			continue
		}
		hits := hitsLine.FindStringSubmatch(printed)
		if found, ok := sys.(*z3950.Results); err != nil || !ok || hits == nil || strconv.FormatInt(found.Hits, 10) != hits[1] {
			t.Errorf("%s in %s: %+v, %v, want %q hits", test.query, test.database, sys, err, hits)
			continue
		}
		compareRecords(t, server, test.database, test.query, test.syntax, entries)
	}
}

// compareRecords compares the first records with the output of zoomsh.
func compareRecords(t *testing.T, server *peers.Server, database, query, syntax string, entries []access.Entry) {
	t.Helper()
	wanted := printedRecords(t, server, database, query, syntax, len(entries))
	n := 0
	for _, e := range entries {
		if _, isMore := e.Sys.(*z3950.More); isMore {
			continue
		}
		data, _, err := read(t.Context(), real(), e.URL)
		if n < len(wanted) && (err != nil || strings.TrimSpace(data) != strings.TrimSpace(wanted[n])) {
			t.Errorf("%s in %s: record %d at %s is %q, %v, want %q", query, database, n+1, e.URL, data, err, wanted[n])
		}
		n++
	}
	if n != len(wanted) || n == 0 && len(entries) > 0 {
		t.Errorf("%s in %s: %d records, want %d", query, database, n, len(wanted))
	}
}

// printedRecords returns the first records, at most three. MARC records come from a file that
// yaz-client writes, because zoomsh encodes them again. Other records are the output of zoomsh.
func printedRecords(t *testing.T, server *peers.Server, database, query, syntax string, count int) []string {
	t.Helper()
	if syntax != "usmarc" {
		printed := peers.ZoomSh(t, "set preferredRecordSyntax "+syntax, "connect "+server.Addr+"/"+database, "search "+query, "show 0 3 raw")
		return recordLine.Split(printed, -1)[1:]
	}
	file := filepath.Join(peers.Shared(t), "dump")
	peers.YAZClient(t, "open "+server.Addr, "base "+database, "set_marcdump "+file, "find "+query, "format usmarc", fmt.Sprintf("show 1+%d", min(count, 3)))
	dumped, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records := strings.SplitAfter(string(dumped), "\x1d")
	return records[:len(records)-1]
}

// A sorted list has the same order as in yaz-client.
func TestLiveSort(t *testing.T) {
	zebra := peers.Zebra(t, peers.Books(300), nil)
	for keys, command := range map[string]string{
		"title": "sort 1=4 <", "-title": "sort 1=4 >", "author,-date": "sort 1=1003 < 1=30 >", "30": "sort 1=30 <",
	} {
		file := filepath.Join(peers.Shared(t), "dump")
		peers.YAZClient(t, "open "+zebra.Addr, "base books", "set_marcdump "+file, "find @attr 1=4 sea", command, "show 1+60")
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%q: %v", keys, err)
		}
		entries, _, err := list(t.Context(), real(), at(zebra, "z39.50s", queried("books", "@attr 1=4 sea")+";sort="+keys))
		got := ""
		for _, e := range entries {
			data, _, err := read(t.Context(), real(), e.URL)
			if err != nil {
				t.Fatalf("%q: %v", e.Title, err)
			}
			got += data
		}
		if err != nil || got != string(want) || got == "" {
			t.Errorf("sorted by %s: %d bytes, %v, want %d", keys, len(got), err, len(want))
		}
	}
	_, _, err := list(t.Context(), real(), at(zebra, "z39.50s", "books;query=sea;sort=9999"))
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an impossible sort gives %v", err)
	}
}

var termLine = regexp.MustCompile(`(?m)^[* ] (.+) \((\d+)\)$`)

// The terms of an index are the same as in yaz-client, and the URL of a term finds as many
// records as the term has.
func TestLiveScan(t *testing.T) {
	zebra := peers.Zebra(t, peers.Books(300), nil)
	for _, query := range []string{"@attr 1=4 a", "@attr 1=21 charts", "@attr 1=4 lens", "@attr 1=12 bk0001"} {
		printed := peers.YAZClient(t, "open "+zebra.Addr, "base books", "scanpos 1", "scansize 5", "scan "+query)
		client := real()
		client.MaxHits = 5
		entries, _, err := list(t.Context(), client, at(zebra, "z39.50s", "books;scan="+url.Escape(query, url.Set{})))
		got, want := "", ""
		for _, e := range entries {
			if term, ok := e.Sys.(*z3950.Term); ok {
				got += fmt.Sprintf("%s (%d)\n", e.Title, term.Records)
				r, err := client.Do(t.Context(), &access.Request{Op: access.Stat, URL: e.URL})
				if err != nil || r.Sys.(*z3950.Results).Hits != term.Records {
					t.Errorf("%s: %+v, %v, want %d records", e.URL, r, err, term.Records)
				}
			}
		}
		for _, line := range termLine.FindAllStringSubmatch(printed, -1) {
			want += fmt.Sprintf("%s (%s)\n", line[1], line[2])
		}
		if err != nil || got != want || got == "" {
			t.Errorf("scan %s: %q, %v, want %q", query, got, err, want)
		}
	}
	_, _, err := list(t.Context(), real(), at(zebra, "z39.50s", "books;scan=@attr%201=9999%20a"))
	if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil || e.Reply.Code != 114 {
		t.Errorf("scan of an index that is not there: %v", err)
	}
}

// In pages of any size, every term of an index comes once.
func TestLiveScanPages(t *testing.T) {
	zebra := peers.Zebra(t, peers.Books(300), nil)
	const path = "books;scan=@attr%201=4%200"
	all, _, err := list(t.Context(), real(), at(zebra, "z39.50s", path)) // 200 terms and a link
	if err != nil {
		t.Fatal(err)
	}
	client := real()
	client.MaxHits = 7
	var paged []string
	u := at(zebra, "z39.50s", path)
	for pages := 0; len(paged) < 100 && pages < 20; pages++ {
		entries, _, err := list(t.Context(), client, u)
		if err != nil {
			t.Fatalf("page %d: %v", pages+1, err)
		}
		for _, e := range entries {
			if more, ok := e.Sys.(*z3950.More); ok {
				u = more.Next
				continue
			}
			paged = append(paged, e.Title)
		}
	}
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.Title] = true
	}
	for i, title := range paged {
		if i > 0 && paged[i-1] == title && !seen[title] {
			t.Errorf("%q comes twice, or is not in the whole list", title)
		}
	}
	if len(paged) < 100 {
		t.Errorf("%d terms in pages, want 100", len(paged))
	}
}

// The list of databases comes from Explain if the server supports it.
func TestLiveDatabases(t *testing.T) {
	entries, _, err := list(t.Context(), real(), at(peers.Zebra(t, peers.Books(7), nil), "z39.50s", ""))
	if err != nil || len(entries) != 1 {
		t.Fatalf("the databases of Zebra: %+v, %v", entries, err)
	}
	if d, ok := entries[0].Sys.(*z3950.Database); !ok || d.Name != "books" || d.Records != 7 || entries[0].Kind != access.Search {
		t.Errorf("the database of Zebra is %+v, %+v", entries[0], entries[0].Sys)
	}
	entries, _, err = list(t.Context(), real(), at(peers.YAZTest(t), "z39.50s", ""))
	if err != nil || len(entries) != 2 || entries[0].Kind != access.Info || entries[1].Title != "Default" {
		t.Errorf("the databases of yaz-ztest: %+v, %v", entries, err)
	}
}

// The docid of a URL is searched for as RFC 2056 says. Zebra names the use attribute "Doc-id"
// and the structure "urx". If a server does not find the docid, the client asks for a local
// number.
func TestLiveDocID(t *testing.T) {
	zebra := peers.Zebra(t, peers.Books(30), nil)
	for _, docid := range []string{"doc000007", "bk000007"} {
		data, _, err := read(t.Context(), real(), at(zebra, "z39.50r", "books?"+docid+";rs=usmarc"))
		if err != nil || !strings.Contains(data, "island and harbour 7\x1e") {
			t.Errorf("the record %s is %q, %v", docid, data, err)
		}
	}
	data, mediaType, err := read(t.Context(), real(), at(zebra, "z39.50r", "books?bk000007;rs=usmarc"))
	if err != nil || mediaType != "application/marc" || !strings.Contains(data, "island and harbour 7") {
		t.Errorf("the record is %q, of type %q, %v", data, mediaType, err)
	}
	if _, mediaType, err := read(t.Context(), real(), at(zebra, "z39.50r", "books?bk000007;rs=xml")); err != nil || mediaType != "application/marcxml+xml" {
		t.Errorf("as XML it is of type %q, %v", mediaType, err)
	}
	text, mediaType, err := read(t.Context(), real(), at(zebra, "z39.50r", "books?bk000007;rs=grs-1"))
	if err != nil || mediaType != "text/plain; charset=utf-8" || !strings.Contains(text, "island and harbour 7\n") {
		t.Errorf("as GRS-1 it is %q, of type %q, %v", text, mediaType, err)
	}
	if _, _, err := read(t.Context(), real(), at(zebra, "z39.50r", "books?nosuch")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a docid that is not there: %v", err)
	}
	if _, _, err := read(t.Context(), real(), at(zebra, "z39.50r", "books;query=sea;record=99")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a position that is not there: %v", err)
	}
	if _, _, err := read(t.Context(), real(), at(zebra, "z39.50r", "books?bk000007;rs=unimarc")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a syntax that is not there: %v", err)
	}
}

// The text of an OPAC record has the holdings of the library.
func TestLiveOPAC(t *testing.T) {
	text, mediaType, err := read(t.Context(), real(), at(peers.YAZTest(t), "z39.50r", "Default;query=3;record=2;rs=opac"))
	if err != nil || mediaType != "text/plain; charset=utf-8" {
		t.Fatalf("the record is of type %q, %v", mediaType, err)
	}
	for _, want := range []string{"How to program a computer", "Holding 1\n", "Call number: MLCM 89/00602 (N)\n", "Available: yes\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the record has no %q:\n%s", want, text)
		}
	}
}

// A server that wants a login gets the login of the URL, or the client asks the caller for one.
func TestLiveLogin(t *testing.T) {
	zebra := peers.Zebra(t, peers.Books(3), map[string]string{"ada": "sesame"})
	path := "books;query=sea"
	with := func(login string) url.URL { return url.MustParse("z39.50s://" + login + "@" + zebra.Addr + "/" + path) }
	if entries, _, err := list(t.Context(), real(), with("ada:sesame")); err != nil || len(entries) == 0 {
		t.Errorf("with the password: %+v, %v", entries, err)
	}
	_, _, err := list(t.Context(), real(), with("ada:wrong"))
	if !errors.Is(err, access.ErrLogin) {
		t.Errorf("with a wrong password: %v", err)
	}
	if _, _, err := list(t.Context(), real(), at(zebra, "z39.50s", path)); !errors.Is(err, access.ErrPassword) {
		t.Errorf("without a login: %v", err)
	}
	asked := 0
	r, err := real().Do(t.Context(), &access.Request{URL: at(zebra, "z39.50s", path), Login: func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		asked++
		if c.Optional {
			return access.Credentials{}, nil
		}
		return access.Credentials{User: "ada", Password: "sesame"}, nil
	}})
	if err != nil || asked != 2 {
		t.Fatalf("after %d questions: %v", asked, err)
	}
	r.Body.Close()
}
