package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/url"
)

const content = "abcdefghijklmnopqrstuvwxyz"

// library is a handler with one correct resource and some incorrect ones.
func library(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/object":
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "object.txt", time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC), strings.NewReader(content))
	case "/truncated":
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, content)
	case "/stalled":
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, content)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/locked":
		http.Error(w, "no", http.StatusForbidden)
	default:
		http.NotFound(w, r)
	}
}

// dialTo returns a Dial that connects to address for every request.
func dialTo(address string) proto.Dial {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
}

func config(s *httptest.Server, scheme string, roots *tls.Config) accesstest.Config {
	at := func(path string) url.URL { return url.MustParse(scheme + "://example.com" + path) }
	return accesstest.Config{
		Ops: []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		New: func(dial proto.Dial) access.Engine {
			return &Client{Dial: dial, TLS: roots}
		},
		Dial:      dialTo(s.Listener.Addr().String()),
		Object:    at("/object"),
		Content:   content,
		Missing:   at("/missing"),
		Truncated: at("/truncated"),
		Stalled:   at("/stalled"),
		Hostile:   []url.URL{url.MustParse(scheme + "://h%0D%0Aevil/x"), url.MustParse(scheme + "://h%00/"), url.MustParse(scheme + "://h%20h/")},
		Secret:    url.MustParse(scheme + "://me:sesame@example.com/locked"),
	}
}

func TestContract(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(library))
	defer s.Close()
	accesstest.Test(t, config(s, "http", nil))
}

func TestContractHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(library))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	roots := &tls.Config{RootCAs: x509.NewCertPool()}
	roots.RootCAs.AddCert(s.Certificate())
	c := config(s, "https", roots)
	accesstest.Test(t, c)

	client := &Client{Dial: c.Dial, TLS: roots}
	defer client.CloseIdleConnections()
	r, err := client.Do(t.Context(), &access.Request{URL: c.Object})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got := r.Sys.(*Reply).Proto; got != "HTTP/2.0" {
		t.Errorf("the protocol is %q, want HTTP/2.0", got)
	}
}

// script is a server that answers one request with reply.
func script(reply string) accesstest.Script {
	return accesstest.Script{awaitRequest(), accesstest.Send(reply)}
}

// awaitRequest is the step in which the client sends the header of a request.
func awaitRequest() accesstest.Step {
	return accesstest.Converse(func(line string) (string, bool) { return "", line != "" })
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// get opens and reads a URL from a server that sends reply.
func get(t *testing.T, req *access.Request, reply ...accesstest.Step) (*access.Resource, string, error) {
	t.Helper()
	s := accesstest.ServeAll(t, append(accesstest.Script{awaitRequest()}, reply...))
	c := &Client{Dial: s.Dial}
	defer c.CloseIdleConnections()
	r, err := c.Do(t.Context(), req)
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	return r, string(got), err
}

// The request line has path and query as written, without the fragment. A user
// and password are sent as Basic credentials only. A user without a password is
// not sent unless the server asks.
//
// req: 1738-3.3-3
// req: 1630-http-2
func TestRequestLine(t *testing.T) {
	const login = "http://me:sesame@h.example/a"
	for _, test := range []struct{ url, line, host string }{
		{"http://h.example", "GET / HTTP/1.1", "h.example"},
		{"http://h.example/", "GET / HTTP/1.1", "h.example"},
		{"http://h.example?", "GET /? HTTP/1.1", "h.example"},
		{"http://h.example/?", "GET /? HTTP/1.1", "h.example"},
		{"http://h.example//a//b/", "GET //a//b/ HTTP/1.1", "h.example"},
		{"http://h.example/a/../b/./c", "GET /a/../b/./c HTTP/1.1", "h.example"},
		{"http://h.example/%7e%2F%2f%41?%20+&=#f", "GET /%7e%2F%2f%41?%20+&=", "h.example"},
		{"http://h.example/a;b=c:@!$'()*,~?d?e/f", "GET /a;b=c:@!$'()*,~?d?e/f HTTP/1.1", "h.example"},
		{"http://h.example/*", "GET /* HTTP/1.1", "h.example"},
		{"http://h.example/x%0D%0AEvil:%20y", "GET /x%0D%0AEvil:%20y HTTP/1.1", "h.example"},
		{"http://h.example/%", "", ""},
		{"HTTP://H.example:80/a#", "GET /a HTTP/1.1", "H.example:80"},
		{"http://h.example:8080/a", "GET /a HTTP/1.1", "h.example:8080"},
		{"http://[2001:db8::1]:81/a", "GET /a HTTP/1.1", "[2001:db8::1]:81"},
		{"http://me@h.example/a", "GET /a HTTP/1.1", "h.example"},
		{login, "GET /a HTTP/1.1", "h.example"},
	} {
		u, err := url.Parse(test.url)
		if err != nil {
			continue
		}
		s := accesstest.Serve(t, script(ok))
		c := &Client{Dial: s.Dial}
		if r, err := c.Do(t.Context(), &access.Request{URL: u}); err != nil {
			t.Errorf("Open(%q) = %v, want a resource", test.url, err)
		} else {
			r.Body.Close()
		}
		c.CloseIdleConnections()
		s.Wait()
		got := s.Received(0)
		if !strings.HasPrefix(got, test.line) || !strings.Contains(got, "\r\nHost: "+test.host+"\r\n") {
			t.Errorf("Open(%q) sends %q, want %q and Host %q", test.url, got, test.line, test.host)
		}
		if strings.Contains(got, "Authorization") != (test.url == login) || strings.Contains(got, "sesame") || strings.Contains(got, "me@") {
			t.Errorf("Open(%q) sends %q, want no user unless the URL has a password", test.url, got)
		}
	}
}

// Bytes that RFC 1630 allows in a URL, but HTTP does not, are escaped.
//
// req: 1630-http-2
func TestTransmissible(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"/a%20b", "/a%20b"},
		{"/a b\"<>", "/a%20b%22%3C%3E"},
		{"/\x00\r\n\x7f\xe9", "/%00%0D%0A%7F%E9"},
		{"/日", "/%E6%97%A5"},
		{"/a[1]~!$&'()*+,;=:@", "/a[1]~!$&'()*+,;=:@"},
	} {
		if got := escapeForHTTP(test.in); got != test.want {
			t.Errorf("transmissible(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// loginWith is a Request.Login that returns a password.
func loginWith(password string) access.Login {
	return func(context.Context, access.Challenge) (access.Credentials, error) {
		return access.Credentials{Password: password}, nil
	}
}

func TestUserinfo(t *testing.T) {
	const want = "\r\nAuthorization: Basic bWU6c2VzYW1l\r\n" // me:sesame
	for _, test := range []struct {
		url      string
		scripts  []accesstest.Script
		password bool
	}{
		{"http://me:sesame@h/", []accesstest.Script{script(ok)}, false},
		{"http://m%65:ses%61me@h/", []accesstest.Script{script(ok)}, false},
		{"http://me@h/", []accesstest.Script{
			script("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), script(ok),
		}, true},
	} {
		s := accesstest.Serve(t, test.scripts...)
		c := &Client{Dial: s.Dial}
		asked := ""
		r, err := c.Do(t.Context(), &access.Request{
			URL: url.MustParse(test.url),
			Login: func(_ context.Context, c access.Challenge) (access.Credentials, error) {
				asked = c.Prompt()
				return access.Credentials{Password: "sesame"}, nil
			},
		})
		if err != nil {
			t.Fatalf("Open(%q) = %v, want a resource", test.url, err)
		}
		r.Body.Close()
		c.CloseIdleConnections()
		s.Wait()
		if got := s.Received(len(test.scripts) - 1); !strings.Contains(got, want) {
			t.Errorf("Open(%q) sends %q, want %q", test.url, got, want)
		}
		if (asked != "") != test.password {
			t.Errorf("Open(%q) asks %q", test.url, asked)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		reply string
		want  error
	}{
		{"401 Unauthorized", access.ErrPassword},
		{"403 Forbidden", fs.ErrPermission},
		{"404 Not Found", fs.ErrNotExist},
		{"405 Method Not Allowed", errors.ErrUnsupported},
		{"407 Proxy Authentication Required", fs.ErrPermission},
		{"410 Gone", fs.ErrNotExist},
		{"412 Precondition Failed", access.ErrChanged},
		{"416 Range Not Satisfiable", access.ErrRange},
		{"304 Not Modified", access.ErrProtocol},
		{"301 Moved Permanently", access.ErrProtocol},
		{"204 No Content", access.ErrProtocol},
		{"206 Partial Content", access.ErrProtocol},
		{"418 I'm a teapot", nil},
		{"500 Internal Server Error", nil},
		{"503 Service Unavailable", nil},
	} {
		req := &access.Request{URL: url.MustParse("http://h/")}
		_, _, err := get(t, req, accesstest.Send("HTTP/1.1 "+test.reply+"\r\nContent-Length: 0\r\n\r\n"))
		e, ok := errors.AsType[*access.Error](err)
		if !ok || e.Reply == nil || e.Reply.String() != test.reply {
			t.Errorf("%s gives %v, want an *access.Error with that reply", test.reply, err)
		}
		if test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s gives %v, want %v", test.reply, err, test.want)
		}
	}
}

// A response without content is an error, but the server has kept the protocol.
func TestNoContent(t *testing.T) {
	req := &access.Request{URL: url.MustParse("http://h/")}
	_, _, err := get(t, req, accesstest.Send("HTTP/1.1 204 No Content\r\n\r\n"))
	if want := "open http://h/: 204 No Content: the server has no content to send"; err == nil || err.Error() != want {
		t.Errorf("204 No Content gives %v, want %q", err, want)
	}
}

// RetryAfter is the time in the Retry-After field.
func TestRetryAfter(t *testing.T) {
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, test := range []struct {
		field       string
		least, most time.Duration
	}{
		{"120", 2 * time.Minute, 2 * time.Minute},
		{later, 59 * time.Minute, time.Hour},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0, 0},
		{"-1", 0, 0},
		{"99999999999999999999", 0, 0},
		{"soon", 0, 0},
	} {
		req := &access.Request{URL: url.MustParse("http://h/")}
		_, _, err := get(t, req, accesstest.Send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: "+test.field+"\r\n\r\n"))
		e, ok := errors.AsType[*access.Error](err)
		if !ok || e.RetryAfter < test.least || e.RetryAfter > test.most {
			t.Errorf("Retry-After: %s gives %+v, want %v", test.field, e, test.most)
		}
	}
}

func TestMoved(t *testing.T) {
	for _, test := range []struct {
		status, location, want string
		permanent              bool
	}{
		{"301 Moved", "https://other.example/x", "https://other.example/x", true},
		{"302 Found", "/x", "http://h/x", false},
		{"303 See Other", "x", "http://h/a/x", false},
		{"307 Temporary Redirect", "//o/x", "http://o/x", false},
		{"308 Permanent Redirect", "../x#y", "http://h/x#y", true},
		{"302 Found", "/a b\xe9", "http://h/a%20b%E9", false},
		{"302 Found", "file:///etc/passwd", "file:///etc/passwd", false},
	} {
		req := &access.Request{URL: url.MustParse("http://h/a/b")}
		_, _, err := get(t, req, accesstest.Send("HTTP/1.1 "+test.status+"\r\nLocation: "+test.location+"\r\nContent-Length: 0\r\n\r\n"))
		m, ok := errors.AsType[*access.Moved](err)
		if !ok || m.To.String() != test.want || m.Permanent != test.permanent || m.Reply.String() != test.status {
			t.Errorf("%s to %q gives %v, want a move to %q", test.status, test.location, err, test.want)
		}
	}
}

// False sizes, early ends and other protocols are errors.
func TestInvalidResponses(t *testing.T) {
	for _, test := range []struct{ name, reply, want string }{
		{"short", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "unexpected EOF"},
		{"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "unexpected EOF"},
		{"broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", "chunk"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nabc", "Content-Length"},
		{"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", "Content-Length"},
		{"no HTTP", "220 ftp.example FTP server ready\r\n", "malformed"},
		{"nothing", "", "open http://h/: the server closed the connection without an answer"},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", "malformed"},
	} {
		_, got, err := get(t, &access.Request{URL: url.MustParse("http://h/")}, accesstest.Send(test.reply))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v, want an error with %q", test.name, got, err, test.want)
		}
	}
}

func TestEndlessHeader(t *testing.T) {
	for _, start := range []string{"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: "} {
		_, _, err := get(t, &access.Request{URL: url.MustParse("http://h/")}, accesstest.Send(start), accesstest.SendForever("x: y\r\n"))
		if err == nil {
			t.Errorf("an endless header after %q gives no error", start)
		}
	}
	_, _, err := get(t, &access.Request{URL: url.MustParse("http://h/")}, accesstest.SendForever("HTTP/1.1 103 Early Hints\r\n\r\n"))
	if err == nil {
		t.Error("endless informational answers give no error")
	}
}

// An error page is not read.
func TestEndlessErrorPage(t *testing.T) {
	_, _, err := get(t, &access.Request{URL: url.MustParse("http://h/")},
		accesstest.Send("HTTP/1.1 404 Not Found\r\n\r\n"), accesstest.SendForever("sorry "))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an endless error page gives %v, want fs.ErrNotExist", err)
	}
}

func TestHeaderTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := accesstest.Serve(t, accesstest.Script{accesstest.Stall()})
		c := &Client{Dial: s.Dial}
		start := time.Now()
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/")})
		if took := time.Since(start); err == nil || took != time.Minute {
			t.Errorf("a server that keeps silent: %v after %v, want an error after a minute", err, took)
		}
	})
}

func TestRange(t *testing.T) {
	whole := "HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n" + content
	for _, test := range []struct {
		name, reply  string
		length       int64
		offset, size int64
		body         string
		err          error
	}{
		{name: "a part", reply: part206("20-25/26", content[20:]), offset: 20, size: 26, body: content[20:]},
		{name: "a part of unknown size", reply: part206("20-25/*", content[20:]), offset: 20, size: -1, body: content[20:]},
		{name: "a bounded part", reply: part206("20-21/26", content[20:22]), length: 2, offset: 20, size: 26, body: content[20:22]},
		{name: "the whole", reply: whole, offset: 0, size: 26, body: content},
		{name: "an earlier part", reply: part206("19-25/26", content[19:]), offset: 19, size: 26, body: content[19:]},
		{name: "the whole as a part", reply: part206("0-25/26", content), offset: 0, size: 26, body: content},
		{name: "a later part", reply: part206("21-25/26", content[21:]), err: access.ErrProtocol},
		{name: "a part before the offset", reply: part206("10-19/26", content[10:20]), err: access.ErrProtocol},
		{name: "not to the end", reply: part206("20-21/26", content[20:22]), err: io.ErrUnexpectedEOF},
		{name: "a short bounded part", reply: part206("20-21/26", content[20:22]), length: 4, err: io.ErrUnexpectedEOF},
		{name: "a bounded part at the end", reply: part206("20-25/26", content[20:]), length: 9, offset: 20, size: 26, body: content[20:]},
		{name: "of another length", reply: part206("20-25/26", content[20:22]), err: access.ErrProtocol},
		{name: "backwards", reply: part206("20-19/26", ""), err: access.ErrProtocol},
		{name: "past its end", reply: part206("20-26/26", content[19:]), err: access.ErrProtocol},
		{name: "no numbers", reply: part206("+20-25/26", content[20:]), err: access.ErrProtocol},
		{name: "no range", reply: "HTTP/1.1 206 Partial\r\nContent-Length: 1\r\n\r\nx", err: access.ErrProtocol},
		{
			name: "short and chunked", err: io.ErrUnexpectedEOF,
			reply: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 20-25/26\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nu\r\n0\r\n\r\n",
		},
		{
			name: "long and chunked", err: access.ErrProtocol,
			reply: "HTTP/1.1 206 Partial\r\nContent-Range: bytes 20-25/26\r\nTransfer-Encoding: chunked\r\n\r\n7\r\nuvwxyz!\r\n0\r\n\r\n",
		},
		{name: "not there", reply: "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n", err: access.ErrRange},
	} {
		req := &access.Request{URL: url.MustParse("http://h/"), Offset: 20, Length: test.length}
		r, got, err := get(t, req, accesstest.Send(test.reply))
		if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
		if err == nil && (r.Offset != test.offset || r.Size != test.size || got != test.body) {
			t.Errorf("%s: offset %d, size %d, %q, want %d, %d, %q", test.name, r.Offset, r.Size, got, test.offset, test.size, test.body)
		}
	}
}

func part206(span, body string) string {
	return fmt.Sprintf("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes %s\r\nContent-Length: %d\r\n\r\n%s", span, len(body), body)
}

func TestConditions(t *testing.T) {
	when := time.Date(1994, 12, 1, 8, 0, 0, 500, time.UTC)
	const date = "Thu, 01 Dec 1994 08:00:00 GMT"
	for _, test := range []struct {
		req         access.Request
		sends, says string
		want        error
	}{
		{access.Request{IfChanged: access.Validator{ETag: `W/"1"`}}, `If-None-Match: W/"1"`, "304 Not Modified\r\n\r\n", access.ErrNotModified},
		{access.Request{IfChanged: access.Validator{ModTime: when}}, "If-Modified-Since: " + date, "304 Not Modified\r\n\r\n", access.ErrNotModified},
		{access.Request{IfChanged: access.Validator{ETag: `"1"`}}, `If-None-Match: "1"`, "200 OK\r\nContent-Length: 0\r\n\r\n", nil},
		{access.Request{Offset: 1, IfMatch: access.Validator{ETag: `"1"`}}, `If-Range: "1"`, "206 Part\r\nETag: \"1\"\r\nContent-Range: bytes 1-1/2\r\n\r\nb", nil},
		{access.Request{Offset: 1, IfMatch: access.Validator{ETag: `"1"`}}, `If-Range: "1"`, "206 Part\r\nContent-Range: bytes 1-1/2\r\n\r\nb", nil},
		{access.Request{Offset: 1, IfMatch: access.Validator{ETag: `"1"`}}, `If-Range: "1"`, "200 OK\r\nETag: \"2\"\r\nContent-Length: 0\r\n\r\n", access.ErrChanged},
		{access.Request{Offset: 1, IfMatch: access.Validator{ETag: `"1"`}}, `If-Range: "1"`, "200 OK\r\nETag: \"1\"\r\nContent-Length: 0\r\n\r\n", nil},
		{access.Request{Offset: 1, IfMatch: access.Validator{ETag: `"1"`}}, `If-Range: "1"`, "200 OK\r\nContent-Length: 0\r\n\r\n", access.ErrChanged},
		{access.Request{Offset: 1, IfMatch: access.Validator{ETag: `W/"1"`, ModTime: when}}, "If-Range: " + date, "200 OK\r\nETag: W/\"2\"\r\nContent-Length: 0\r\n\r\n", access.ErrChanged},
		{access.Request{Offset: 1, IfMatch: access.Validator{ModTime: when}}, "If-Range: " + date, "206 Part\r\nLast-Modified: " + date + "\r\nContent-Range: bytes 1-1/2\r\n\r\nb", nil},
		{access.Request{Offset: 1, IfMatch: access.Validator{ModTime: when}}, "If-Range: " + date, "206 Part\r\nLast-Modified: Fri, 02 Dec 1994 08:00:00 GMT\r\nContent-Range: bytes 1-1/2\r\n\r\nb", access.ErrChanged},
	} {
		s := accesstest.Serve(t, script("HTTP/1.1 "+test.says))
		c := &Client{Dial: s.Dial}
		test.req.URL = url.MustParse("http://h/")
		r, err := c.Do(t.Context(), &test.req)
		if err == nil {
			r.Body.Close()
		}
		c.CloseIdleConnections()
		s.Wait()
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s answered with %q: %v, want %v", test.sends, test.says, err, test.want)
		}
		if got := s.Received(0); !strings.Contains(got, "\r\n"+test.sends+"\r\n") {
			t.Errorf("the request is %q, want %q in it", got, test.sends)
		}
	}
}

func TestStat(t *testing.T) {
	head := accesstest.Converse(func(line string) (string, bool) { return "", line != "" })
	for _, test := range []struct {
		name    string
		replies []string
		size    int64
		err     error
	}{
		{"by HEAD", []string{"200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"}, 7, nil},
		{"by a part", []string{"405 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\n", "206 Part\r\nContent-Range: bytes 0-0/9\r\nContent-Length: 1\r\n\r\nx"}, 9, nil},
		{"by the whole", []string{"501 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\n", "200 OK\r\nContent-Length: 8\r\n\r\nx"}, 8, nil},
		{"of nothing", []string{
			"405 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\n",
			"416 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "200 OK\r\nContent-Length: 0\r\n\r\n",
		}, 0, nil},
		{"not found", []string{"404 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"}, 0, fs.ErrNotExist},
		{"never", []string{"405 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\n", "405 No\r\nContent-Length: 0\r\n\r\n"}, 0, errors.ErrUnsupported},
	} {
		var scripts []accesstest.Script
		for _, reply := range test.replies {
			scripts = append(scripts, accesstest.Script{head, accesstest.Send("HTTP/1.1 " + reply)})
		}
		c := &Client{Dial: accesstest.Serve(t, scripts...).Dial}
		e, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("http://h/a/b%20c")})
		if !errors.Is(err, test.err) {
			t.Errorf("Stat %s = %v, want %v", test.name, err, test.err)
		}
		if err == nil && (e.Size != test.size || e.Title != "b c" || e.Kind != access.Object) {
			t.Errorf("Stat %s = %q, %v of %d bytes, want %q, object of %d", test.name, e.Title, e.Kind, e.Size, "b c", test.size)
		}
		c.CloseIdleConnections()
	}
}

func TestRedirectLoop(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, map[string]string{"/a": "/b", "/b": "/a"}[r.URL.Path], http.StatusFound)
	}))
	defer s.Close()
	c := &Client{Dial: dialTo(s.Listener.Addr().String())}
	defer c.CloseIdleConnections()
	_, err := access.Follow{Engine: c}.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/a")})
	if !errors.Is(err, access.ErrRedirect) || !strings.Contains(err.Error(), "leads back to an earlier URL") {
		t.Errorf("a loop of redirects gives %v, want access.ErrRedirect", err)
	}
}

func FuzzAnswer(f *testing.F) {
	engine := func(dial proto.Dial) access.Engine { return &Client{Dial: dial} }
	accesstest.Fuzz(f, engine, url.MustParse("http://h/"),
		[2]string{ok}, [2]string{part206("0-1/2", "ab")},
		[2]string{"HTTP/1.1 302 Found\r\nLocation: http://[::1%25x]/\r\n\r\n"},
		[2]string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"})
}

// A proxy recognises its own requests by Via.
func TestVia(t *testing.T) {
	for via, want := range map[string]string{"": "", "us": "\r\nVia: 1.1 us\r\n"} {
		s := accesstest.Serve(t, script(ok))
		c := &Client{Dial: s.Dial, Via: via}
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("http://h.example/")})
		if err != nil {
			t.Fatalf("Via %q: %v", via, err)
		}
		r.Body.Close()
		c.CloseIdleConnections()
		s.Wait()
		if got := s.Received(0); !strings.Contains(got, want) {
			t.Errorf("with Via %q it sends %q", via, got)
		}
	}
}

// Via has the hops of the original request.
func TestViaPassed(t *testing.T) {
	for via, want := range map[string]string{
		"": "\r\nVia: 1.0 a, 1.1 b\r\n", "us": "\r\nVia: 1.0 a, 1.1 b, 1.1 us\r\n", "b": "\r\nVia: 1.0 a, 1.1 b\r\n",
	} {
		s := accesstest.Serve(t, script(ok))
		c := &Client{Dial: s.Dial, Via: via}
		r, err := c.Do(WithVia(t.Context(), "1.0 a, 1.1 b"), &access.Request{URL: url.MustParse("http://h.example/")})
		if err != nil {
			t.Fatalf("Get with Via %q: %v", via, err)
		}
		r.Body.Close()
		c.CloseIdleConnections()
		s.Wait()
		if got := s.Received(0); !strings.Contains(got, want) {
			t.Errorf("with Via %q it sends %q", via, got)
		}
	}
}
