package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/limit"
	"locus/url"
)

// record answers a request without a network, so that it may be one that no client sends.
func record(g *gateway.Gateway, method, target, fields, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost/", strings.NewReader(body))
	r.Host, r.RequestURI = "localhost", target
	if at, err := neturl.Parse(target); err == nil {
		r.URL = at
	}
	for field := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSpace(field), ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

// between returns the text of a page between two marks.
func between(page, start, end string) string {
	_, rest, _ := strings.Cut(page, start)
	text, _, _ := strings.Cut(rest, end)
	return html.UnescapeString(text)
}

// A refused request gets a page with a status, a sentence and a hint. The hint is empty where the
// sentence says everything.
func TestRefusals(t *testing.T) {
	many := func(n int) []access.Entry {
		entries := make([]access.Entry, n)
		for i := range entries {
			name := fmt.Sprint("f", i)
			entries[i] = access.Entry{Title: name, URL: url.MustParse("ftp://h/many/" + name), Kind: access.Object, Size: 1}
		}
		return entries
	}
	site := resources{
		"ftp://h/f":      content("application/x", "12345"),
		"ftp://h/many/":  menu(io.EOF, many(10_001)...),
		"ftp://h/large/": menu(io.EOF, access.Entry{Title: "x", URL: url.MustParse("ftp://h/large/x"), Kind: access.Object, Size: 6}),
		"ftp://h/long/": menu(io.EOF, access.Entry{
			Title: strings.Repeat("x", 17<<20), URL: url.MustParse("ftp://h/long/x"), Kind: access.Object, Size: 1,
		}),
		"gopher://h/1": menu(io.EOF, entry(access.Object, "one", "gopher://h/0one"), entry(access.Object, "two", "gopher://h/0two")),
	}
	g := func() *gateway.Gateway { return &gateway.Gateway{Engine: site, MaxSize: 4, MaxArchive: 5} }
	short := func() *gateway.Gateway {
		var entries []access.Entry
		for i := range 200 {
			entries = append(entries, entry(access.Object, fmt.Sprint(i), fmt.Sprintf("gopher://h/0%d", i)))
		}
		return &gateway.Gateway{Engine: resources{"gopher://h/1": menu(io.EOF, entries...)}, MaxEntries: 1}
	}
	form := func() *gateway.Gateway {
		return &gateway.Gateway{Engine: asking{got: new([]string), questions: access.Questions{Items: []access.Question{{Name: "n"}}}}}
	}
	// within is a gateway whose Engine asks the gateway itself, so that two requests are at once.
	within := func(edit func(*gateway.Gateway)) *gateway.Gateway {
		outer := &gateway.Gateway{}
		edit(outer)
		outer.Engine = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			w := record(outer, "GET", "/-/schemes", "", "")
			return nil, &access.Error{Op: "open", URL: req.URL, Err: errors.New("inner:" + fmt.Sprint(w.Code) + between(w.Body.String(), "<h1>", "</h1>") + "|" + between(w.Body.String(), `<p class="hint">`, "</p>"))}
		})
		return outer
	}
	busy := func() *gateway.Gateway {
		return &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return nil, engine.Fail("open", req.URL, limit.ErrServer)
		})}
	}
	tunnels := func() *gateway.Gateway {
		return &gateway.Gateway{Tunnel: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("it dials") }}
	}
	const socket = "Upgrade: websocket\nConnection: Upgrade\n"
	encoded := "Content-Type: application/x-www-form-urlencoded"
	seen := map[string]bool{}
	for _, test := range []struct {
		gateway        func() *gateway.Gateway
		method, target string
		fields, body   string
		status         int
		sentence, hint string
	}{
		// URLs and methods
		{g, "GET", "/-/raw?url=f", "", "", 400, "The path is not a complete URL.", "A URL starts with its scheme: /ftp://ftp.example.org/."},
		{g, "GET", "/ftp:/h/f", "", "", 400, "The URL has one slash before its host, not two.", "If a server before the gateway merges slashes, type the URL into the field above."},
		{g, "GET", "/-/nothing", "", "", 404, "The gateway does not have this page.", "The front page is at /."},
		{g, "PUT", "/-/schemes", "", "", 405, "This page does not accept that method.", ""},
		{g, "DELETE", "/ftp://h/f", "", "", 405, "This page does not accept that method.", ""},
		{g, "GET", "/ftp://h/f", "", "", 502, "The resource is larger than this gateway passes on.", ""},
		{g, "GET", "/-/search?url=ftp://h/f&words=x", "", "", 404, "This URL does not support a search.", ""},
		{g, "GET", "/-/compare?url=" + strings.Repeat("x", 8193), "", "", 414, "The text is longer than this page compares.", "It compares at most 8192 bytes."},

		// pages of other sites
		{g, "GET", "/", "Host: evil.example", "", 421, "The gateway does not answer for this host name.", "Use an IP address of the gateway, such as 127.0.0.1 on the same machine, or restart it with locus serve --name HOST."},
		{g, "GET", "/", "Sec-Fetch-Site: cross-site", "", 403, "Pages of other sites may link to the gateway, but may not load parts of it.", ""},
		{g, "GET", "/ftp://h/f", "Sec-Fetch-Site: same-origin\nSec-Fetch-Dest: script", "", 403, "Scripts of other servers do not run here.", ""},
		{g, "POST", "/ftp://h/f", "Sec-Fetch-Site: cross-site", "", 403, "Forms on pages of other sites are not accepted.", ""},

		// proxies and tunnels
		{g, "GET", "/ftp://h/f", "Via: 1.1 locus", "", 508, "This request has passed the gateway before.", "The gateway forwards to itself, perhaps through another gateway."},
		{g, "CONNECT", "h.example:443", "", "", 403, "This gateway does not allow tunnels.", ""},
		{tunnels, "CONNECT", "h.example:25", "", "", 403, "This gateway does not allow tunnels to that port.", ""},

		// forms
		{form, "POST", "/gopher://h/0ask", "Content-Type: text/plain", "q0=x", 400, "The answers do not match the form.", "Go back and fill it in again."},
		{form, "POST", "/gopher://h/0ask", encoded, "q0=" + strings.Repeat("x", 1<<20), 413, "The answers are too long: more than 1 MiB, or 32 MiB with files.", "Go back and shorten them."},

		// news
		{g, "GET", "/-/newsserver?url=news:comp.lang.c&server=u@h", "", "", 400, "This is not the name of a news server.", "Write it like news.example.org or news.example.org:119."},

		// sessions
		{g, "GET", "/-/session?url=ftp://h/f", "", "", 404, "This URL does not name an interactive session.", ""},
		{g, "GET", "/-/session?url=telnet://h/", "", "", 426, "An interactive session needs a WebSocket.", ""},
		{g, "GET", "/-/session?url=telnet://h/", socket + "Origin: http://evil.example", "", 403, "Pages of other sites may not open a session.", ""},

		// mounted folders
		{g, "PUT", "/-/dav/ftp://h/f", "", "", 405, "Folders that are mounted here are read-only.", ""},
		{g, "PROPFIND", "/-/dav/ftp://h/many/", "", "", 403, "The gateway does not list a whole tree at once.", "Ask for each folder: Depth: 0 or Depth: 1."},
		{g, "PROPFIND", "/-/dav/ftp://h/many/", "Depth: 1", "<x/>", 400, "The body of the request is not the XML of a PROPFIND.", ""},
		{g, "PROPFIND", "/-/dav/telnet://h/", "Depth: 1", "", 501, "This URL does not have a listing to mount.", "Mount a URL that has a listing, such as one of ftp, http or gopher."},
		{g, "GET", "/-/dav/gopher://h/1", "", "", 501, "The names of this listing are not parts of its URL.", "To mount it, add /-/ to the address: /-/dav/gopher://example.org/1/-/."},
		{g, "GET", "/-/dav/gopher://h/1/-/" + strings.Repeat("a/", 17), "", "", 404, "The gateway mounts folders only 16 levels deep.", ""},
		{short, "GET", "/-/dav/gopher://h/1/-/nothing", "", "", 507, "The folder has too many entries to mount.", "Open its page instead."},

		// archives
		{g, "GET", "/-/archive?format=rar&url=ftp://h/many/", "", "", 404, "The gateway does not have this page.", "The front page is at /."},
		{g, "GET", "/-/archive?format=zip&url=ftp://h/large/", "", "", 502, "The folder is larger than this gateway puts into one archive.", "Download its folders one by one."},
		{g, "GET", "/-/archive?format=zip&url=ftp://h/many/", "", "", 502, "The folder has more than 10,000 files.", "Download its folders one by one."},
		{g, "GET", "/-/archive?format=zip&url=ftp://h/long/", "", "", 502, "The names in the folder are too long.", "Download its folders one by one."},

		// limits
		{busy, "GET", "/ftp://h/f", "", "", 503, "The gateway sends too many requests to that server at once.", "Try again in a moment."},
		{func() *gateway.Gateway { return within(func(g *gateway.Gateway) { g.MaxRequests = 1 }) }, "GET", "/ftp://h/f", "", "", 503, "The gateway is busy.", "Try again in a moment."},
		{func() *gateway.Gateway { return within(func(g *gateway.Gateway) { g.MaxPerClient = 1 }) }, "GET", "/ftp://h/f", "", "", 429, "You have too many requests at once.", "Wait until some have ended."},
	} {
		seen[test.sentence] = true
		w := record(test.gateway(), test.method, test.target, test.fields, test.body)
		body := w.Body.String()
		status, sentence, hint := w.Code, between(body, "<h1>", "</h1>"), between(body, `<p class="hint">`, "</p>")
		if inner := between(body, "inner:", "<"); inner != "" { // see within
			_, err := fmt.Sscan(inner[:3], &status)
			sentence, hint, _ = strings.Cut(inner[3:], "|")
			if err != nil {
				t.Fatalf("%s %.60s: no status in %q: %v", test.method, test.target, inner, err)
			}
		}
		if status != test.status || sentence != test.sentence || hint != test.hint {
			t.Errorf("%s %.60s with %q = %d %q, hint %q, want %d %q, hint %q", test.method, test.target, test.fields, status, sentence, hint, test.status, test.sentence, test.hint)
		}
	}
	for _, text := range refusals(t) {
		if sentence := strings.ToUpper(text[:1]) + text[1:] + "."; !seen[sentence] && !elsewhere[text] {
			t.Errorf("no request gets the refusal %q", text)
		}
	}
}

// elsewhere has the refusals that other tests check.
var elsewhere = map[string]bool{
	"you have too many sessions at once": true, // TestSessionsAtOnce: it is sent over the WebSocket
}

// refusals returns the texts of all refusals in the source of the gateway.
func refusals(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	inner, err2 := filepath.Glob("internal/*/*.go")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	call := regexp.MustCompile(`(?:refuse\.)?New\(http\.Status\w+, "([^"]+)"`)
	var texts []string
	for _, file := range append(files, inner...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range call.FindAllStringSubmatch(string(source), -1) {
			texts = append(texts, found[1])
		}
	}
	if len(texts) < 30 {
		t.Fatalf("the source has %d refusals, want at least 30", len(texts))
	}
	return texts
}

// An error of the Engine gets a page with a status, a sentence and a hint.
func TestErrorPages(t *testing.T) {
	for _, test := range []struct {
		err            error
		status         int
		sentence, hint string
		wait           string // Retry-After
	}{
		{fs.ErrNotExist, 404, "“f” was not found at h.", "It may have moved: look in the folder above.", ""},
		{fs.ErrPermission, 403, "You do not have permission to open “f” at h.", "", ""},
		{fs.ErrInvalid, 400, "“f” is not a valid file name.", "", ""},
		{access.ErrNoScheme, 501, "This gateway cannot open “ftp” URLs.", "", ""},
		{errors.ErrUnsupported, 501, "This gateway cannot open “f”.", "", ""},
		{access.ErrTooLong, 502, "h sent more than this gateway accepts.", "", ""},
		{io.ErrUnexpectedEOF, 502, "h stopped before it had sent everything.", "Try again later.", ""},
		{access.ErrBusy, 503, "h is busy.", "Try again later.", "5"},
		{access.ErrTemporary, 503, "h cannot answer now.", "Try again later.", "5"},
		{access.ErrProtocol, 502, "h does not answer as a server for “ftp” URLs.", "", ""},
		{access.ErrLoop, 508, "This URL leads back to this gateway.", "", ""},
		{context.DeadlineExceeded, 504, "h did not answer in time.", "Try again later.", ""},
		{&engine.Refusal{Reply: access.Reply{Code: 429, Text: "slow down"}, HTTPStatus: 429, RetryAfter: 90 * time.Second}, 429, "h refused: too many requests.", "", "90"},
		{&engine.Refusal{Reply: access.Reply{Code: 410, Text: "gone"}, HTTPStatus: 410}, 410, "h refused: gone.", "", ""},
		{access.WithRemedy(fs.ErrPermission, access.Advice("ask <ada>")), 403, "You do not have permission to open “f” at h.", "Ask <ada>.", ""},
		{errors.New("odd"), 502, "“f” could not be opened.", "", ""},
	} {
		w := record(&gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return nil, engine.Fail("open", req.URL, test.err)
		})}, "GET", "/ftp://h/d/f", "", "")
		body := w.Body.String()
		sentence, hint := between(body, "<h1>", "</h1>"), between(body, `<p class="hint">`, "</p>")
		if w.Code != test.status || sentence != test.sentence || hint != test.hint || w.Header().Get("Retry-After") != test.wait {
			t.Errorf("%v: %d %q, hint %q, Retry-After %q, want %d %q, hint %q, %q", test.err, w.Code, sentence, hint, w.Header().Get("Retry-After"), test.status, test.sentence, test.hint, test.wait)
		}
		if control := w.Header().Get("Cache-Control"); control != "no-store" || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%v: the page has Cache-Control %q and the policy %q", test.err, control, w.Header().Get("Content-Security-Policy"))
		}
		if status := between(body, "<dt>Status</dt><dd>", "</dd>"); status != fmt.Sprint(test.status, " ", http.StatusText(test.status)) {
			t.Errorf("%v: the page shows the status %q, want %d", test.err, status, test.status)
		}
	}
}
