package gateway_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/url"
)

// archiveOf returns a Gateway of an archive with these resources, which were recorded one day after
// another, in the order of names.
func archiveOf(all resources, names ...string) *gateway.Gateway {
	first := time.Date(2024, 5, 3, 10, 0, 0, 0, time.UTC)
	replay := &gateway.Replay{
		Captures: func() iter.Seq[access.Entry] {
			return func(yield func(access.Entry) bool) {
				for i, name := range names {
					e := access.Entry{Title: name, URL: url.MustParse(name), Kind: access.Object, Type: "text/html", Size: -1, ModTime: first.AddDate(0, 0, i)}
					if !yield(e) {
						return
					}
				}
			}
		},
		Recorded: func(u url.URL) (time.Time, bool) {
			for i, name := range names {
				if name == u.String() {
					return first.AddDate(0, 0, i), true
				}
			}
			return time.Time{}, false
		},
	}
	return &gateway.Gateway{Replay: replay, Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if _, ok := all[req.URL.String()]; !ok {
			return nil, engine.Fail("open", req.URL, fs.ErrNotExist)
		}
		return all.Do(ctx, req)
	})}
}

// The front page of a gateway that opens an archive says what the archive holds. Its list can be searched
// and sorted, and has pages.
func TestArchiveHolds(t *testing.T) {
	g := archiveOf(nil, "ftp://f.example/pub/", "http://h.example/a", "http://h.example/b?x&y", "http://i.example/")
	g.MaxEntries = 3
	get := serve(t, g)
	for _, test := range []struct {
		path string
		want []string
		not  string
	}{
		{"/", []string{
			"4 URLs of 3 hosts, recorded from 3 May 2024 to 6 May 2024.", `href="/-/archived"`,
			`<a href="/-/archived?filter=http%3A%2F%2Fh.example">http://h.example</a> <small>2</small>`, `>ftp://f.example</a> <small>1</small>`,
		}, "Places to visit"},
		{"/-/archived", []string{
			"<h1>What the archive holds</h1>", `action="/-/archived"`, "1 to 3, and there are more", `href="/-/archived?sort=name"`, `title="Sort ascending">URL<`,
			`<a href="/ftp://f.example/pub/"`, ">2024-05-03 10:00<", ">http://h.example/b?x&amp;y<", `href="/-/archived?from=3" rel="next"`,
		}, `name="url" value="ftp`},
		{"/-/archived?from=3", []string{"4 to 4 of 4 files", ">http://i.example/<"}, "h.example/a<"},
		{"/-/archived?sort=-date&filter=h.example", []string{">By URL<", "2 files with “h.example” in the name", ">http://h.example/b", ">http://h.example/a"}, "i.example/<"},
		{"/-/archived?sort=nothing", []string{"does not have this page"}, "<table"},
	} {
		_, body, err := get("GET", test.path)
		if err != nil || !hasInOrder(body, test.want...) || test.not != "" && strings.Contains(body, test.not) {
			t.Errorf("GET %s, %v: want %q, not %q\n%s", test.path, err, test.want, test.not, body)
		}
	}
	if resp, _, _ := serve(t, &gateway.Gateway{Engine: resources{}})("GET", "/-/archived"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("without an archive GET /-/archived = %d, want 404", resp.StatusCode)
	}
}

// The front page tells servers of one host apart by their ports. Its links list the URLs that it counts.
func TestArchiveHosts(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  []string // the text and the number of each host
	}{
		{[]string{"http://h/a", "http://h:8080/a", "http://h:8080/b"}, []string{"http://h:8080 2", "http://h 1"}},
		{[]string{"HTTP://H:80/a", "http://h:80/b"}, []string{"http://h:80 2"}},
		{[]string{"ftp://me@h:2121/a"}, []string{"ftp://me@h:2121 1"}},
		{[]string{"http://[2001:db8::1]/", "http://[2001:db8::1]:81/"}, []string{"http://[2001:db8::1] 1", "http://[2001:db8::1]:81 1"}},
		{[]string{"news:a.b", "news:a.c"}, []string{"news: 2"}},
		{[]string{"file:///a"}, []string{"file:// 1"}},
		{nil, nil},
	} {
		get := serve(t, archiveOf(nil, test.names...))
		_, body, err := get("GET", "/")
		if err != nil {
			t.Errorf("the archive of %q: %v", test.names, err)
			continue
		}
		var got []string
		for _, m := range hostRow.FindAllStringSubmatch(body, -1) {
			got = append(got, m[2]+" "+m[3])
			_, list, err := get("GET", m[1])
			listed := 0
			for _, name := range test.names {
				if strings.Contains(list, ">"+name+"<") {
					listed++
				}
			}
			if n, _ := strconv.Atoi(m[3]); err != nil || listed < n {
				t.Errorf("the list of %s has %d of its URLs, %v, want %d", m[2], listed, err, n)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("the hosts of %q = %q, want %q", test.names, got, test.want)
		}
	}
}

// hostRow matches a host of the front page. Its groups are the path of the list of its URLs, the host and their number.
var hostRow = regexp.MustCompile(`<a href="(/-/archived\?filter=[^"]*)">([^<]*)</a> <small>(\d+)</small>`)

// Every page from an archive says so in a line with its date. Bytes for programs, and parts of pages, do
// not change. A miss says that the archive does not have the URL.
func TestArchivedPages(t *testing.T) {
	const line = "From the archive, recorded 3 May 2024, 10:00 UTC."
	const long = "<!-- <body> --><p>text"
	program, embedded := "Accept: */*", "Accept: text/html\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\nSec-Fetch-Site: same-origin"
	for i, test := range []struct {
		name, mediaType, text, fields string
		want                          string // the text with LINE for the element of the line; "": the line is in a page of the gateway
	}{
		{"a page", "text/html", "<!DOCTYPE html><html><head><title>T</title></head><body class=x><p>text", clickedHere, "<!DOCTYPE html><html><head><title>T</title></head><body class=x>LINE<p>text"},
		{"a page without a body", "text/html; charset=utf-8", "\n<!doctype html><title>T</title><p>text", clickedHere, "\n<!doctype html>LINE<title>T</title><p>text"},
		{"a page without a doctype", "text/html", "<p>text", clickedHere, "LINE<p>text"},
		{"a body in a comment and a script", "text/html", "<!-- <body> --><script>'<body>'</script><BODY>x", clickedHere, "<!-- <body> --><script>'<body>'</script><BODY>LINEx"},
		{"a long page", "text/html", "<body>" + strings.Repeat(long, 10_000), clickedHere, "<body>LINE" + strings.Repeat(long, 10_000)},
		{"an empty page", "text/html", "", clickedHere, "LINE"},
		{"a page in UTF-16", "text/html; charset=utf-16le", "<body>text", clickedHere, "<body>text"},
		{"a page with a byte order mark of UTF-16", "text/html", "\xff\xfe<\x00p\x00>\x00", clickedHere, "\xff\xfe<\x00p\x00>\x00"},
		{"a page for a program", "text/html", "<body>text", program, "<body>text"},
		{"a frame", "text/html", "<body>text", embedded, "<body>text"},
		{"a text", "text/plain", "text", clickedHere, ""},
		{"a message", "message/rfc822", "Subject: s\n\ntext", clickedHere, ""},
		{"a style", "text/css", "p{}", embedded, "p{}"},
	} {
		u := fmt.Sprintf("ftp://h.example/%d", i)
		get := serve(t, archiveOf(resources{u: content(test.mediaType, test.text)}, u))
		resp, body, err := get("GET", "/"+u, strings.Split(test.fields, "\n")...)
		if test.want == "" {
			if err != nil || !hasInOrder(body, `<p class="source" role="note">`+line, "<h1>") {
				t.Errorf("%s: %v, want the line %q in\n%s", test.name, err, line, body)
			}
			continue
		}
		before, after, isBannered := strings.Cut(body, `<div role="note"`)
		if isBannered {
			banner, rest, _ := strings.Cut(after, "</div>")
			if body = before + "LINE" + rest; !strings.Contains(banner, line) || resp.ContentLength > 0 && resp.ContentLength < int64(len(test.text)) {
				t.Errorf("%s: the line is %q in %d bytes", test.name, banner, resp.ContentLength)
			}
		}
		if err != nil || body != test.want {
			t.Errorf("%s: %v, the page is %.300q, want %.300q", test.name, err, body, test.want)
		}
	}
	get := serve(t, archiveOf(resources{}, "http://h.example/a"))
	resp, body, _ := get("GET", "/ftp://h.example/none", strings.Split(clickedHere, "\n")...)
	if resp.StatusCode != http.StatusNotFound || !hasInOrder(body, "<h1>The archive does not have this URL.</h1>", "does not contact servers", `<a href="/-/archived">See what the archive holds</a>`) || strings.Contains(body, "Try again") {
		t.Errorf("a miss = %d\n%s", resp.StatusCode, body)
	}
	if _, body, _ := get("GET", "/http://h.example/a", strings.Split(clickedHere, "\n")...); strings.Contains(body, "does not have this URL") {
		t.Errorf("a recorded failure is taken for a miss:\n%s", body)
	}
}
