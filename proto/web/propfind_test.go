package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// multistatus is the body of a response to PROPFIND for /pub/.
const multistatus = `<?xml version="1.0" encoding="utf-8"?>
<D:multistatus xmlns:D="DAV:"><D:response><D:href>/pub/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
<D:response><D:href>/pub/a%20b</D:href><D:propstat><D:prop><lp1:getcontentlength xmlns:lp1="DAV:">12</lp1:getcontentlength><D:getlastmodified>Wed, 04 Mar 2026 05:06:07 GMT</D:getlastmodified><D:getcontenttype>text/plain</D:getcontenttype><D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><D:getcontentlength>99</D:getcontentlength></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response>
<D:response><D:href>http://@@/pub/sub</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
<D:response><D:href>/pub/sub/deep</D:href></D:response><D:response><D:href>/other</D:href></D:response><D:response><D:href>/pub/..%2Fx</D:href></D:response><D:response></D:response>
</D:multistatus>`

// list opens u as a listing, and returns "title kind size time" of its entries.
func list(t *testing.T, u string) (entries []string, hasList bool, err error) {
	t.Helper()
	client := &Client{Dial: new(net.Dialer).DialContext}
	t.Cleanup(client.CloseIdleConnections)
	r, err := (&Lister{Engine: client}).Do(t.Context(), &access.Request{URL: url.MustParse(u), List: true})
	if err != nil {
		return nil, false, err
	}
	defer r.Body.Close()
	if r.List == nil {
		return nil, false, nil
	}
	err = access.Entries(r.List, func(e access.Entry) error {
		text := fmt.Sprintf("%s %v %d", e.Title, e.Kind, e.Size)
		if !e.ModTime.IsZero() {
			text += e.ModTime.Format(" 2006-01-02 15:04:05")
		}
		entries = append(entries, text)
		return nil
	})
	return entries, true, err
}

func TestLister(t *testing.T) {
	dav := []string{"a b object 12 2026-03-04 05:06:07", "sub directory -1"}
	huge := `<D:multistatus xmlns:D="DAV:"><D:response><D:href>` + strings.Repeat("x", 3<<20)
	deep := `<D:multistatus xmlns:D="DAV:"><D:response>` + strings.Repeat("<a>", 1000)
	for _, test := range []struct {
		name, path string
		get, find  func(w http.ResponseWriter)
		want       []string
		isList     bool
		err        error
	}{
		{name: "a page that the server generates", get: html(`<title>Index of /pub/</title><a href="x">x</a>  20-Nov-2026 10:11     1234`), want: []string{"x object 1234"}, isList: true},
		{name: "an index page on a WebDAV server", get: html(`<title>Mine</title><a href="x">x</a>`), find: answer(207, multistatus), want: dav, isList: true},
		{name: "a WebDAV server without pages", get: answer(403, ""), find: answer(207, multistatus), want: dav, isList: true},
		{name: "an ordinary page", get: html(`<title>Mine</title><a href="x">x</a>`), find: answer(405, "")},
		{name: "a server that answers anything", get: html("a page"), find: html("a page")},
		{name: "no page", get: answer(404, ""), find: answer(207, multistatus), err: fs.ErrNotExist},
		{name: "no page on a WebDAV server", get: func(w http.ResponseWriter) { w.Header().Set("DAV", "1"); answer(404, "")(w) }, find: answer(207, multistatus), want: dav, isList: true},
		{name: "a forbidden page", get: answer(403, ""), find: answer(403, ""), err: fs.ErrPermission},
		{name: "a server that breaks", get: html("a page"), find: answer(503, ""), err: access.ErrTemporary},
		{name: "a file", path: "pub", get: html("a page"), find: answer(207, multistatus)},
		{name: "URLs of a server behind a proxy", get: answer(403, ""), find: answer(207, strings.ReplaceAll(multistatus, "<D:href>/", "<D:href>https://inner.example:8443/")), want: dav, isList: true},
		{name: "URLs below another path", get: answer(403, ""), find: answer(207, strings.ReplaceAll(multistatus, "/pub/", "/webdav/pub/")), isList: true, err: access.ErrProtocol},
		{name: "another character set", get: answer(403, ""), find: answer(207, strings.NewReplacer("utf-8", "ISO-8859-1", "a%20b", "caf\xe9").Replace(multistatus)), want: []string{"café object 12 2026-03-04 05:06:07", "sub directory -1"}, isList: true},
		{name: "an unknown character set", get: answer(403, ""), find: answer(207, strings.ReplaceAll(multistatus, "utf-8", "x-none")), isList: true, err: access.ErrProtocol},
		{name: "percent signs", get: answer(403, ""), find: answer(207, strings.ReplaceAll(multistatus, "a%20b", "50% off")), want: []string{"50% off object 12 2026-03-04 05:06:07", "sub directory -1"}, isList: true},
		{name: "an empty document", get: answer(403, ""), find: answer(207, `<D:multistatus xmlns:D="DAV:"></D:multistatus>`), isList: true},
		{name: "half a document", get: html("a page"), find: answer(207, multistatus[:len(multistatus)-20]), want: dav, isList: true, err: io.ErrUnexpectedEOF},
		{name: "another document", get: html("a page"), find: answer(207, "<x></x>"), isList: true, err: access.ErrProtocol},
		{name: "no XML", get: html("a page"), find: answer(207, "<<<"), isList: true, err: access.ErrProtocol},
		{name: "an endless element", get: html("a page"), find: answer(207, huge), isList: true, err: access.ErrTooLong},
		{name: "a deep element", get: html("a page"), find: answer(207, deep), isList: true, err: access.ErrTooLong},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "PROPFIND" && r.Header.Get("Depth") == "1" && test.find != nil {
				body, _ := io.ReadAll(r.Body)
				if !strings.Contains(string(body), "getcontentlength") {
					t.Errorf("%s: PROPFIND has the body %q", test.name, body)
				}
				test.find(addressed{w, r.Host})
				return
			}
			test.get(w)
		}))
		path := test.path
		if path == "" {
			path = "pub/"
		}
		got, isList, err := list(t, server.URL+"/"+path)
		if !slices.Equal(got, test.want) || isList != test.isList || !errors.Is(err, test.err) {
			t.Errorf("%s: %q, %v, %v, want %q, %v, %v", test.name, got, isList, err, test.want, test.isList, test.err)
		}
		server.Close()
	}
}

// An addressed is a ResponseWriter that replaces "@@" by the address of the server.
type addressed struct {
	http.ResponseWriter
	host string
}

func (a addressed) Write(p []byte) (int, error) {
	_, err := io.WriteString(a.ResponseWriter, strings.ReplaceAll(string(p), "@@", a.host))
	return len(p), err
}

func html(page string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	}
}

func answer(status int, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// Stat with List tells a directory from a page.
func TestListerStat(t *testing.T) {
	for page, want := range map[string]access.Kind{"<title>Index of /x</title>": access.Directory, "<title>x</title>": access.Object} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { html(page)(w) }))
		client := &Client{Dial: new(net.Dialer).DialContext}
		r, err := (&Lister{Engine: client}).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(server.URL + "/x/"), List: true})
		if err != nil || r.Kind != want {
			t.Errorf("%q: %+v, %v, want a %v", page, r, err, want)
		}
		client.CloseIdleConnections()
		server.Close()
	}
}

// Requests without List, and of other schemes, pass unchanged.
func TestListerPasses(t *testing.T) {
	var last *access.Request
	l := &Lister{Engine: engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		last = req
		return &access.Resource{Body: access.NoBody}, nil
	})}
	for _, req := range []*access.Request{
		{URL: url.MustParse("http://h/")},
		{URL: url.MustParse("ftp://h/"), List: true},
		{Op: access.Put, URL: url.MustParse("http://h/")},
	} {
		if _, err := l.Do(t.Context(), req); err != nil || last != req {
			t.Errorf("%v %v does not pass: %v", req.Op, req.URL, err)
		}
	}
}

type engineFunc func(ctx context.Context, req *access.Request) (*access.Resource, error)

func (f engineFunc) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return f(ctx, req)
}

func TestListedBucket(t *testing.T) {
	const start = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>pub/</Prefix>`
	const content = `<Contents><Key>pub/</Key><Size>0</Size></Contents><Contents><Key>pub/a b</Key><LastModified>2026-03-04T05:06:07.000Z</LastModified><Size>12</Size></Contents><CommonPrefixes><Prefix>pub/sub/</Prefix></CommonPrefixes></ListBucketResult>`
	for _, test := range []struct {
		at, text string
		want     []string
		err      error
	}{
		{"http://b.s3.example/?prefix=pub/&delimiter=/", start + content, []string{"a b object 12 http://b.s3.example/pub/a%20b", "sub directory -1 http://b.s3.example/?prefix=pub%2Fsub%2F&delimiter=%2F"}, nil},
		{"http://s3.example/b/?prefix=pub/", start + content, []string{"a b object 12 http://s3.example/b/pub/a%20b", "sub directory -1 http://s3.example/b/?prefix=pub%2Fsub%2F&delimiter=%2F"}, nil},
		{"http://b.s3.example/", start + "<IsTruncated>true</IsTruncated></ListBucketResult>", nil, io.ErrUnexpectedEOF},
		{"http://b.s3.example/", start + "<Contents><Key>pub/x</Key>", nil, io.ErrUnexpectedEOF},
	} {
		r := Listed(page(test.at, "application/xml", test.text))
		if r.List == nil {
			t.Errorf("%s is no listing", test.at)
			continue
		}
		var got []string
		err := access.Entries(r.List, func(e access.Entry) error {
			got = append(got, fmt.Sprintf("%s %v %d %s", e.Title, e.Kind, e.Size, e.URL))
			return nil
		})
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("%s: %q, %v, want %q, %v", test.at, got, err, test.want, test.err)
		}
	}
	for _, text := range []string{"<rss></rss>", "<ListBucketResultX/>", "<!-- --><ListBucketResult>", "ListBucketResult", ""} {
		r := Listed(page("http://b.s3.example/", "text/xml", text))
		if body, err := io.ReadAll(r.Body); r.List != nil || string(body) != text || err != nil {
			t.Errorf("%q is a listing, or reads as %q, %v", text, body, err)
		}
	}
}

// An ordinary page with many links is not a listing.
func TestListedOrdinary(t *testing.T) {
	links := strings.Repeat(`<li><a href="a">a</a> 2026-11-20 10:11 12</li>`, 50)
	for _, text := range []string{
		"<title>Downloads</title><h1>Index of /pub/</h1><ul>" + links,
		"<title>Index of all our articles</title><ul>" + links,
		"<title>Directory listing</title><ul>" + links,
		"<title>news - /r/golang/</title><h1>Top</h1><hr><pre>" + links,
		"<pre>A text\n" + links,
		"<table>" + links,
	} {
		if r := Listed(page("http://h/", "text/html", text)); r.List != nil {
			t.Errorf("%.60q is a listing", text)
		}
	}
}

// A server that has refused GET of one directory, and answers PROPFIND, gets PROPFIND first for the
// others.
func TestListerAsksOnce(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		switch {
		case r.Method == "PROPFIND" && r.URL.Path != "/page/":
			answer(207, strings.ReplaceAll(multistatus, "/pub/", r.URL.Path))(addressed{w, r.Host})
		case r.Method == http.MethodGet && r.URL.Path == "/page/":
			html(`<title>Index of /page/</title><a href="x">x</a>`)(w)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	defer server.Close()
	client := &Client{Dial: new(net.Dialer).DialContext}
	t.Cleanup(client.CloseIdleConnections)
	l := &Lister{Engine: client}
	for _, path := range []string{"/pub/", "/pub/sub/", "/page/"} {
		r, err := l.Do(t.Context(), &access.Request{URL: url.MustParse(server.URL + path), List: true})
		if err != nil || r.List == nil {
			t.Fatalf("Do(%q) = %+v, %v, want a listing", path, r, err)
		}
		r.Body.Close()
	}
	if got, want := strings.Join(asked, ", "), "GET /pub/, PROPFIND /pub/, PROPFIND /pub/sub/, PROPFIND /page/, GET /page/"; got != want {
		t.Errorf("the Lister asks %q, want %q", got, want)
	}
}
