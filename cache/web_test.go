package cache_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"locus/cache"
)

// A site is a web server behind a Web, with a clock of the test.
type site struct {
	now    *clock
	answer func(r *http.Request) (*http.Response, error)
	asked  atomic.Int64
}

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	resp, err := s.answer(r)
	if err == nil {
		resp.Request = r
	}
	return resp, err
}

// says returns an answer with a header written as lines.
func says(status int, header, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: fmt.Sprint(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: headerOf(header), ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
}

func headerOf(lines string) http.Header {
	h := make(http.Header)
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name != "" {
			h.Add(name, value)
		}
	}
	return h
}

// always is a site that answers 200 with the header, and 304 if the tag matches.
func always(header string) func(r *http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		resp := says(200, header, "text")
		if tag := resp.Header.Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			return says(304, header, ""), nil
		}
		return resp, nil
	}
}

func newWeb(t *testing.T, answer func(*http.Request) (*http.Response, error)) (*cache.Web, *site) {
	t.Helper()
	now := new(clock)
	s := &site{now: now, answer: answer}
	return &cache.Web{Transport: s, Cache: &cache.Cache{Folder: folder(t, t.TempDir(), 0), Now: now.now}, Name: "us"}, s
}

// A told has the parts of a response that a test checks.
type told struct {
	status int
	header http.Header
	body   string
	err    error
}

// request returns a request: "GET http://h/x" and lines of its header.
func request(t *testing.T, text string) *http.Request {
	t.Helper()
	line, lines, _ := strings.Cut(text, "\n")
	method, target, _ := strings.Cut(line, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = headerOf(lines)
	return r
}

// send sends a request.
func send(t *testing.T, rt http.RoundTripper, text string) told {
	t.Helper()
	resp, err := rt.RoundTrip(request(t, text))
	if err != nil {
		return told{err: err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return told{resp.StatusCode, resp.Header, string(b), err}
}

// TestWebFresh sends two requests, and checks whether the stored response answers the
// second one (RFC 9111 §3, §4).
func TestWebFresh(t *testing.T) {
	// attack: A client sends a field that changes the response and is not in Vary | such a response is not stored
	dated := "Date: " + new(clock).http(0) + "\n"
	for _, test := range []struct {
		name          string
		status        int
		header        string
		first, second string // fields of the requests
		wait          time.Duration
		asked         int64
	}{
		{name: "max-age", header: "Cache-Control: max-age=60", wait: 59 * time.Second, asked: 1},
		{name: "and after it", header: "Cache-Control: max-age=60", wait: 61 * time.Second, asked: 2},
		{name: "s-maxage is ours", header: "Cache-Control: max-age=60, s-maxage=10", wait: 11 * time.Second, asked: 2},
		{name: "Expires", header: dated + "Expires: " + new(clock).http(-time.Minute), wait: 59 * time.Second, asked: 1},
		{name: "Expires that is no date", header: "Expires: 0", asked: 2},
		{name: "it is old already", header: "Cache-Control: max-age=60\nAge: 50", wait: 11 * time.Second, asked: 2},
		{name: "its date is", header: "Cache-Control: max-age=60\nDate: " + new(clock).http(50*time.Second), wait: 11 * time.Second, asked: 2},
		{name: "a tenth of its age", header: dated + "Last-Modified: " + new(clock).http(1000*time.Second), wait: 99 * time.Second, asked: 1},
		{name: "and after that", header: dated + "Last-Modified: " + new(clock).http(1000*time.Second), wait: 101 * time.Second, asked: 2},
		{name: "nothing is said", header: "X: y", asked: 2},
		{name: "no-store", header: "Cache-Control: no-store, max-age=60", asked: 2},
		{name: "private", header: "Cache-Control: private, max-age=60", asked: 2},
		{name: "no-cache", header: "Cache-Control: no-cache, max-age=60", asked: 2},
		{name: "Set-Cookie", header: "Cache-Control: max-age=60\nSet-Cookie: a=b", asked: 2},
		{name: "Vary: *", header: "Cache-Control: max-age=60\nVary: *", asked: 2},
		{name: "not found", status: 404, header: "Cache-Control: max-age=60", asked: 1},
		{name: "moved for good", status: 301, header: "Cache-Control: max-age=60", asked: 1},
		{name: "found", status: 302, header: "Location: /y", asked: 2},
		{name: "found, for a while", status: 302, header: "Location: /y\nCache-Control: max-age=60", asked: 1},
		{name: "not found, and changed long ago", status: 404, header: dated + "Last-Modified: " + new(clock).http(1000*time.Second), asked: 1},
		{name: "forbidden, and changed long ago", status: 403, header: dated + "Last-Modified: " + new(clock).http(1000*time.Second), asked: 2},
		{name: "a part", status: 206, header: "Cache-Control: max-age=60\nContent-Range: bytes 0-3/9", asked: 2},

		{name: "reload", header: "Cache-Control: max-age=60", second: "Cache-Control: no-cache", asked: 2},
		{name: "reload, as it was", header: "Cache-Control: max-age=60", second: "Pragma: no-cache", asked: 2},
		{name: "Pragma does not count", header: "Cache-Control: max-age=60", second: "Pragma: no-cache\nCache-Control: max-age=9", asked: 1},
		{name: "max-age=0", header: "Cache-Control: max-age=60", second: "Cache-Control: max-age=0", asked: 2},
		{name: "max-age of the request", header: "Cache-Control: max-age=60", second: "Cache-Control: max-age=5", wait: 6 * time.Second, asked: 2},
		{name: "min-fresh", header: "Cache-Control: max-age=60", second: "Cache-Control: min-fresh=30", wait: 31 * time.Second, asked: 2},
		{name: "max-stale", header: "Cache-Control: max-age=60", second: "Cache-Control: max-stale", wait: time.Hour, asked: 1},
		{name: "max-stale, bounded", header: "Cache-Control: max-age=60", second: "Cache-Control: max-stale=60", wait: 121 * time.Second, asked: 2},
		{name: "max-stale, but must-revalidate", header: "Cache-Control: max-age=60, must-revalidate", second: "Cache-Control: max-stale", wait: time.Hour, asked: 2},
		{name: "no-store of the request", header: "Cache-Control: max-age=60", first: "Cache-Control: no-store", asked: 2},
		{name: "only-if-cached", header: "Cache-Control: max-age=60", second: "Cache-Control: only-if-cached", asked: 1},

		{name: "asked with a password", header: "Cache-Control: max-age=60", first: "Authorization: Basic x", asked: 2},
		{name: "public", header: "Cache-Control: max-age=60, public", first: "Authorization: Basic x", asked: 1},
		{name: "public for a while", header: "Cache-Control: s-maxage=60", first: "Authorization: Basic x", asked: 1},
		{name: "asked with a cookie", header: "Cache-Control: max-age=60", first: "Cookie: a=b", asked: 2},
		{name: "for one with a password", header: "Cache-Control: max-age=60", second: "Authorization: Basic x", asked: 2},
		{name: "public, for one with a cookie", header: "Cache-Control: max-age=60, public", second: "Cookie: a=b", asked: 1},
		{name: "with a field that says another host", header: "Cache-Control: max-age=60", first: "X-Forwarded-Host: evil.example", asked: 2},
		{name: "from another origin", header: "Cache-Control: max-age=60", first: "Origin: http://evil.example", asked: 2},
		{name: "of a browser", header: "Cache-Control: max-age=60", first: "Sec-Fetch-Site: none\nUser-Agent: x\nReferer: http://h/", asked: 1},

		{name: "Vary, the same", header: "Cache-Control: max-age=60\nVary: Accept-Language, accept", first: "Accept: a,  b", second: "Accept: a, b", asked: 1},
		{name: "Vary, another", header: "Cache-Control: max-age=60\nVary: Accept", first: "Accept: a", second: "Accept: b", asked: 2},
		{name: "Vary, none", header: "Cache-Control: max-age=60\nVary: Accept", first: "Accept: a", asked: 2},
		{name: "Vary, something else differs", header: "Cache-Control: max-age=60\nVary: Accept", first: "User-Agent: a", second: "User-Agent: b", asked: 1},
	} {
		status := max(test.status, 200)
		w, s := newWeb(t, func(*http.Request) (*http.Response, error) { return says(status, test.header, "text"), nil })
		send(t, w, "GET http://h/x\n"+test.first)
		s.now.pass(test.wait)
		if fresh := w.HasFresh(request(t, "GET http://h/x\nProxy-Connection: keep-alive\n"+test.second)); fresh != (test.asked == 1) {
			t.Errorf("%s: HasFresh = %v", test.name, fresh)
		}
		got := send(t, w, "GET http://h/x\n"+test.second)
		if got.err != nil || got.status != status || got.body != "text" || s.asked.Load() != test.asked {
			t.Errorf("%s: %d, %q, %v, asked %d times, want %d", test.name, got.status, got.body, got.err, s.asked.Load(), test.asked)
		}
		if isHit := strings.Contains(got.header.Get("Cache-Status"), "us; hit"); isHit != (test.asked == 1) {
			t.Errorf("%s: Cache-Status %q", test.name, got.header.Values("Cache-Status"))
		}
		if got.header.Get("Age") == "" && test.asked == 1 {
			t.Errorf("%s: no Age", test.name)
		}
	}
}

// Conditions and ranges of a stored response are answered by the cache (RFC 9111 §4.3.2).
func TestWebConditions(t *testing.T) {
	then := new(clock).http(time.Hour)
	w, s := newWeb(t, always("Cache-Control: max-age=60\nETag: \"1\"\nLast-Modified: "+then+"\nContent-Type: text/x\nConnection: X-Hop\nX-Hop: 1"))
	send(t, w, "GET http://h/x")
	for _, test := range []struct {
		request string
		status  int
		body    string
		field   string // a header field of the answer
	}{
		{"GET http://h/x", 200, "text", "Content-Length: 4"},
		{"GET http://H:80/x", 200, "text", "Content-Type: text/x"},
		{"GET http://h/x#f", 200, "text", "X-Hop: "},
		{"HEAD http://h/x", 200, "", "Content-Length: 4"},
		{"GET http://h/x\nIf-None-Match: \"0\", W/\"1\"", 304, "", "Etag: \"1\""},
		{"GET http://h/x\nIf-None-Match: *", 304, "", "Content-Length: "},
		{"GET http://h/x\nIf-None-Match: \"2\"", 200, "text", ""},
		{"GET http://h/x\nIf-Modified-Since: " + then, 304, "", ""},
		{"GET http://h/x\nIf-Modified-Since: " + new(clock).http(2*time.Hour), 200, "text", ""},
		{"GET http://h/x\nIf-None-Match: \"2\"\nIf-Modified-Since: " + then, 200, "text", ""},
		{"GET http://h/x\nIf-Modified-Since: yesterday", 200, "text", ""},
		{"GET http://h/x\nRange: bytes=1-2", 206, "ex", "Content-Range: bytes 1-2/4"},
		{"GET http://h/x\nRange: bytes=1-", 206, "ext", "Content-Length: 3"},
		{"GET http://h/x\nRange: bytes=1-99", 206, "ext", "Content-Range: bytes 1-3/4"},
		{"GET http://h/x\nRange: bytes=-3", 206, "ext", "Content-Range: bytes 1-3/4"},
		{"GET http://h/x\nRange: bytes=-9", 206, "text", "Content-Range: bytes 0-3/4"},
		{"GET http://h/x\nRange: bytes=4-", 416, "", "Content-Range: bytes */4"},
		{"GET http://h/x\nRange: bytes=-0", 200, "text", ""},
		{"GET http://h/x\nRange: bytes=0-0,2-2", 200, "text", "Accept-Ranges: bytes"},
		{"GET http://h/x\nRange: lines=1-2", 200, "text", ""},
		{"HEAD http://h/x\nRange: bytes=1-2", 200, "", "Content-Length: 4"},
		{"GET http://h/x\nRange: bytes=1-2\nIf-Range: \"1\"", 206, "ex", ""},
		{"GET http://h/x\nRange: bytes=1-2\nIf-Range: W/\"1\"", 200, "text", ""},
		{"GET http://h/x\nRange: bytes=1-2\nIf-Range: \"2\"", 200, "text", ""},
		{"GET http://h/x\nRange: bytes=1-2\nIf-Range: " + then, 206, "ex", ""},
		{"GET http://h/x\nRange: bytes=1-2\nIf-None-Match: \"1\"", 304, "", ""},
	} {
		got := send(t, w, test.request)
		name, value, _ := strings.Cut(test.field, ": ")
		if got.err != nil || got.status != test.status || got.body != test.body || name != "" && got.header.Get(name) != value {
			t.Errorf("%q = %d, %q, %v, %v, want %d, %q, %s", test.request, got.status, got.body, got.header, got.err, test.status, test.body, test.field)
		}
	}
	if s.asked.Load() != 1 {
		t.Errorf("asked %d times", s.asked.Load())
	}
}

// A stale response is validated, and is fresh again with the fields of a 304 (RFC 9111
// §4.3.4).
func TestWebRevalidate(t *testing.T) {
	header := "Cache-Control: max-age=10\nETag: \"1\"\nX-Count: 1\nContent-Type: text/x"
	w, s := newWeb(t, nil)
	var heard http.Header
	s.answer = func(r *http.Request) (*http.Response, error) {
		heard = r.Header
		return always(header)(r)
	}
	send(t, w, "GET http://h/x")
	s.now.pass(time.Minute)
	header = "Cache-Control: max-age=100\nETag: \"1\"\nX-Count: 2\nContent-Type: text/y"
	got := send(t, w, "GET http://h/x\nIf-None-Match: \"0\"")
	if got.body != "text" || got.header.Get("X-Count") != "2" || got.header.Get("Content-Type") != "text/x" || got.header.Get("Age") != "0" ||
		heard.Get("If-None-Match") != `"1"` || !strings.Contains(got.header.Get("Cache-Status"), "fwd=stale") {
		t.Errorf("= %+v, heard %v", got, heard)
	}
	s.now.pass(99 * time.Second)
	if got := send(t, w, "GET http://h/x\nIf-None-Match: \"1\""); got.status != 304 || s.asked.Load() != 2 || got.header.Get("Age") != "99" {
		t.Errorf("99 s later = %+v, asked %d", got, s.asked.Load())
	}
	s.now.pass(time.Minute)
	if got := send(t, w, "GET http://h/x\nIf-None-Match: \"1\""); got.status != 304 || s.asked.Load() != 3 {
		t.Errorf("a conditional request for a stale response = %+v, asked %d times, want 304 and 3", got, s.asked.Load())
	}
	s.now.pass(time.Hour)
	header = "Cache-Control: max-age=100\nETag: \"2\""
	if got := send(t, w, "GET http://h/x"); got.body != "text" || got.header.Get("ETag") != `"2"` {
		t.Errorf("changed = %+v", got)
	}
	header = "Cache-Control: no-store"
	s.now.pass(time.Hour)
	send(t, w, "GET http://h/x")
	if got := send(t, w, "GET http://h/x\nCache-Control: only-if-cached, max-stale"); got.status != 504 {
		t.Errorf("no longer to be kept = %+v", got)
	}
}

// If a server fails or cannot be reached, a stale response is used if that is allowed
// (RFC 5861 §4).
func TestWebStale(t *testing.T) {
	unreachable := func(*http.Request) (*http.Response, error) { return nil, errors.New("no route to host") }
	status := func(n int) func(*http.Request) (*http.Response, error) {
		return func(*http.Request) (*http.Response, error) { return says(n, "", "failed"), nil }
	}
	for _, test := range []struct {
		name, rules string
		then        func(*http.Request) (*http.Response, error)
		wait        time.Duration
		want        string
	}{
		{"unreachable", "max-age=1", unreachable, time.Hour, "200 text"},
		{"for long", "max-age=1", unreachable, 25 * time.Hour, "0 "},
		{"failing", "max-age=1", status(503), time.Hour, "200 text"},
		{"failing for long", "max-age=1", status(503), 25 * time.Hour, "503 failed"},
		{"gone", "max-age=1", status(404), time.Hour, "404 failed"},
		{"must-revalidate", "max-age=1, must-revalidate", unreachable, time.Hour, "0 "},
		{"must-revalidate, failing", "max-age=1, must-revalidate", status(500), time.Hour, "500 failed"},
		{"no-cache", "no-cache, max-age=9", status(500), time.Hour, "500 failed"},
		{"as long as it says", "max-age=1, stale-if-error=60", unreachable, time.Hour, "0 "},
		{"and longer than we would", "max-age=1, stale-if-error=172800", unreachable, 25 * time.Hour, "200 text"},
		{"never", "max-age=1, stale-if-error=0", unreachable, 2 * time.Second, "0 "},
	} {
		w, s := newWeb(t, always("ETag: \"1\"\nCache-Control: "+test.rules))
		send(t, w, "GET http://h/x")
		s.now.pass(test.wait)
		s.answer = test.then
		got := send(t, w, "GET http://h/x")
		if fmt.Sprint(got.status, " ", got.body) != test.want {
			t.Errorf("%s: %d, %q, %v, want %s", test.name, got.status, got.body, got.err, test.want)
		}
		if got.status == 200 && got.header.Get("Age") != fmt.Sprint(int64(test.wait/time.Second)) {
			t.Errorf("%s: Age %s", test.name, got.header.Get("Age"))
		}
	}
}

// Responses that vary are stored side by side. A later Vary may name more fields.
func TestWebVary(t *testing.T) {
	vary := "Accept"
	w, s := newWeb(t, nil)
	s.answer = func(r *http.Request) (*http.Response, error) {
		return says(200, "Cache-Control: max-age=60\nVary: "+vary, r.Header.Get("Accept")+r.Header.Get("Accept-Language")), nil
	}
	for i, test := range []struct {
		vary, accept, language string
		asked                  int64
	}{
		{"Accept", "a", "de", 1},
		{"Accept", "b", "de", 2},
		{"Accept", "a", "de", 2},
		{"Accept", "b", "de", 2},
		{"Accept-Language", "c", "en", 3}, // from now on the responses vary by both fields
		{"Accept", "a", "de", 4},
		{"Accept", "a", "en", 5},
		{"Accept", "a", "de", 5},
		{"Accept", "c", "en", 5},
	} {
		vary = test.vary
		got := send(t, w, "GET http://h/x\nAccept: "+test.accept+"\nAccept-Language: "+test.language)
		if got.body != test.accept+test.language || s.asked.Load() != test.asked {
			t.Errorf("%d: %s, asked %d times, want %d", i, got.body, s.asked.Load(), test.asked)
		}
	}
}

// Equal requests at once share one fetch. Requests that may get another response do not.
func TestWebTogether(t *testing.T) {
	for _, test := range []struct {
		header string
		other  func(i int) string // fields of the request i
		asked  int64
	}{
		{"Cache-Control: max-age=60", func(int) string { return "" }, 1},
		{"Cache-Control: max-age=60\nVary: Accept", func(i int) string { return fmt.Sprint("Accept: ", i%2) }, 2},
		{"Cache-Control: no-store", func(int) string { return "" }, 8},
		{"Cache-Control: max-age=60", func(i int) string { return fmt.Sprint("Authorization: ", i) }, 8},
	} {
		synctest.Test(t, func(t *testing.T) {
			gate := make(chan bool)
			w, s := newWeb(t, func(r *http.Request) (*http.Response, error) {
				<-gate
				return says(200, test.header, "text"+r.Header.Get("Authorization")+r.Header.Get("Accept")), nil
			})
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					fields := test.other(i)
					_, want, _ := strings.Cut(fields, ": ")
					if got := send(t, w, "GET http://h/x\n"+fields); got.body != "text"+want {
						t.Errorf("%s, %s: %+v", test.header, fields, got)
					}
				})
			}
			synctest.Wait()
			close(gate)
			all.Wait()
			if s.asked.Load() != test.asked {
				t.Errorf("%s: asked %d times, want %d", test.header, s.asked.Load(), test.asked)
			}
		})
	}
}

// A client that has all bytes, but has not seen the end, may ask again at once. It joins
// the pending fetch or finds the resource that the fetch has stored.
func TestWebAtOnce(t *testing.T) {
	const many = 500
	w, s := newWeb(t, always("Cache-Control: max-age=60"))
	for i := range many {
		target := fmt.Sprintf("GET http://h/%d", i)
		resp, err := w.RoundTrip(request(t, target))
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len("text"))); err != nil {
			t.Fatalf("reading the start of response %d: %v", i, err)
		}
		var rest sync.WaitGroup
		rest.Go(func() { io.Copy(io.Discard, resp.Body); resp.Body.Close() })
		send(t, w, target)
		rest.Wait()
	}
	if s.asked.Load() != many {
		t.Errorf("asked %d times for %d", s.asked.Load(), many)
	}
}

// A response that breaks off is an error, and is not stored.
func TestWebBroken(t *testing.T) {
	w, s := newWeb(t, func(*http.Request) (*http.Response, error) {
		resp := says(200, "Cache-Control: max-age=60", "text")
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("te"), iotest.ErrReader(io.ErrUnexpectedEOF)))
		return resp, nil
	})
	for i := range int64(2) {
		if got := send(t, w, "GET http://h/x"); !errors.Is(got.err, io.ErrUnexpectedEOF) || s.asked.Load() != i+1 {
			t.Errorf("GET %d = %+v, and the server was asked %d times; want %v, and %d times", i, got, s.asked.Load(), io.ErrUnexpectedEOF, i+1)
		}
	}
}

// Forwarded requests and responses are unchanged, and no request field is in the folder.
func TestWebPasses(t *testing.T) {
	dir := t.TempDir()
	now := new(clock)
	s := &site{now: now}
	w := &cache.Web{Transport: s, Cache: &cache.Cache{Folder: folder(t, dir, 0), Now: now.now}}
	for _, request := range []string{
		"GET http://h/x\nRange: bytes=1-2", "GET http://h/x\nIf-Match: \"1\"", "GET http://h/x\nIf-None-Match: \"1\"", "HEAD http://h/x",
		"GET http://h/x\nUpgrade: echo\nConnection: Upgrade", "GET http://h/x\nX-Own: 1", "GET http://u:p@h/x",
	} {
		var heard http.Header
		s.answer = func(r *http.Request) (*http.Response, error) {
			heard = r.Header
			return says(418, "Cache-Control: max-age=60\nX: y", ""), nil
		}
		_, lines, _ := strings.Cut(request, "\n")
		got := send(t, w, request)
		if fmt.Sprint(heard) != fmt.Sprint(headerOf(lines)) || got.status != 418 || len(got.header) != 2 {
			t.Errorf("%q arrives as %v, and is %+v", request, heard, got)
		}
	}
	s.answer = always("Cache-Control: max-age=60, public\nVary: Cookie, Authorization")
	send(t, w, "GET http://h/y\nCookie: sesame=open\nAuthorization: Basic sesame")
	found := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found++
		if strings.Contains(string(b), "sesame") {
			t.Errorf("%s has %q", path, b)
		}
		return err
	})
	if err != nil || found != 2 {
		t.Errorf("%d files are stored, %v", found, err)
	}
	none := &cache.Web{Transport: s}
	if got := send(t, none, "GET http://h/y"); got.status != 200 {
		t.Errorf("without a cache = %+v", got)
	}
}

// The next process finds a stored response with its header.
func TestWebAgain(t *testing.T) {
	dir := t.TempDir()
	now := new(clock)
	s := &site{now: now, answer: always("Cache-Control: max-age=60\nVary: Accept\nX: y\nX-Long: " + strings.Repeat("x", 3000))}
	for range 3 {
		w := &cache.Web{Transport: s, Cache: &cache.Cache{Folder: folder(t, dir, 0), Now: now.now}}
		if got := send(t, w, "GET http://h/x\nAccept: a"); got.body != "text" || got.header.Get("X") != "y" {
			t.Errorf("= %+v", got)
		}
	}
	if s.asked.Load() != 1 {
		t.Errorf("asked %d times", s.asked.Load())
	}
}

// Trailers that were not announced arrive after other readers have got the header.
func TestWebTrailerLate(t *testing.T) {
	const many = 8
	gate := make(chan bool)
	w, _ := newWeb(t, func(*http.Request) (*http.Response, error) {
		resp := says(200, "Cache-Control: max-age=60", "text")
		resp.ContentLength = -1
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, readerFunc(func([]byte) (int, error) {
			<-gate
			resp.Trailer = headerOf("X: y")
			return 0, io.EOF
		})))
		return resp, nil
	})
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			resp, err := w.RoundTrip(request(t, "GET http://h/x"))
			if err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			if i == many-1 {
				close(gate)
			}
			if got, err := io.ReadAll(resp.Body); string(got) != "text" || err != nil || resp.Trailer != nil {
				t.Errorf("GET %d reads %q, %v with the trailer %v, want \"text\" without one", i, got, err, resp.Trailer)
			}
		})
	}
	all.Wait()
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// If a server varies by more and more fields, the cache uses only some of them.
func TestWebVaryMuch(t *testing.T) {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprint("X-", i)
	}
	dir := t.TempDir()
	s := &site{now: new(clock)}
	w := &cache.Web{Transport: s, Cache: &cache.Cache{Folder: folder(t, dir, 0), Now: s.now.now}}
	for i, vary := range append(names, strings.Join(names, ", ")) {
		s.answer = always("Cache-Control: max-age=60\nVary: " + vary)
		send(t, w, fmt.Sprintf("GET http://h/x\nAccept: %d\nCache-Control: no-cache", i))
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if n := strings.Count(string(b), `"X-`); n > 32 {
			t.Errorf("a stored Vary has %d fields", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
