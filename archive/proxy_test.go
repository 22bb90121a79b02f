package archive_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
	"locus/proto/web"
	"locus/url"
)

// written returns an archive of responses of http://h/, by path, that is not compressed.
func written(t *testing.T, responses ...string) *archive.Archive {
	t.Helper()
	root := folder(t)
	var text strings.Builder
	for i := 0; i < len(responses); i += 2 {
		text.WriteString(record("WARC-Type: response", "WARC-Record-ID: <urn:x>", "WARC-Target-URI: "+responses[i], "Content-Type: application/http", "", responses[i+1]))
	}
	if err := root.WriteFile("a.warc", []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return open(t, root, "a.warc")
}

// roundTrip returns the answer of an archive to a request, as text.
func roundTrip(t *testing.T, a http.RoundTripper, method, target string, header http.Header) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	resp, err := a.RoundTrip(r)
	switch {
	case errors.Is(err, archive.ErrNotArchived):
		return "not archived"
	case errors.Is(err, errors.ErrUnsupported):
		return "unsupported"
	case errors.Is(err, fs.ErrNotExist):
		return "a part"
	case errors.Is(err, access.ErrProtocol):
		return "no HTTP"
	case err != nil:
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	text := fmt.Sprintf("%d %q", resp.StatusCode, body)
	for _, name := range []string{"Location", "Content-Range", "Set-Cookie", "Content-Encoding"} {
		if v := resp.Header.Get(name); v != "" {
			text += " " + name + " " + v
		}
	}
	if err != nil {
		text += " and then an error"
	}
	return text
}

// The client of a proxy gets the response of the server.
func TestArchiveRoundTrip(t *testing.T) {
	a := written(t,
		"http://h/page", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage",
		"http://h/old", "HTTP/1.1 301 Moved\r\nLocation: /page\r\n\r\nmoved",
		"http://h/none", "HTTP/1.1 404 No\r\n\r\nno page",
		"http://h/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"http://h/short", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npage",
		"http://h/cookie", "HTTP/1.1 200 OK\r\nSet-Cookie: ***\r\n\r\npage",
		"http://h/packed", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8bpacked",
		"http://h/all", "HTTP/1.1 206 P\r\nContent-Range: bytes 0-3/4\r\n\r\nfilm",
		"http://h/part", "HTTP/1.1 206 P\r\nContent-Range: bytes 0-3/9\r\n\r\nfilm",
		"http://h/rest", "HTTP/1.1 206 P\r\nContent-Range: bytes 5-8/9\r\n\r\nfilm",
		"https://h/secure", "HTTP/1.1 200 OK\r\n\r\nsecure",
		"http://h/a%2Fb?x=%41", "HTTP/1.1 200 OK\r\n\r\nescaped",
	)
	for _, test := range []struct{ method, target, field, want string }{
		{"GET", "http://h/page", "", `200 "page"`},
		{"GET", "http://h/page", "Range: bytes=1-2", `200 "page"`},
		{"HEAD", "http://h/page", "", `200 ""`},
		{"GET", "http://h/old", "", `301 "moved" Location /page`},
		{"GET", "http://h/none", "", `404 "no page"`},
		{"GET", "http://h/chunked", "", `200 "abc"`},
		{"GET", "http://h/short", "", `200 "page" and then an error`},
		{"GET", "http://h/cookie", "", `200 "page"`},
		{"GET", "http://h/packed", "", `200 "\x1f\x8bpacked" Content-Encoding gzip`},
		{"GET", "http://h/all", "", `200 "film"`},
		{"GET", "http://h/all", "Range: bytes=0-", `206 "film" Content-Range bytes 0-3/4`},
		{"GET", "http://h/part", "Range: bytes=0-", "a part"},
		{"GET", "http://h/rest", "", "a part"},
		{"GET", "https://h/secure", "", `200 "secure"`},
		{"GET", "http://h/secure", "", `200 "secure"`},
		{"GET", "https://h/page", "", "not archived"},
		{"GET", "http://h/unheard", "", "not archived"},
		{"GET", "http://h/a%2Fb?x=%41", "", `200 "escaped"`},
		{"POST", "http://h/page", "", "unsupported"},
		{"PROPFIND", "http://h/page", "", "unsupported"},
	} {
		header := make(http.Header)
		if name, value, ok := strings.Cut(test.field, ": "); ok {
			header.Set(name, value)
		}
		if got := roundTrip(t, a, test.method, test.target, header); got != test.want {
			t.Errorf("%s %s %s = %s, want %s", test.method, test.target, test.field, got, test.want)
		}
	}
	for target, want := range map[string]string{"http://h/all": "film", "http://h/chunked": "abc"} {
		if body, r, err := get(t, a, target); body != want || err != nil || r.Size > 0 && r.Size != int64(len(want)) {
			t.Errorf("Do: %s: %q, %v", target, body, err)
		}
	}
}

// A page that another program recorded without its header is a page.
func TestRoundTripResource(t *testing.T) {
	root := folder(t)
	text := record("WARC-Type: resource", "WARC-Record-ID: <urn:x>", "WARC-Target-URI: http://h/a", "Content-Type: text/plain", "", "text")
	if err := root.WriteFile("a.warc", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := roundTrip(t, open(t, root, "a.warc"), "GET", "http://h/a", nil); got != `200 "text"` {
		t.Errorf("GET = %s", got)
	}
}

// Requests that a proxy passes on are recorded without their secrets.
func TestTransport(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprintf(z, "%s %s", r.Method, body)
		z.Close()
	})
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	through := w.Transport(s.engine)
	codings := map[string]string{"GET": "gzip, deflate, br, zstd", "POST": "br, identity;q=0.5", "PUT": "gzip;q=0, br", "HEAD": "br"}
	for _, method := range []string{"GET", "POST", "PUT", "HEAD"} {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/"+method, strings.NewReader("body of "+method))
		if err != nil {
			t.Fatalf("%q: %v", method, err)
		}
		r.Header = http.Header{"Accept": {"x/y"}, "X-Secret": {"sesame"}, "Cookie": {"a=sesame"}, "Accept-Encoding": {codings[method]}}
		resp, err := through.RoundTrip(r)
		if err != nil {
			t.Fatalf("%q: %v", method, err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || method != "HEAD" && !strings.HasPrefix(string(body), "\x1f\x8b") {
			t.Errorf("%s: %q, %v", method, body, err)
		}
		resp.Body.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := records(t, s.root, "a.warc.gz")
	if got, want := kinds(all), "warcinfo response request response request response request metadata request"; got != want {
		t.Errorf("records: %s, want %s", got, want)
	}
	for _, r := range all {
		if strings.Contains(r.block, "sesame") {
			t.Errorf("%s has a secret: %s", r, r.block)
		}
		if r.Get("WARC-Type") == "request" && (!strings.Contains(r.block, "Accept: x/y\r\n") || !strings.Contains(r.block, "X-Secret: ***\r\n") || !strings.Contains(r.block, "body of ")) {
			t.Errorf("%s has %q", r, r.block)
		}
	}
	for method, want := range map[string]string{"GET": "gzip", "POST": "identity", "PUT": "identity", "HEAD": "br"} {
		if !slices.ContainsFunc(all, func(r whole) bool {
			return strings.HasPrefix(r.block, method+" ") && strings.Contains(r.block, "Accept-Encoding: "+want+"\r\n")
		}) {
			t.Errorf("%s does not ask for %s", method, want)
		}
	}
	a := open(t, s.root, "a.warc.gz")
	for _, method := range []string{"POST", "PUT"} {
		if got := roundTrip(t, a, "GET", s.URL+"/"+method, nil); got != "a part" {
			t.Errorf("GET of the URL that was recorded with %s = %q, want only a part", method, got)
		}
	}
	index, err := s.root.ReadFile("a.cdxj")
	if err != nil || strings.Count(string(index), "\n") != 1 {
		t.Errorf("the index has %s, %v, want GET alone", index, err)
	}
}

// A Send is recorded unchanged, and the replay returns the recorded response, even an
// error.
func TestSend(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Answer", "42")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s for %s", r.Method, r.Header.Get("X-Question"))
	})
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	send := func(e access.Engine, method string) (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Question", "you")
		found, err := e.Do(t.Context(), &access.Request{Op: access.Send, URL: url.MustParse(s.URL + "/a"), Sys: r})
		if err != nil {
			return "", err
		}
		defer found.Body.Close()
		text, err := io.ReadAll(found.Body)
		resp := web.ReplyOf(found).Response
		return fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("X-Answer"), " ", string(text)), err
	}
	recorder := w.Record(s.engine)
	for _, method := range []string{"GET", "PATCH"} {
		if got, err := send(recorder, method); got != "418 42 "+method+" for you" || err != nil {
			t.Errorf("%s, recorded = %q, %v", method, got, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(records(t, s.root, "a.warc.gz")), "warcinfo response request response request"; got != want {
		t.Errorf("records: %s, want %s", got, want)
	}
	a := open(t, s.root, "a.warc.gz")
	if got, err := send(a, "GET"); got != "418 42 GET for you" || err != nil {
		t.Errorf("GET of the archive = %q, %v", got, err)
	}
	if got, err := send(a, "PATCH"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("PATCH of the archive = %q, %v, want errors.ErrUnsupported", got, err)
	}
}

// A request to a server that cannot be reached is not recorded.
func TestTransportFails(t *testing.T) {
	s := newSite(t, pages)
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	s.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := w.Transport(s.engine).RoundTrip(r); err == nil {
		resp.Body.Close()
		t.Error("no error")
	}
	w.Close()
	if got := kinds(records(t, s.root, "a.warc.gz")); got != "warcinfo" {
		t.Errorf("records: %s", got)
	}
}
