package locus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/web"
	"locus/url"
)

const content = "abcdefghijklmnopqrstuvwxyz"

var changed = time.Date(1994, 12, 1, 8, 0, 0, 0, time.UTC)

// A toy is an Engine with the resources of a test.
type toy map[string]func(*access.Request) (*access.Resource, error)

func (o toy) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, engine.Unsupported(req)
	}
	if f := o[req.URL.String()]; f != nil {
		return f(req)
	}
	return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
}

func text(req *access.Request) (*access.Resource, error) {
	return &access.Resource{
		Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: int64(len(content)), ModTime: changed}, ETag: `"1"`, Offset: req.Offset,
		Body: io.NopCloser(strings.NewReader(content[req.Offset:])),
	}, nil
}

func unsized(req *access.Request) (*access.Resource, error) {
	r, err := text(req)
	r.Size = -1
	return r, err
}

func fail(err error) func(*access.Request) (*access.Resource, error) {
	return func(req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: err}
	}
}

func moved(to string) func(*access.Request) (*access.Resource, error) {
	return func(*access.Request) (*access.Resource, error) {
		return nil, &access.Moved{To: url.MustParse(to)}
	}
}

var things = toy{
	"gopher://h/0/text":  text,
	"ftp://u:pw@h/text":  text,
	"gopher://h/0/size":  unsized,
	"http://h/moved":     moved("http://h/moved2"),
	"http://h/moved2":    moved("http://h//text?"),
	"http://h//text?":    text,
	"gopher://h/0/out":   moved("file:///etc/passwd"),
	"file:///etc/passwd": text,
	"ftp://h/forbidden":  fail(fs.ErrPermission),
	"ftp://h/password":   fail(access.ErrPassword),
	"ftp://h/range":      fail(access.ErrRange),
	"ftp://h/same":       fail(access.ErrNotModified),
	"ftp://h/broken":     fail(access.ErrProtocol),
	"x-none://h/":        fail(access.ErrNoScheme),
	"mailto:a@b":         fail(errors.ErrUnsupported),
	"ftp://h/short":      short,
	"http://h/teapot":    teapot,
	"ftp://h/nooffset":   noOffset,
	"ftp://h/changed":    another,
	"ftp://h/cancelled":  fail(errors.Join(access.ErrPassword, context.Canceled)),
	"ftp://h/late":       fail(errors.Join(access.ErrPassword, context.DeadlineExceeded)),
	"ftp://h/hasty": func(req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist, RetryAfter: 1500 * time.Millisecond}
	},
}

func short(req *access.Request) (*access.Resource, error) {
	r, _ := text(req)
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader("abc"), broken{}))
	return r, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func teapot(req *access.Request) (*access.Resource, error) {
	return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 418, Text: "I'm a teapot"}, HTTPStatus: 418, Err: errors.New("refused")}
}

func noOffset(req *access.Request) (*access.Resource, error) {
	if req.Offset > 0 {
		return nil, errors.ErrUnsupported
	}
	return text(req)
}

func another(req *access.Request) (*access.Resource, error) {
	if !req.IfMatch.IsZero() {
		return nil, access.ErrChanged
	}
	return text(req)
}

func TestClient(t *testing.T) {
	for _, test := range []struct {
		url, method, header string // lines of "Name: value"
		code                int    // 0: an error
		body                string
		sent                string // a header field of the answer
	}{
		{url: "gopher://h/0/text", code: 200, body: content, sent: "Content-Length: 26"},
		{url: "gopher://h/0/text", code: 200, body: content, sent: `Etag: "1"`},
		{url: "gopher://h/0/text", code: 200, body: content, sent: "Last-Modified: Thu, 01 Dec 1994 08:00:00 GMT"},
		{url: "ftp://u:pw@h/text", code: 200, body: content},
		{url: "http://h/moved", code: 200, body: content},
		{url: "http://h//text?", code: 200, body: content},
		{url: "gopher://h/0/text", method: "HEAD", code: 200, sent: "Content-Length: 26"},
		{url: "gopher://h/0/text", method: "HEAD", header: "Range: bytes=20-21", code: 200, sent: "Content-Length: 26"},
		{url: "gopher://h/0/text", method: "HEAD", header: "Range: bytes=2-\nIf-Range: \"0\"", code: 200, sent: "Content-Range: "},
		{url: "gopher://h/0/text", method: "POST", code: 405, body: "append gopher://h/0/text: unsupported operation\n", sent: "Allow: GET, HEAD"},
		{url: "gopher://h/0/text", method: "TRACE", code: 405, body: "the method \"TRACE\" is not known\n", sent: "Allow: GET, HEAD, PUT, POST, DELETE, MKCOL"},
		{url: "gopher://h/0/text", header: "Range: bytes=20-", code: 206, body: "uvwxyz", sent: "Content-Range: bytes 20-25/26"},
		{url: "gopher://h/0/text", header: "Range: bytes=0-1", code: 206, body: "ab", sent: "Content-Range: bytes 0-1/26"},
		{url: "gopher://h/0/text", header: "Range: bytes=20-99", code: 206, body: "uvwxyz", sent: "Content-Range: bytes 20-25/26"},
		{url: "gopher://h/0/text", header: "Range: bytes=-3", code: 200, body: content},
		{url: "gopher://h/0/text", header: "Range: bytes=3-1", code: 200, body: content},
		{url: "gopher://h/0/text", header: "Range: bytes=1-2,4-5", code: 200, body: content},
		{url: "gopher://h/0/size", header: "Range: bytes=20-", code: 200, body: content},
		{url: "ftp://h/nooffset", header: "Range: bytes=20-", code: 200, body: content},
		{url: "ftp://h/changed", header: "Range: bytes=2-\nIf-Range: \"0\"", code: 200, body: content},
		{url: "ftp://h/range", header: "Range: bytes=20-", code: 416},
		{url: "ftp://h/same", header: `If-None-Match: "1"`, code: 304},
		{url: "ftp://h/missing", code: 404, body: "open ftp://h/missing: file does not exist\n"},
		{url: "ftp://h/forbidden", code: 403},
		{url: "ftp://h/password", code: 401},
		{url: "http://h/teapot", code: 418},
		{url: "ftp://h/broken"},
		{url: "ftp://h/hasty", code: 404, sent: "Retry-After: 2"},
		{url: "ftp://h/cancelled"},
		{url: "ftp://h/late"},
		{url: "x-none://h/"},
		{url: "mailto:a@b"},
		{url: "gopher://h/0/out"},
	} {
		r, err := http.NewRequest(test.method, test.url, strings.NewReader("body"))
		if err != nil {
			t.Fatalf("%s: %v", test.method, err)
		}
		for line := range strings.Lines(test.header) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			r.Header.Set(name, value)
		}
		resp, err := newHTTP(things).Do(r)
		if err != nil || test.code == 0 {
			if (err == nil) != (test.code != 0) {
				t.Errorf("%s %s (%s) = %v, want %d", test.method, test.url, test.header, err, test.code)
			}
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != test.code || err != nil || test.body != "" && string(body) != test.body {
			t.Errorf("%s %s (%s) = %s, %q, %v, want %d, %q", test.method, test.url, test.header, resp.Status, body, err, test.code, test.body)
		}
		if empty := test.method == "HEAD" || test.code == 304; empty && len(body) > 0 {
			t.Errorf("%s %s (%s) has the body %q, want an empty one", test.method, test.url, test.header, body)
		}
		if name, value, _ := strings.Cut(test.sent, ": "); resp.Header.Get(name) != value {
			t.Errorf("%s %s (%s) has %s %q, want %q", test.method, test.url, test.header, name, resp.Header.Get(name), value)
		}
	}
}

// An early end is an error of the Body.
func TestClientEarlyEnd(t *testing.T) {
	resp, err := newHTTP(things).Get("ftp://h/short")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a resource that ends early reads as %q, %v, want io.ErrUnexpectedEOF", got, err)
	}
}

// Request.URL of the response is the final URL, because the engine follows redirects and
// http.Client does not.
func TestClientFinalURL(t *testing.T) {
	resp, err := newHTTP(things).Get("http://h/moved")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, want := resp.Request.URL.String(), "http://h//text?"; got != want {
		t.Errorf("the URL of the answer is %q, want %q", got, want)
	}
}

// The fields of an http.Request become the fields of the access.Request.
func TestClientAsks(t *testing.T) {
	for _, test := range []struct {
		method, header, body string
		want                 access.Request
	}{
		{"GET", "Range: bytes=5-9", "", access.Request{Offset: 5, Length: 5}},
		{"GET", `If-None-Match: "1"`, "", access.Request{IfChanged: access.Validator{ETag: `"1"`}}},
		{"GET", `If-Match: "1"`, "", access.Request{}},
		{"GET", "Last-Modified: Thu, 01 Dec 1994 08:00:00 GMT", "", access.Request{}},
		{"HEAD", "If-Modified-Since: Thu, 01 Dec 1994 08:00:00 GMT", "", access.Request{IfChanged: access.Validator{ModTime: changed}}},
		{"HEAD", "Range: bytes=5-9", "", access.Request{}},
		{"PUT", "Range: bytes=5-9", "binary", access.Request{Size: 6}},
		{"PUT", `If-Match: "1"`, "binary", access.Request{Size: 6, IfMatch: access.Validator{ETag: `"1"`}}},
		{"PUT", "If-None-Match: *", "", access.Request{IfAbsent: true}},
		{"PUT", `If-None-Match: "1"`, "", access.Request{}},
		{"PUT", "Last-Modified: Thu, 01 Dec 1994 08:00:00 GMT", "", access.Request{ModTime: changed}},
		{"PUT", "Last-Modified: yesterday", "", access.Request{}},
		{"POST", "", "binary", access.Request{Size: 6}},
		{"DELETE", `If-Match: "1"`, "", access.Request{IfMatch: access.Validator{ETag: `"1"`}}},
		{"MKCOL", "", "", access.Request{}},
	} {
		var noted []string
		header := http.Header{}
		if name, value, ok := strings.Cut(test.header, ": "); ok {
			header.Set(name, value)
		}
		if _, _, err := do(t, notes{&noted}, test.method, "x://h/", test.body, header); err != nil {
			t.Errorf("%s (%s) = %v", test.method, test.header, err)
		}
		test.want.Op, test.want.URL = asked[test.method], url.MustParse("x://h/")
		test.want.Body = strings.NewReader(test.body)
		if want := note(&test.want); len(noted) != 1 || noted[0] != want {
			t.Errorf("%s (%s) asks %q, want %q", test.method, test.header, noted, want)
		}
	}
}

// asked are the Ops of the methods.
var asked = map[string]access.Op{
	"GET": access.Get, "HEAD": access.Stat, "PUT": access.Put, "POST": access.Append, "DELETE": access.Delete, "MKCOL": access.MakeDir,
}

// notes is an Engine that records its requests.
type notes struct{ noted *[]string }

func note(req *access.Request) string {
	body, _ := io.ReadAll(engine.Content(req))
	plain := *req
	plain.Body, plain.GetBody = nil, nil
	return fmt.Sprintf("%+v %q", plain, body)
}

func (o notes) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	*o.noted = append(*o.noted, note(req))
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: 26}, Offset: req.Offset, Body: http.NoBody}
	if req.Op == access.Append {
		r.URL = url.URL{}
	}
	return r, nil
}

// A RoundTripper always closes the Body of the request.
func TestClientClosesBody(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "MKCOL", "TRACE"} {
		for _, u := range []string{"gopher://h/0/text", "ftp://h/missing", "x-none://h/", "http://h/moved", "x://h/%zz"} {
			open := 1
			r, err := http.NewRequestWithContext(t.Context(), method, "x://h/", closer{strings.NewReader("binary"), &open})
			if err != nil {
				t.Fatal(err)
			}
			if r.URL, err = neturl.Parse(u); err != nil {
				r.URL = &neturl.URL{Scheme: "x", Opaque: "%zz"}
			}
			if resp, err := newHTTP(things).Do(r); err == nil {
				resp.Body.Close()
			}
			if open != 0 {
				t.Errorf("%s %s leaves the body open: %d", method, u, open)
			}
		}
	}
}

// The response has a copy of the header of the web server, without the fields about another
// part.
func TestClientHeaderOverWeb(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("X-Answer", "42")
		w.Header().Set("Content-Range", "bytes 0-0/"+r.URL.RawQuery)
		w.WriteHeader(http.StatusPartialContent)
		io.WriteString(w, "a")
	})
	for size, length := range map[string]string{"26": "26", "*": ""} {
		resp, _, err := do(t, withoutSend{town.client}, "HEAD", "http://a.example/?"+size, "", nil)
		if err != nil {
			t.Fatalf("HEAD of ?%s: %v", size, err)
		}
		h := resp.Header
		if resp.StatusCode != 200 || h.Get("X-Answer") != "42" || h.Get("Content-Range") != "" || h.Get("Content-Length") != length {
			t.Errorf("HEAD of a resource of size %s whose server refuses HEAD = %s, %v", size, resp.Status, h)
		}
	}
	kept := &web.Reply{Header: http.Header{"Content-Range": {"bytes 0-0/26"}}}
	remembers := toy{"http://h/x": func(req *access.Request) (*access.Resource, error) {
		r, err := text(req)
		r.Sys = kept
		return r, err
	}}
	if _, _, err := do(t, remembers, "GET", "http://h/x", "", nil); err != nil || len(kept.Header) != 1 {
		t.Errorf("the header that the engine keeps = %v, %v, want it unchanged", kept.Header, err)
	}
}

// The user and the password in the URL are sent to its origin, and the server's response
// arrives.
func TestClientOverWeb(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); user != "me" || password != "pw" || !ok {
			t.Errorf("the server is sent the login %q, %q, %v", user, password, ok)
		}
		if r.URL.Path != "/x" {
			http.Redirect(w, r, "/x", http.StatusFound)
			return
		}
		w.Header().Set("X-Answer", "42")
		io.WriteString(w, content)
	}))
	defer s.Close()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, s.Listener.Addr().String())
	}
	resp, err := (&Client{Dial: dial}).HTTP().Get("http://me:pw@example.com/moved")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); string(got) != content || err != nil || resp.Header.Get("X-Answer") != "42" {
		t.Errorf("Get = %q, %v, %v, want %q and X-Answer 42", got, err, resp.Header, content)
	}
}

// The response of a web server is unchanged.
func TestClientRefusedOverWeb(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.URL.Path[1:])
		if r.Method == "HEAD" && r.URL.RawQuery != "" {
			code = http.StatusOK
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(code)
	})
	for _, test := range []struct {
		method, url string
		code        int
		sent        string // a header field of the answer
	}{
		{"GET", "/403", 403, ""},
		{"GET", "/404", 404, "Retry-After: 7"},
		{"GET", "/410", 410, ""},
		{"GET", "/429", 429, "Retry-After: 7"},
		{"GET", "/501", 501, ""},
		{"GET", "/503", 503, "Retry-After: 7"},
		{"HEAD", "/404", 404, "Content-Type: "},
		{"HEAD", "/503", 503, "Retry-After: 7"},
		{"HEAD", "/500", 500, ""},
		{"PUT", "/405", 405, "Allow: GET, HEAD"},
		{"PUT", "/501", 501, "Allow: "},
		{"PUT", "/507", 507, ""},
		{"POST", "/405", 405, "Allow: GET, HEAD"},
		{"DELETE", "/409", 409, ""},
		{"MKCOL", "/405?", 405, "Allow: GET, HEAD"},
		{"MKCOL", "/405?there", 405, ""},
		{"PATCH", "/200", 405, "Allow: GET, HEAD, PUT, POST, DELETE, MKCOL"},
	} {
		resp, text, err := do(t, withoutSend{town.client}, test.method, "http://a.example"+test.url, "", nil)
		if err != nil || resp.StatusCode != test.code {
			t.Errorf("%s %s = %v, %v, want %d", test.method, test.url, resp, err, test.code)
			continue
		}
		if name, value, _ := strings.Cut(test.sent, ": "); resp.Header.Get(name) != value {
			t.Errorf("%s %s has %s %q, want %q", test.method, test.url, name, resp.Header.Get(name), value)
		}
		size := int64(len(text))
		if test.method == "HEAD" {
			size = -1 // the size of a GET is unknown
		}
		if (text != "") != (size > 0) || resp.ContentLength != size {
			t.Errorf("%s %s says %q, of %d bytes", test.method, test.url, text, resp.ContentLength)
		}
	}
}

// Without a capability, requests that need it are refused.
func TestClientWithoutDial(t *testing.T) {
	nothing := new(Client)
	for _, scheme := range nothing.Schemes() {
		_, err := nothing.Open(t.Context(), scheme+"://h.example/x")
		if err == nil {
			t.Errorf("Open(%q) without a dialler gives no error", scheme)
		}
	}
	if _, err := nothing.Open(t.Context(), "file:///x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open of a file without a root = %v, want fs.ErrPermission", err)
	}
	if _, err := nothing.Open(t.Context(), "x-none://h/"); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Open of an unknown scheme = %v, want access.ErrNoScheme", err)
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "MKCOL"} {
		if resp, _, err := do(t, nothing, method, "http://h.example/", "", nil); !errors.Is(err, access.ErrNoDial) {
			t.Errorf("%s without a dialler = %v, %v, want access.ErrNoDial", method, resp, err)
		}
		if resp, _, err := do(t, access.Table(nil), method, "http://h.example/", "", nil); !errors.Is(err, access.ErrNoScheme) {
			t.Errorf("%s without an engine = %v, %v, want access.ErrNoScheme", method, resp, err)
		}
	}
}

// A program adds its own scheme.
// req: 1738-4-1
func TestOwnScheme(t *testing.T) {
	c := &Client{Engines: func(Dial) map[string]Scheme {
		return access.Table{"x-toy": toy{"x-toy:hello": text, "X-Toy:hello": text}}.Schemes()
	}}
	for _, u := range []string{"X-Toy:hello", "x-toy:hello"} {
		r, err := c.Open(t.Context(), u)
		if err != nil {
			t.Fatalf("Open(%q), of an added scheme, = %v, want a resource", u, err)
		}
		r.Body.Close()
	}
	if schemes := new(Client).Schemes(); slices.Contains(schemes, "x-toy") {
		t.Errorf("a scheme that one program added is in every Client: %q", schemes)
	}
}

func TestOpenSyntax(t *testing.T) {
	_, err := new(Client).Open(t.Context(), "http://h/a b")
	if _, ok := errors.AsType[*url.SyntaxError](err); !ok {
		t.Errorf("Open of no URL = %v, want a *url.SyntaxError", err)
	}
	if _, err = new(Client).FS(t.Context(), "http://h/a b"); err == nil {
		t.Error("FS of no URL gives no error")
	}
}

func TestFS(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b/c d", "b/e/f"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	fsys, err := (&Client{Root: root}).FS(t.Context(), "file:///")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(fsys, "a", "b/c d", "b/e/f"); err != nil {
		t.Error(err)
	}
}

// An http.Client changes resources of every scheme that supports it.
// req: 1738-2-1
func TestClientChanges(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	client := (&Client{Root: root}).HTTP()
	for _, test := range []struct {
		method, url, body string
		header            string // "Name: value"
		code              int
		want              string // the content of /a afterwards; "" if it does not exist
	}{
		{"PUT", "file:///a", "one", "Last-Modified: Thu, 01 Dec 1994 08:00:00 GMT", 204, "one"},
		{"PUT", "file:///a", "two", "If-None-Match: *", 412, "one"},
		{"PUT", "file:///a", "two", "If-Match: \"x\"", 412, "one"},
		{"PUT", "file:///none/a", "two", "", 404, "one"},
		{"PUT", "file:///../a", "two", "", 403, "one"},
		{"POST", "file:///a", "two", "", 204, "onetwo"},
		{"MKCOL", "file:///d/", "", "", 201, "onetwo"},
		{"MKCOL", "file:///d/", "", "", 412, "onetwo"},
		{"DELETE", "file:///a", "", "If-Match: \"x\"", 412, "onetwo"},
		{"DELETE", "file:///a", "", "", 204, ""},
		{"DELETE", "file:///a", "", "", 404, ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), test.method, test.url, strings.NewReader(test.body))
		if err != nil {
			t.Fatalf("%s: %v", test.method, err)
		}
		if name, value, ok := strings.Cut(test.header, ": "); ok {
			req.Header.Set(name, value)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%s %q = %v, want %d", test.method, test.url, err, test.code)
			continue
		}
		resp.Body.Close()
		got, _ := root.ReadFile("a")
		if resp.StatusCode != test.code || string(got) != test.want {
			t.Errorf("%s %q (%s) = %s and leaves %q, want %d and %q", test.method, test.url, test.header, resp.Status, got, test.code, test.want)
		}
		if info, err := root.Stat("a"); test.want == "one" && (err != nil || !info.ModTime().Equal(changed)) {
			t.Errorf("%s %q leaves another time, want %v", test.method, test.url, changed)
		}
	}
}
