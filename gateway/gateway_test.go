package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/url"
)

// A resources is an Engine that has the resources of a test by their URLs.
type resources map[string]func(*access.Request) (*access.Resource, error)

func (s resources) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, engine.Unsupported(req)
	}
	open, ok := s[req.URL.String()]
	if !ok {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist, Remedy: access.Advice("look elsewhere")}
	}
	return open(req)
}

// content returns a function that opens as content from the requested offset.
func content(mediaType, content string) func(*access.Request) (*access.Resource, error) {
	return func(req *access.Request) (*access.Resource, error) {
		return &access.Resource{
			Entry:  access.Entry{URL: req.URL, Type: mediaType, Size: int64(len(content)), ModTime: time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)},
			Offset: req.Offset, ETag: `"1"`,
			Body: io.NopCloser(strings.NewReader(content[req.Offset:])),
		}, nil
	}
}

// cut returns a function that opens as content that breaks off at its end.
func cut(content string) func(*access.Request) (*access.Resource, error) {
	return cutAs("text/plain", content)
}

// cutAs is like cut, but the content has a media type.
func cutAs(mediaType, content string) func(*access.Request) (*access.Resource, error) {
	return func(req *access.Request) (*access.Resource, error) {
		body := io.MultiReader(strings.NewReader(content), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: mediaType, Size: -1}, Body: io.NopCloser(body)}, nil
	}
}

// menu returns a function that opens as a listing that ends with end.
func menu(end error, entries ...access.Entry) func(*access.Request) (*access.Resource, error) {
	return func(req *access.Request) (*access.Resource, error) {
		l := &list{entries: entries, end: end}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
	}
}

type list struct {
	entries []access.Entry
	end     error
}

func (l *list) Next() (access.Entry, error) {
	if len(l.entries) == 0 {
		return access.Entry{}, l.end
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

func (*list) Read([]byte) (int, error) { return 0, io.EOF }
func (*list) Close() error             { return nil }

func entry(kind access.Kind, title, target string) access.Entry {
	e := access.Entry{Title: title, Kind: kind, Size: -1}
	if target != "" {
		e.URL = url.MustParse(target)
	}
	return e
}

// isHere reports whether a URL is at a server of the tests. Their hosts are "h", "h2" and "".
func isHere(u url.URL) bool {
	host, _ := u.Host()
	return host == "" || host == "h" || host == "h2"
}

// serve starts a gateway. It returns a function that sends it a request; a field is
// "Name: value".
func serve(t *testing.T, g *gateway.Gateway) func(method, path string, fields ...string) (*http.Response, string, error) {
	t.Helper()
	if g.Harmless == nil {
		g.Harmless = isHere
	}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(method, path string, fields ...string) (*http.Response, string, error) {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Opaque = path // unchanged
		for _, f := range fields {
			name, value, ok := strings.Cut(f, ": ")
			if !ok {
				continue
			}
			req.Header.Set(name, value)
			if name == "Host" {
				req.Host = value
			}
		}
		resp, err := client.Do(req)
		if err != nil {
			return &http.Response{}, "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return resp, string(body), err
	}
}

func testResources() resources {
	return resources{
		"ftp://h/pub/a%2Fb;type=i": content("", "some text"),
		"ftp://h//x":               content("text/plain", "two slashes"),
		"http://h/?a=b&c=%20":      content("text/html", "<p>query"),
		"gopher://h/9zip":          content("application/zip", "PK\x03\x04\x00"),
		"gopher://h/cut":           cut("half of"),
		"gopher://h/1": menu(io.EOF,
			entry(access.Info, "  Welcome <b>", ""),
			entry(access.Object, "A text", "gopher://h/0text%09%3F"),
			entry(access.Search, "Find", "gopher://h/7find"),
			entry(access.Object, "dots", "gopher://h/0/../x"),
			entry(access.Failure, "gone", ""),
		),
		"ftp://h/":       menu(io.EOF, access.Entry{Title: "b.txt", URL: url.MustParse("ftp://h/b.txt"), Size: 2048}, access.Entry{Title: "a", URL: url.MustParse("ftp://h/a"), Size: 4096}),
		"ftp://h/broken": menu(io.ErrUnexpectedEOF, entry(access.Object, "only", "ftp://h/only")),
		"ftp://u@h/": func(*access.Request) (*access.Resource, error) {
			return nil, access.ErrPassword
		},
	}
}

func TestServe(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: testResources(), FrontLinks: []gateway.FrontLink{{Title: "Here", URL: url.MustParse("ftp://h/")}}})
	for _, test := range []struct {
		path   string
		fields string // "Name: value"
		status int
		header string // "Name: value" that the answer has
		want   string // in the answer
	}{
		{"/", "", 200, "Content-Type: text/html; charset=utf-8", `href="/ftp://h/"`},
		{"/ftp://h/pub/a%2Fb;type=i", "", 200, "Content-Type: text/plain; charset=utf-8", "some text"},
		{"/ftp://h/pub/a%2Fb;type=i", "Range: bytes=5-", 206, "Content-Range: bytes 5-8/9", "text"},
		{"/ftp://h/pub/a%2Fb;type=i", "Range: bytes=0-3", 206, "Content-Length: 4", "some"},
		{"/ftp://h/pub/a%2Fb;type=i", "", 200, "Last-Modified: Thu, 01 Dec 1994 00:00:00 GMT", ""},
		{"/ftp://h//x", "", 200, "X-Content-Type-Options: nosniff", "two slashes"},
		{"/http://h/?a=b&c=%20", "", 200, "Content-Type: text/html", "<p>query"},
		{"/gopher://h/9zip", "", 200, "Content-Disposition: attachment; filename=9zip", "PK"},
		{"/gopher://h/1", "", 200, "", `<li class="info">  Welcome &lt;b&gt;</li>`},
		{"/gopher://h/1", "", 200, "", `href="/gopher://h/0text%09%3F"`},
		{"/gopher://h/1", "", 200, "", `name="url" value="gopher://h/7find"`},
		{"/gopher://h/1", "", 200, "", `href="/-/open?url=gopher%3A%2F%2Fh%2F0%2F..%2Fx"`},
		{"/gopher://h/1", "Accept: text/uri-list", 200, "Content-Type: text/uri-list", "gopher://h/7find\r\n"},
		{"/ftp://h/", "", 200, "", `<data value="2048">2.0 kB</data>`},
		{"/ftp://h/", "Accept: application/json", 200, "Content-Type: application/json", `,{"title":"a"`},
		{"/-/list?sort=name&url=ftp://h/", "", 200, "", `aria-sort="ascending"`},
		{"/-/open?url=%20%3CURL:ftp://h/x%3E", "", 303, "Location: /ftp://h/x", ""},
		{"/-/open?url=gopher.example.org", "", 303, "Location: /gopher://gopher.example.org", ""},
		{"/-/open?url=example.org/x", "", 303, "Location: /https://example.org/x", ""},
		{"/-/open?url=two%20words", "", 400, "", "is not a complete URL"},
		{"/-/style.css", "", 200, "Content-Type: text/css; charset=utf-8", "color-scheme"},
		{"/-/schemes", "", 200, "", "prospero"},
		{"/-/none", "", 404, "", "does not have this page"},
		{"/nothing", "", 400, "", "not a complete URL"},
		{"/ftp://h/none", "", 404, "Cache-Control: no-store", "Look elsewhere."},
		{"/ftp://u@h/", "", 401, `WWW-Authenticate: Basic realm="ftp%20u@h", charset="UTF-8"`, ""},
		{"/", "Host: evil.example", 421, "", "does not answer for this host name"},
		{"/", "Sec-Fetch-Site: cross-site", 403, "", "but may not load parts of it"},
	} {
		resp, body, err := get("GET", test.path, strings.Split(test.fields, "\n")...)
		if err != nil {
			t.Errorf("GET %s: %v", test.path, err)
		}
		name, value, _ := strings.Cut(test.header, ": ")
		if resp.StatusCode != test.status || test.header != "" && resp.Header.Get(name) != value || !strings.Contains(body, test.want) {
			t.Errorf("GET %s (%s) = %d, %s: %q, %s\nwant %d, %q, %q", test.path, test.fields,
				resp.StatusCode, name, resp.Header.Get(name), body, test.status, value, test.want)
		}
	}
}

// If a resource breaks off, the client sees that the response is incomplete.
func TestBroken(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: testResources()})
	for _, path := range []string{"/gopher://h/cut", "/ftp://h/broken"} {
		resp, body, err := get("GET", path)
		if err == nil {
			t.Errorf("GET %s = %d, %q, %v, want an answer that breaks off", path, resp.StatusCode, body, err)
		}
	}
}

func TestMethods(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: testResources()})
	resp, body, err := get("HEAD", "/ftp://h/pub/a%2Fb;type=i")
	if err != nil || resp.StatusCode != 200 || resp.ContentLength != 9 || body != "" {
		t.Errorf("HEAD = %d, %d bytes, %q, %v, want 200, 9", resp.StatusCode, resp.ContentLength, body, err)
	}
	if resp, _, _ := get("PUT", "/ftp://h/x"); resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") == "" {
		t.Errorf("PUT = %d, Allow %q", resp.StatusCode, resp.Header.Get("Allow"))
	}
	if resp, _, _ := get("POST", "/ftp://h/x", "Origin: http://evil.example"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("POST from another site = %d, want 403", resp.StatusCode)
	}
}

func TestMaxSize(t *testing.T) {
	// attack: A server sends without end, or a byte a minute
	// attack: A resource has no end | it is aborted after `MaxSize`
	get := serve(t, &gateway.Gateway{MaxSize: 8, Engine: resources{
		"x:fits":  content("text/plain", "12345678"),
		"x:large": content("text/plain", "123456789"),
		"x:endless": func(req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: endless{}}, nil
		},
	}})
	if resp, body, err := get("GET", "/x:fits"); err != nil || body != "12345678" {
		t.Errorf("8 bytes = %d, %q, %v", resp.StatusCode, body, err)
	}
	if resp, _, _ := get("GET", "/x:large"); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("9 bytes = %d, want 502", resp.StatusCode)
	}
	if _, body, err := get("GET", "/x:endless"); err == nil || len(body) > 9 {
		t.Errorf("endless bytes = %d of them, %v, want an answer that breaks off", len(body), err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
func (endless) Close() error { return nil }

// A page has at most MaxEntries entries, and links to the next page if the listing has more.
func TestMaxEntries(t *testing.T) {
	for _, test := range []struct {
		most, entries, want int
	}{
		{300, 1000, 300},
		{300, 301, 300},
		{300, 300, 300},
		{256, 1000, 256},
		{100, 1000, 100},
		{100, 100, 100},
		{1, 2, 1},
		{0, 300, 300},
	} {
		var many []access.Entry
		for i := range test.entries {
			many = append(many, entry(access.Object, fmt.Sprintf("entry %04d", i), fmt.Sprint("x:", i)))
		}
		get := serve(t, &gateway.Gateway{MaxEntries: test.most, Engine: resources{"x:many": menu(io.EOF, many...)}})
		for _, path := range []string{"/x:many", "/-/list?sort=name&url=x:many"} {
			_, body, err := get("GET", path)
			if n := strings.Count(body, `<li class="object`); err != nil || n != test.want || strings.Contains(body, `rel="next"`) != (test.entries > test.want) {
				t.Errorf("%s: of %d entries a page of at most %d has %d, %v, want %d, and a next page if there are more", path, test.entries, test.most, n, err, test.want)
			}
			if strings.Count(body, "</html>") != 1 || strings.Count(body, "<footer>") != 1 || strings.Count(body, "</ul>") != 1 {
				t.Errorf("%s: of %d entries the page of at most %d ends so: %s", path, test.entries, test.most, body[max(0, len(body)-600):])
			}
		}
	}
}

// Every link has a visible title.
func TestTitlesShow(t *testing.T) {
	for _, test := range []struct{ title, url, want string }{
		{"", "x://h/name", "name"},
		{" ", "x://h/name", "name"},
		{"\u200b\u2060", "x://h/name", "name"},
		{"\u3164\u00ad\ufeff", "x://h/name", "name"},
		{"\u2800", "x://h/%E2%80%8B", "x://h/%E2%80%8B"},
		{" ", "x://h/%20", "x://h/%20"},
		{"", "x://h/%E2%80%AEtxt%1B", "\ufffdtxt\u241b"},
		{"\u200bname", "x://h/y", "\u200bname"},
		{"-", "x://h/y", "-"},
		{"\u0301", "x://h/y", "\u0301"},
	} {
		get := serve(t, &gateway.Gateway{Engine: resources{"x:menu": menu(io.EOF, entry(access.Object, test.title, test.url))}})
		_, body, err := get("GET", "/x:menu")
		_, after, _ := strings.Cut(body, `<li class="object d0">`)
		_, after, _ = strings.Cut(after, ">")
		if got, _, _ := strings.Cut(after, "</a>"); err != nil || got != test.want {
			t.Errorf("%q at %s is called %q, %v, want %q", test.title, test.url, got, err, test.want)
		}
	}
	get := serve(t, &gateway.Gateway{Engine: resources{"x:menu": menu(io.EOF, access.Entry{Kind: access.Info, Title: "  ", URL: url.MustParse("x:y")})}})
	if _, body, err := get("GET", "/x:menu"); err != nil || !strings.Contains(body, `<li class="info">  </li>`) {
		t.Errorf("a blank line of a menu is none: %v\n%s", err, body)
	}
}

// A tunnel copies bytes in both directions. It goes to ports 443 and 70 and to TunnelPorts.
func TestTunnel(t *testing.T) {
	var dialled string
	g := &gateway.Gateway{Tunnel: func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = address
		near, far := net.Pipe()
		go func() {
			io.Copy(far, far)
			far.Close()
		}()
		return near, nil
	}}
	server := httptest.NewServer(g)
	defer server.Close()
	for _, test := range []struct{ target, want string }{
		{"h.example:443", "HTTP/1.1 200 OK\r\n\r\nping"},
		{"h.example:25", "HTTP/1.1 403 Forbidden"},
		{"h.example", "HTTP/1.1 403 Forbidden"},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatalf("CONNECT %s: %v", test.target, err)
		}
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: h\r\n\r\nping", test.target)
		got := make([]byte, len(test.want))
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != test.want {
			t.Errorf("CONNECT %s = %q, %v, want %q", test.target, got, err, test.want)
		}
		conn.Close()
	}
	if dialled != "h.example:443" {
		t.Errorf("the tunnel goes to %q", dialled)
	}
}

// The zero Gateway refuses every URL.
func TestZero(t *testing.T) {
	resp, body, err := serve(t, new(gateway.Gateway))("GET", "/ftp://h/x")
	if err != nil || resp.StatusCode != http.StatusNotImplemented || !strings.Contains(body, access.ErrNoScheme.Error()) {
		t.Errorf("= %d, %q, %v", resp.StatusCode, body, err)
	}
	if !errors.Is(access.ErrNoScheme, errors.ErrUnsupported) {
		t.Error("ErrNoScheme is not ErrUnsupported")
	}
}

// An article is a page with links in its fields and in its text.
//
// req: 1630-news-1
func TestMessage(t *testing.T) {
	article := "From: A <a@h.example>\r\nNewsgroups: x.y, x.z\r\nSubject: =?iso-8859-1?q?caf=E9?= <b>\r\nReferences: <1@h> <2@h>\r\n" +
		"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
		"See <URL:ftp://h/x> and <3@h>, or http://h/y.\r\ncaf=E9\r\n"
	get := serve(t, &gateway.Gateway{Engine: resources{"news:4@h": content("message/rfc822", article)}})
	_, body, err := get("GET", "/news:4@h")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1>café &lt;b&gt;</h1>", `<a href="/news:x.y">x.y</a>, <a href="/news:x.z">x.z</a>`,
		`&lt;<a href="/news:2@h">2@h</a>&gt;`, `<a href="/ftp://h/x">&lt;URL:ftp://h/x&gt;</a> and &lt;<a href="/news:3@h">3@h</a>&gt;`,
		`<a href="/http://h/y">http://h/y</a>.` + "\ncafé\n", `href="/-/raw?url=news%3A4%40h"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s:\n%s", want, body)
		}
	}
	if _, body, _ := get("GET", "/-/raw?url=news:4@h"); body != article {
		t.Errorf("the message as it is = %q", body)
	}
}

// A 304 does not have a policy, because the policy would replace the stored policy of the resource.
func TestUnchanged(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"gopher://h/hx": content("text/html", "text")}})
	for _, method := range []string{"GET", "HEAD"} {
		resp, body, err := get(method, "/gopher://h/hx", `If-None-Match: "1"`)
		if err != nil || resp.StatusCode != http.StatusNotModified || body != "" || resp.Header.Get("ETag") != `"1"` {
			t.Errorf("%s = %d, %v, %q, %v", method, resp.StatusCode, resp.Header, body, err)
		}
		resp.Header.Del("Date")
		if resp.Header.Del("ETag"); len(resp.Header) > 0 {
			t.Errorf("%s: it also has %v", method, resp.Header)
		}
	}
}
