package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

// A storeServer is a server without WebDAV that stores uploads. It records its requests, except OPTIONS.
type storeServer struct {
	mu    sync.Mutex
	asked []string
	texts map[string]string
	reply func(http.ResponseWriter, *http.Request) bool // handles the request if it returns true
}

func (s *storeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, describeRequest(r))
	if s.reply != nil && s.reply(w, r) {
		return
	}
	text, there := s.texts[r.URL.Path]
	if there {
		w.Header().Set("ETag", fmt.Sprintf("%q", text))
	}
	match := r.Header.Get("If-Match")
	switch {
	case match != "" && match != w.Header().Get("ETag"), there && r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
	case r.Method == http.MethodPut, r.Method == http.MethodPost:
		got, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if r.Method == http.MethodPost {
			w.Header().Set("Location", "added?id=1")
			got = append([]byte(text), got...)
		}
		s.texts[r.URL.Path] = string(got)
		w.WriteHeader(http.StatusCreated)
	case !there:
		http.NotFound(w, r)
	case r.Method == http.MethodDelete:
		delete(s.texts, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	}
}

// describeRequest describes a request in one line, with the fields that matter for
// changes.
func describeRequest(r *http.Request) string {
	line := fmt.Sprintf("%s %s %d", r.Method, r.URL.Path, r.ContentLength)
	for _, name := range []string{"Expect", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range", "Content-Type"} {
		if value := r.Header.Get(name); value != "" {
			line += " " + name + ": " + value
		}
	}
	if user, password, ok := r.BasicAuth(); ok {
		line += " " + user + ":" + password
	}
	return line
}

func newStore(t *testing.T) (*storeServer, *Client, func(string) url.URL) {
	t.Helper()
	s := &storeServer{texts: map[string]string{"/old": "old"}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := &Client{Dial: dialTo(server.Listener.Addr().String())}
	c.transportFor(t.Context()).ExpectContinueTimeout = time.Minute // the server answers, but the machine may be slow
	t.Cleanup(c.CloseIdleConnections)
	return s, c, func(path string) url.URL { return url.MustParse("http://example.com" + path) }
}

// unseekable returns a Reader that cannot seek.
func unseekable(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) }

// req: 1738-2-1
func TestStore(t *testing.T) {
	big := strings.Repeat("0123456789", 10_000)
	for _, test := range []struct {
		name  string
		path  string
		req   access.Request
		body  io.Reader
		asked string
		want  string
		err   error
	}{
		{name: "new", path: "/new", body: strings.NewReader("hello"), asked: "PUT /new 5", want: "hello"},
		{name: "replaced", path: "/old", body: strings.NewReader("hello"), asked: "PUT /old 5", want: "hello"},
		{name: "length", path: "/new", body: unseekable("hello"), req: access.Request{Size: 5}, asked: "PUT /new 5", want: "hello"},
		{name: "no length", path: "/new", body: unseekable("hello"), asked: "PUT /new -1 Expect: 100-continue", want: "hello"},
		{name: "large", path: "/new", body: strings.NewReader(big), asked: "PUT /new 100000 Expect: 100-continue", want: big},
		{name: "empty", path: "/new", body: strings.NewReader(""), asked: "PUT /new 0"},
		{
			name: "this version", path: "/old", body: strings.NewReader("hello"), req: access.Request{IfMatch: access.Validator{ETag: `"old"`}},
			asked: `HEAD /old 0, PUT /old 5 If-Match: "old"`, want: "hello",
		},
		{
			name: "other version", path: "/old", body: strings.NewReader("hello"), req: access.Request{IfMatch: access.Validator{ETag: `"x"`}},
			asked: "HEAD /old 0", want: "old", err: access.ErrChanged,
		},
		{
			name: "version of nothing", path: "/new", body: strings.NewReader("hello"), req: access.Request{IfMatch: access.Validator{ETag: `"x"`}},
			asked: "HEAD /new 0", err: access.ErrChanged,
		},
		{
			name: "weak", path: "/old", body: strings.NewReader("hello"), req: access.Request{IfMatch: access.Validator{ETag: `W/"old"`}},
			asked: "HEAD /old 0", want: "old", err: access.ErrChanged,
		},
		{
			name: "absent", path: "/new", body: strings.NewReader("hello"), req: access.Request{IfAbsent: true},
			asked: "HEAD /new 0, PUT /new 5 If-None-Match: *", want: "hello",
		},
		{
			name: "not absent", path: "/old", body: strings.NewReader("hello"), req: access.Request{IfAbsent: true},
			asked: "HEAD /old 0", want: "old", err: fs.ErrExist,
		},
		{name: "offset", path: "/old", body: strings.NewReader("x"), req: access.Request{Offset: 1}, want: "old", err: errors.ErrUnsupported},
		{name: "short", path: "/old", body: unseekable("x"), req: access.Request{Size: 2}, asked: "PUT /old 2", want: "old", err: io.ErrUnexpectedEOF},
		{name: "source", path: "/old", body: iotest.ErrReader(fs.ErrClosed), req: access.Request{Size: 2}, asked: "PUT /old 2", want: "old", err: fs.ErrClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, c, at := newStore(t)
			test.req.URL = at(test.path)
			err := accesstest.Change(t.Context(), c, access.Put, &test.req, test.body)
			if !errors.Is(err, test.err) {
				t.Errorf("Put(%q) = %v, want %v", test.path, err, test.err)
			}
			if e, ok := errors.AsType[*access.Error](err); err != nil && (!ok || e.Op != "put") {
				t.Errorf("Put(%q) = %v, want an *access.Error", test.path, err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if got := strings.Join(s.asked, ", "); got != test.asked && test.err != io.ErrUnexpectedEOF && test.err != fs.ErrClosed {
				t.Errorf("Put(%q) asks %q, want %q", test.path, got, test.asked)
			}
			if s.texts[test.path] != test.want {
				t.Errorf("Put(%q) leaves %.20q, want %.20q", test.path, s.texts[test.path], test.want)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	s, c, at := newStore(t)
	added, err := accesstest.Add(t.Context(), c, access.Append, &access.Request{URL: at("/list/old?x"), Size: 4}, strings.NewReader("more"))
	if want := at("/list/added?id=1"); added != want || err != nil {
		t.Errorf("Append = %q, %v, want %q", added, err, want)
	}
	if s.texts["/list/old"] != "more" || s.asked[0] != "POST /list/old 4" {
		t.Errorf("Append stores %q and asks %q", s.texts, s.asked)
	}
}

func TestDelete(t *testing.T) {
	for _, test := range []struct {
		path, match, asked string
		want               error
	}{
		{path: "/old", asked: "DELETE /old 0"},
		{path: "/new", asked: "DELETE /new 0", want: fs.ErrNotExist},
		{path: "/old", match: `"old"`, asked: `HEAD /old 0, DELETE /old 0 If-Match: "old"`},
		{path: "/old", match: `"x"`, asked: "HEAD /old 0", want: access.ErrChanged},
	} {
		s, c, at := newStore(t)
		_, err := c.Do(t.Context(), &access.Request{Op: access.Delete, URL: at(test.path), IfMatch: access.Validator{ETag: test.match}})
		if got := strings.Join(s.asked, ", "); !errors.Is(err, test.want) || got != test.asked {
			t.Errorf("Delete(%q, %q) = %v and asks %q, want %v and %q", test.path, test.match, err, got, test.want, test.asked)
		}
	}
}

// Every status of a change gives an error that a program can test for.
func TestChangeStatus(t *testing.T) {
	for _, test := range []struct {
		code int
		want error // nil: any error
		text string
	}{
		{http.StatusAccepted, nil, ""},
		{http.StatusResetContent, nil, ""},
		{http.StatusMultiStatus, nil, "only a part of it was done"},
		{http.StatusForbidden, fs.ErrPermission, ""},
		{http.StatusUnauthorized, access.ErrPassword, ""},
		{http.StatusNotFound, fs.ErrNotExist, ""},
		{http.StatusMethodNotAllowed, errors.ErrUnsupported, ""},
		{http.StatusConflict, nil, "conflicts with"},
		{http.StatusLengthRequired, nil, "length"},
		{http.StatusPreconditionFailed, access.ErrChanged, ""},
		{http.StatusRequestEntityTooLarge, nil, "larger"},
		{http.StatusUnsupportedMediaType, nil, "type"},
		{http.StatusLocked, fs.ErrPermission, ""},
		{http.StatusPreconditionRequired, nil, "requires a condition"},
		{http.StatusInsufficientStorage, access.ErrFull, ""},
		{http.StatusInternalServerError, nil, "failed"},
		{http.StatusPartialContent, access.ErrProtocol, ""},
	} {
		s, c, at := newStore(t)
		s.reply = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(test.code); return true }
		_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader("x"), Size: -1, URL: at("/new")})
		fails := test.want != nil || test.text != ""
		if (err != nil) != fails || test.want != nil && !errors.Is(err, test.want) || fails && !strings.Contains(err.Error(), test.text) {
			t.Errorf("Put answered with %d = %v, want %v %q", test.code, err, test.want, test.text)
		}
		if e, ok := errors.AsType[*access.Error](err); fails && (!ok || e.Reply == nil || e.Reply.Code != test.code) {
			t.Errorf("Put answered with %d = %v, want the reply in it", test.code, err)
		}
		if len(s.asked) != 1 {
			t.Errorf("Put answered with %d asks %q, want one request", test.code, s.asked)
		}
	}
}

// Redirects are not followed. Only 307 and 308 allow a change to be repeated.
func TestChangeMoved(t *testing.T) {
	for code, repeat := range map[int]bool{301: false, 302: false, 303: false, 307: true, 308: true} {
		s, c, _ := newStore(t)
		s.reply = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Location", "http://example.com/there")
			w.WriteHeader(code)
			return true
		}
		req := &access.Request{URL: url.MustParse("http://me:sesame@example.com/here")}
		moved, ok := errors.AsType[*access.Moved](accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("x")))
		if want := url.MustParse("http://me:sesame@example.com/there"); !ok || moved.To != want || moved.Repeat != repeat {
			t.Errorf("Put answered with %d = %+v, want a move to %q, repeated: %v", code, moved, want, repeat)
		}
	}
}

// A user name is not sent to another origin.
func TestMovedKeepsLogin(t *testing.T) {
	for _, test := range []struct{ from, location, want string }{
		{"http://me:pw@h/a", "/b", "http://me:pw@h/b"},
		{"http://me:pw@h/a", "http://h/b", "http://me:pw@h/b"},
		{"http://me:pw@h/a", "http://H:80/b", "http://me:pw@h/b"},
		{"http://me@h/a", "http://h/b#f", "http://me@h/b#f"},
		{"http://me:pw@h/a", "http://you@h/b", "http://you@h/b"},
		{"http://me:pw@h/a", "http://h:8080/b", "http://h:8080/b"},
		{"http://me:pw@h/a", "https://h/b", "https://h/b"},
		{"http://me:pw@h/a", "http://other/b", "http://other/b"},
		{"http://h/a", "http://h/b", "http://h/b"},
	} {
		resp := &http.Response{StatusCode: 302, Header: http.Header{"Location": {test.location}}}
		moved, ok := errors.AsType[*access.Moved](movedError(url.MustParse(test.from), resp))
		if !ok || moved.To.String() != test.want {
			t.Errorf("from %q to %q leads to %v, want %q", test.from, test.location, moved, test.want)
		}
	}
}

// If a server asks for a password, a large body is sent only after the login, or sent again.
func TestChangeWithPassword(t *testing.T) {
	big := strings.Repeat("0123456789", 10_000)
	for _, test := range []struct {
		name string
		url  string
		body io.Reader
		want string // what is stored in the end; "" if that fails
	}{
		{"in the URL", "http://me:sesame@example.com/new", unseekable("x"), "x"},
		{"asked for", "http://me@example.com/new", unseekable("x"), "x"},
		{"large", "http://me@example.com/new", unseekable(big), big},
		{"wrong", "http://me:open@example.com/new", strings.NewReader("x"), ""},
		{"none", "http://example.com/new", strings.NewReader("x"), ""},
	} {
		s, c, _ := newStore(t)
		s.reply = func(w http.ResponseWriter, r *http.Request) bool {
			if _, password, _ := r.BasicAuth(); password != "sesame" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return true
			}
			return false
		}
		req := &access.Request{URL: url.MustParse(test.url), Login: loginWith("sesame")}
		err := accesstest.Change(t.Context(), c, access.Put, req, test.body)
		if s.texts["/new"] != test.want || (err == nil) != (test.want != "") {
			t.Errorf("Put with a password %s = %v and stores %.9q, want %.9q", test.name, err, s.texts["/new"], test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "open") || !errors.Is(err, access.ErrPassword)) {
			t.Errorf("Put with a password %s = %v, want ErrPassword without it", test.name, err)
		}
	}
}

// If a server reads the body before it asks for a password, the body is sent again if it can be
// read again.
func TestChangeRewinds(t *testing.T) {
	for _, seeks := range []bool{true, false} {
		s, c, _ := newStore(t)
		s.reply = func(w http.ResponseWriter, r *http.Request) bool {
			if _, _, ok := r.BasicAuth(); ok {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		body := io.Reader(strings.NewReader("hello"))
		if !seeks {
			body = unseekable("hello")
		}
		req := &access.Request{URL: url.MustParse("http://me@example.com/new"), Login: loginWith("x")}
		err := accesstest.Change(t.Context(), c, access.Put, req, body)
		if (err == nil) != seeks || seeks && s.texts["/new"] != "hello" {
			t.Errorf("Put with a seekable body %v = %v, stored %q", seeks, err, s.texts["/new"])
		}
	}
}

// The error of a change has the time in Retry-After.
func TestChangeRetryAfter(t *testing.T) {
	s, c, at := newStore(t)
	s.reply = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusConflict)
		return true
	}
	_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: unseekable("hello"), Size: -1, URL: at("/new")})
	if e, ok := errors.AsType[*access.Error](err); !ok || e.RetryAfter != 7*time.Second {
		t.Errorf("Put = %#v, want an error with 7s", err)
	}
}

// If a server refuses Expect, the request is sent without it.
func TestChangeExpectation(t *testing.T) {
	s, c, at := newStore(t)
	s.reply = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Expect") != "" {
			w.WriteHeader(http.StatusExpectationFailed)
			return true
		}
		return false
	}
	_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: unseekable("hello"), Size: -1, URL: at("/new")})
	if err != nil || s.texts["/new"] != "hello" || len(s.asked) != 2 {
		t.Errorf("Put = %v, stores %q and asks %q", err, s.texts["/new"], s.asked)
	}
}

// An early response ends the upload. The rest of Body is not read, and Body is
// not used after Do has returned.
func TestPutAnsweredEarly(t *testing.T) {
	s, c, at := newStore(t)
	s.reply = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return true
	}
	returned := false
	endless := readerFunc(func(p []byte) (int, error) {
		if returned {
			t.Error("it is read on after Store has returned")
		}
		return len(p), nil
	})
	_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: endless, Size: -1, URL: at("/new")})
	returned = true
	if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil || e.Reply.Code != 413 {
		t.Errorf("Put of an endless body = %v, want 413", err)
	}
}

// A server may refuse an upload and close the connection before it has read the whole body. The error is then the
// refusal, even if net/http notices first that the body cannot be sent.
func TestPutRefusedAndClosed(t *testing.T) {
	for _, test := range []struct{ reply, want string }{
		{"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig", "413 Too Large: it is larger than the server accepts"},
		{"HTTP/1.1 507 Full\r\n\r\n", "507 Full: there is not enough space for it on the server"},
		{"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", "the server answered before it had the whole content"},
		{"", ""}, // and any error
	} {
		var failed <-chan struct{}
		reply := func(conn *accesstest.Conn) error {
			<-failed // so that net/http has the error first
			return accesstest.Send(test.reply)(conn)
		}
		s := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect("PUT /f?x HTTP/1.1\r\n"), reply})
		c := &Client{}
		c.Dial, failed = wiretest.FailWrites(s.Dial, 10_000)
		_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader(strings.Repeat("x", 60_000)), Size: 60_000, URL: url.MustParse("http://h/f?x")})
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("Put answered %q before the end of the body = %v, want %q", test.reply, err, test.want)
		}
	}
}

// A connection of HTTP/2 that breaks ends its requests at once, even if the last frames of the server want an answer.
func TestPutBrokenHTTP2(t *testing.T) {
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	const ping = "\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678"
	var failed <-chan struct{}
	s := httptest.NewUnstartedServer(nil)
	s.EnableHTTP2 = true
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			_, _ = io.WriteString(conn, settings)
			<-failed
			_, _ = io.WriteString(conn, ping)
		},
	}
	s.StartTLS()
	defer s.Close()
	roots := &tls.Config{RootCAs: x509.NewCertPool()}
	roots.RootCAs.AddCert(s.Certificate())
	c := &Client{TLS: roots}
	c.Dial, failed = wiretest.FailWrites(dialTo(s.Listener.Addr().String()), 10_000)
	_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader(strings.Repeat("x", 60_000)), Size: 60_000, URL: url.MustParse("https://example.com/f?x")})
	if err == nil || wire.IsTimeout(err) {
		t.Errorf("Put over a broken connection = %v, want an error that is not a timeout", err)
	}
}

// A connection with TLS may break before the client says that it closes the connection. The request still ends.
func TestCloseBrokenTLS(t *testing.T) {
	var broken atomic.Bool
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("Hijack = %v", err)
			return
		}
		broken.Store(true)
		_, _ = io.WriteString(conn, "not HTTP\r\n\r\n")
		conn.Close()
	}))
	defer s.Close()
	roots := &tls.Config{RootCAs: x509.NewCertPool()}
	roots.RootCAs.AddCert(s.Certificate())
	dial := dialTo(s.Listener.Addr().String())
	c := &Client{TLS: roots, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return breakingConn{conn, &broken}, err
	}}
	ended := make(chan error)
	go func() {
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("https://example.com/f")})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, access.ErrProtocol) {
			t.Errorf("Get over a broken connection = %v, want access.ErrProtocol", err)
		}
	case <-time.After(time.Minute):
		t.Error("Get over a broken connection does not end")
	}
}

// A breakingConn is a connection whose Write fails once broken is true.
type breakingConn struct {
	net.Conn
	broken *atomic.Bool
}

func (c breakingConn) Write(p []byte) (int, error) {
	if c.broken.Load() {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: errors.New("connection reset by peer")}
	}
	return c.Conn.Write(p)
}

// A server that reports success before it has the whole body has not stored it.
func TestPutStoredEarly(t *testing.T) {
	for _, test := range []struct {
		op     access.Op
		status int
		size   int64
		expect bool // the server asks for the body
	}{
		{access.Put, http.StatusOK, 1 << 40, false},
		{access.Put, http.StatusOK, 1 << 40, true},
		{access.Put, http.StatusCreated, 1 << 40, true},
		{access.Put, http.StatusNoContent, -1, true},
		{access.Append, http.StatusOK, 1 << 40, true},
		{access.Append, http.StatusCreated, -1, false},
	} {
		s, c, at := newStore(t)
		s.reply = func(w http.ResponseWriter, r *http.Request) bool {
			if test.expect {
				_, _ = io.ReadFull(r.Body, make([]byte, 1000))
			}
			w.WriteHeader(test.status)
			return true
		}
		endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
		_, err := c.Do(t.Context(), &access.Request{Op: test.op, Body: endless, Size: test.size, URL: at("/new?x")})
		if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil || e.Reply.Code != test.status {
			t.Errorf("%v of %d bytes answered %d too early = %v, want an error with that status", test.op, test.size, test.status, err)
		}
	}
}

// A server may answer while the body is sent. The upload is complete if net/http still reads the whole body.
func TestUploadCompletes(t *testing.T) {
	for _, test := range []struct {
		name  string
		reads int // how many bytes net/http reads before it closes the body
		want  bool
	}{
		{"the whole body", 5, true},
		{"a part of the body", 4, false},
		{"none of the body", 0, false},
		{"a body that net/http does not close", -1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			up := newUpload(&access.Request{Body: strings.NewReader("hello"), Size: 5})
			out := &http.Request{}
			up.attach(out)
			go func() {
				time.Sleep(50 * time.Millisecond)
				if test.reads >= 0 {
					_, _ = io.ReadFull(out.Body, make([]byte, test.reads))
					out.Body.Close()
				}
			}()
			if got := up.isComplete(t.Context()); got != test.want {
				t.Errorf("%s: isComplete = %v, want %v", test.name, got, test.want)
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Cancelling ends a Put whose Body blocks.
func TestPutCancelled(t *testing.T) {
	_, c, at := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	stalled, w := io.Pipe()
	defer w.Close()
	go func() {
		_, _ = w.Write([]byte("x"))
		cancel()
	}()
	if _, err := c.Do(ctx, &access.Request{Op: access.Put, Body: stalled, Size: -1, URL: at("/new")}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put, cancelled = %v, want context.Canceled", err)
	}
}

func TestChangeHostile(t *testing.T) {
	_, c, _ := newStore(t)
	for _, rawurl := range []string{"http://h%0Ah/", "ftp://h/x"} {
		req := &access.Request{URL: url.MustParse(rawurl)}
		if err := accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("x")); err == nil {
			t.Errorf("Put(%q) = nil, want an error", rawurl)
		}
		if err := accesstest.Change(t.Context(), c, access.Delete, req, nil); err == nil {
			t.Errorf("Delete(%q) = nil, want an error", rawurl)
		}
	}
	req := &access.Request{URL: url.MustParse("http://h/"), IfMatch: access.Validator{ETag: "\"x\"\r\nX: y"}}
	if err := accesstest.Change(t.Context(), c, access.Delete, req, nil); err == nil {
		t.Error("Delete with a line end in the entity tag = nil, want an error")
	}
	if _, err := (&Client{}).Do(t.Context(), &access.Request{Op: access.Put, Body: nil, Size: -1, URL: url.MustParse("http://h/")}); !errors.Is(err, access.ErrNoDial) {
		t.Errorf("Put without a dialler = %v, want ErrNoDial", err)
	}
}

// A server without PUT refuses a change in several ways. Each error says which feature the server
// lacks.
func TestServerWithoutChanges(t *testing.T) {
	for _, test := range []struct {
		op     access.Op
		status int
		want   string
		is     error
	}{
		{access.Put, http.StatusNotFound, "404 Not Found: no resource can be stored here", fs.ErrNotExist},
		{access.MakeDir, http.StatusNotFound, "404 Not Found: no resource can be stored here", fs.ErrNotExist},
		{access.Put, http.StatusMethodNotAllowed, "405 Method Not Allowed: the server does not allow this change here", errors.ErrUnsupported},
		{access.Delete, http.StatusNotImplemented, "501 Not Implemented: the server does not allow this change here", errors.ErrUnsupported},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(test.status) }))
		req := &access.Request{Op: test.op, URL: url.MustParse(server.URL + "/f"), Size: -1}
		if test.op == access.Put {
			req.Body, req.Size = strings.NewReader("text"), 4
		}
		_, err := (&Client{Dial: new(net.Dialer).DialContext}).Do(t.Context(), req)
		if err == nil || !strings.HasSuffix(err.Error(), test.want) || !errors.Is(err, test.is) || access.RemedyFor(err) == nil {
			t.Errorf("%v, %d: %v, %v; want %q", test.op, test.status, err, access.RemedyFor(err), test.want)
		}
		server.Close()
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := (&Client{Dial: new(net.Dialer).DialContext}).Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse(server.URL + "/f")})
	if !errors.Is(err, fs.ErrNotExist) || access.RemedyFor(err) != nil {
		t.Errorf("delete what is not there: %v, %v", err, access.RemedyFor(err))
	}
}
