package locus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	neturl "net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/cache"
	"locus/guard"
	"locus/limit"
	"locus/terminal"
	"locus/url"
)

// A form arrives with cookies, type and login, and the response of the server comes back.
func TestHTTPPostForm(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s1"})
		w.Header().Set("X-Answer", "42")
		io.WriteString(w, "posted")
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	hc := town.client.HTTP()
	hc.Jar = jar
	for _, cookie := range []string{"", "session=s1"} {
		resp, err := hc.PostForm("http://u:pw@a.example/x?y", neturl.Values{"q": {"a b"}})
		if err != nil {
			t.Fatalf("PostForm with the cookie %q: %v", cookie, err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || string(text) != "posted" || resp.Header.Get("X-Answer") != "42" || err != nil {
			t.Errorf("PostForm with the cookie %q = %s, %q, %v, %v, want 200, \"posted\" and X-Answer: 42", cookie, resp.Status, text, resp.Header, err)
		}
		asked, header, _ := town.heard()
		if want := []string{"POST a.example/x?y q=a+b"}; !slices.Equal(asked, want) {
			t.Fatalf("PostForm with the cookie %q asks %q, want %q", cookie, asked, want)
		}
		for name, want := range map[string]string{
			"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic dTpwdw==", "Content-Length": "5",
			"User-Agent": "locus",
		} {
			if got := header[0].Get(name); got != want {
				t.Errorf("PostForm sends %s %q, want %q", name, got, want)
			}
		}
	}
}

// Every method, field and status passes through unchanged.
func TestHTTPUnchanged(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(path.Base(r.URL.Path))
		w.Header().Set("X-Answer", r.Header.Get("X-Question"))
		w.Header().Set("Etag", `"e"`)
		if code == http.StatusPartialContent {
			w.Header().Set("Content-Range", "bytes 5-8/10")
		}
		w.WriteHeader(code)
		if code != http.StatusNoContent && code != http.StatusNotModified {
			io.WriteString(w, "body")
		}
	})
	client := town.client.HTTP()
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "MKCOL", "X-OWN"} {
		for _, code := range []int{200, 201, 202, 203, 204, 206, 207, 300, 304, 400, 401, 403, 404, 405, 407, 409, 412, 416, 418, 429, 500, 501, 503, 507, 599} {
			u := "http://a.example/" + strconv.Itoa(code)
			r, err := http.NewRequestWithContext(t.Context(), method, u, strings.NewReader("sent"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{
				"X-Question": {"why"}, "Range": {"bytes=5-8"}, "If-Match": {`"e"`}, "Content-Encoding": {"x"}, "Authorization": {"Bearer t"},
				"User-Agent": {"me/1"}, "Accept": {"a/b"}, "Accept-Encoding": {"br"}, "X-Many": {"1", "2"}, "Last-Modified": {"x"},
			}
			resp, err := client.Do(r)
			if err != nil {
				t.Errorf("%s %s = %v", method, u, err)
				continue
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			want := "body"
			if method == "HEAD" || code == 204 || code == 304 {
				want = ""
			}
			if resp.StatusCode != code || string(text) != want || err != nil || resp.Header.Get("X-Answer") != "why" || resp.Header.Get("Etag") != `"e"` {
				t.Errorf("%s %s = %s, %q, %v, %v", method, u, resp.Status, text, err, resp.Header)
			}
			if resp.Request.URL.String() != u {
				t.Errorf("the URL of the response is %q, want %q", resp.Request.URL, u)
			}
			asked, header, _ := town.heard()
			if wanted := method + " a.example/" + strconv.Itoa(code) + " sent"; len(asked) != 1 || asked[0] != wanted {
				t.Errorf("%s %s asks %q, want %q once", method, u, asked, wanted)
				continue
			}
			got := header[0]
			got.Del("Content-Length")
			if fmt.Sprint(got) != fmt.Sprint(r.Header) {
				t.Errorf("%s %s sends %v, want %v", method, u, got, r.Header)
			}
		}
	}
}

// The Host of a request, its stream and its trailers are sent, and trailers of the response
// arrive.
func TestHTTPStream(t *testing.T) {
	var trailer http.Header
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		trailer = r.Trailer
		w.Header().Set("Trailer", "X-Announced")
		io.WriteString(w, r.Host)
		w.Header().Set("X-Announced", "yes")
		w.Header().Set(http.TrailerPrefix+"X-Late", "too")
	})
	r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://a.example/x", io.MultiReader(strings.NewReader("a "), strings.NewReader("stream")))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "c.example"
	r.Trailer = http.Header{"X-Sum": {"7"}}
	resp, err := town.client.HTTP().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	asked, _, _ := town.heard()
	if string(text) != "c.example" || err != nil || asked[0] != "PUT c.example/x a stream" || trailer.Get("X-Sum") != "7" {
		t.Errorf("PUT asks %q with the trailer %v, and reads %q, %v", asked, trailer, text, err)
	}
	if resp.Trailer.Get("X-Announced") != "yes" || resp.Trailer.Get("X-Late") != "too" {
		t.Errorf("the trailer of the response is %v", resp.Trailer)
	}
}

// CheckRedirect and Jar see each redirect. Without a CheckRedirect, redirects are followed
// as net/http does.
func TestHTTPRedirects(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "at", Value: r.Host})
		signpost(w, r)
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	hc := town.client.HTTP()
	hc.Jar = jar
	hc.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		seen = append(seen, fmt.Sprint(r.URL, " ", len(via)))
		return nil
	}
	resp, err := hc.PostForm("http://a.example"+pointing(303, "http://b.example"+pointing(307, "http://a.example/x")), neturl.Values{"q": {"1"}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(seen) != 2 || resp.StatusCode != 200 || resp.Request.URL.String() != "http://a.example/x" {
		t.Errorf("CheckRedirect sees %q, and the response is %s of %q", seen, resp.Status, resp.Request.URL)
	}
	asked, header, _ := town.heard()
	if len(asked) != 3 || asked[2] != "GET a.example/x" || header[2].Get("Cookie") != "at=a.example" || header[1].Get("Cookie") != "" {
		t.Errorf("a form that is answered with redirects asks %q with the cookies %v", asked, header)
	}
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err = hc.Get("http://a.example" + pointing(302, "file:///etc/passwd"))
	if err != nil || resp.StatusCode != 302 || resp.Header.Get("Location") != "file:///etc/passwd" {
		t.Errorf("a redirect that the program does not follow = %v, %v, want 302", resp, err)
	}
}

// A login and a cookie of the program are sent only to the same host.
func TestHTTPRedirectFields(t *testing.T) {
	town := newTown(t, signpost)
	for to, want := range map[string][]string{"/x": {"Bearer t", "a=b"}, "http://b.example/x": {"", ""}} {
		header := http.Header{"Authorization": {"Bearer t"}, "Cookie": {"a=b"}}
		_, _, err := do(t, town.client, "GET", "http://a.example"+pointing(302, to), "", header)
		_, got, _ := town.heard()
		if err != nil || len(got) != 2 || !slices.Equal([]string{got[1].Get("Authorization"), got[1].Get("Cookie")}, want) {
			t.Errorf("a redirect to %q is asked with %v, %v, want %q", to, got, err, want)
		}
	}
}

// A change is sent to another URL as net/http does.
func TestHTTPRedirectMethods(t *testing.T) {
	town := newTown(t, signpost)
	for _, test := range []struct {
		method string
		code   int
		body   io.Reader
		want   string // the last request; "": the redirect is the response
	}{
		{"POST", 303, strings.NewReader("sent"), "GET b.example/x"},
		{"POST", 302, strings.NewReader("sent"), "GET b.example/x"},
		{"DELETE", 303, nil, "GET b.example/x"},
		{"POST", 307, strings.NewReader("sent"), "POST b.example/x sent"},
		{"PATCH", 308, strings.NewReader("sent"), "PATCH b.example/x sent"},
		{"PUT", 307, io.MultiReader(strings.NewReader("sent")), ""},
		{"POST", 300, strings.NewReader("sent"), ""},
		{"GET", 300, nil, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, "http://a.example"+pointing(test.code, "http://b.example/x"), test.body)
		if err != nil {
			t.Fatalf("%s: %v", test.method, err)
		}
		resp, err := town.client.HTTP().Do(r)
		asked, _, _ := town.heard()
		if err != nil {
			t.Errorf("%s answered with %d = %v", test.method, test.code, err)
			continue
		}
		resp.Body.Close()
		if test.want == "" && (len(asked) != 1 || resp.StatusCode != test.code) || test.want != "" && (len(asked) != 2 || asked[1] != test.want) {
			t.Errorf("%s answered with %d = %s after %q, want %q", test.method, test.code, resp.Status, asked, test.want)
		}
	}
}

// Without redirects, the redirect is the response, whatever the CheckRedirect of the program.
func TestHTTPNoRedirects(t *testing.T) {
	town := newTown(t, signpost)
	c := &Client{Dial: town.dial, NoRedirects: true}
	defer c.Close()
	hc := c.HTTP()
	from := "http://a.example" + pointing(302, "http://b.example/x")
	if resp, err := hc.Get(from); err != nil || resp.StatusCode != 302 {
		t.Errorf("a redirect = %v, %v, want 302", resp, err)
	}
	hc.CheckRedirect = nil
	if resp, err := hc.Get(from); !errors.Is(err, access.ErrRedirect) {
		t.Errorf("a redirect that the program follows = %v, %v, want access.ErrRedirect", resp, err)
	}
}

// A 401 is answered with the login of the URL or of the Client, if the body can be sent again.
func TestHTTPLogin(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); ok && user == "me" && password == "pw" {
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "who are you?")
	})
	knows := func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		return access.Credentials{User: "me", Password: "pw"}, nil
	}
	for _, test := range []struct {
		name  string
		login func(context.Context, access.Challenge) (access.Credentials, error)
		url   string
		own   string // Authorization
		body  io.Reader
		code  int
		asked int
	}{
		{"no login", nil, "http://a.example/x", "", nil, 401, 1},
		{"a login", knows, "http://a.example/x", "", nil, 200, 2},
		{"a user in the URL", knows, "http://me@a.example/x", "", nil, 200, 2},
		{"a user without a password", nil, "http://me@a.example/x", "", nil, 401, 1},
		{"a login in the URL", nil, "http://me:pw@a.example/x", "", nil, 200, 1},
		{"a login of the request", knows, "http://a.example/x", "Bearer t", nil, 401, 1},
		{"a body", knows, "http://a.example/x", "", strings.NewReader("sent"), 200, 2},
		{"a stream", knows, "http://a.example/x", "", io.MultiReader(strings.NewReader("sent")), 401, 1},
		{"a login that fails", noLogin, "http://a.example/x", "", nil, 401, 1},
	} {
		c := &Client{Dial: town.dial, Login: test.login}
		r, err := http.NewRequestWithContext(t.Context(), "POST", test.url, test.body)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if test.own != "" {
			r.Header.Set("Authorization", test.own)
		}
		resp, err := c.HTTP().Do(r)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		asked, _, _ := town.heard()
		if resp.StatusCode != test.code || len(asked) != test.asked || err != nil || test.code == 401 && string(body) != "who are you?" {
			t.Errorf("%s: %s, %q, %v after %q, want %d after %d", test.name, resp.Status, body, err, asked, test.code, test.asked)
		}
		c.Close()
	}
}

// With a Jar, a redirect to the same URL is followed if the server has set a cookie.
func TestHTTPRedirectToItself(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil && r.URL.Path == "/x" {
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	hc := town.client.HTTP()
	hc.Jar = jar
	resp, err := hc.Get("http://a.example/x")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("a redirect to the same URL, with a cookie = %v, %v, want 200", resp, err)
	}
	town.heard()
	_, err = hc.Get("http://a.example/y")
	if asked, _, _ := town.heard(); !errors.Is(err, access.ErrRedirect) || len(asked) != 1 {
		t.Errorf("redirects to the same URL without end = %v after %q, want access.ErrRedirect after one", err, asked)
	}
}

// The policies of the Client hold for each request and each redirect.
func TestHTTPPolicies(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/long") {
			io.WriteString(w, strings.Repeat("x", 100))
			return
		}
		signpost(w, r)
	})
	own := func(c *Client) *http.Client {
		c.Dial, c.Engines = town.client.Dial, town.client.Engines
		return c.HTTP()
	}
	plain := func(c *Client) *http.Client {
		c.Dial = town.dial
		return c.HTTP()
	}
	for _, test := range []struct {
		name   string
		client *http.Client
		method string
		url    string
		want   error // of the request, or of reading the response
	}{
		{"a port", own(&Client{}), "POST", "http://a.example:25/x", fs.ErrPermission},
		{"a port after a redirect", own(&Client{}), "GET", "http://a.example" + pointing(302, "http://a.example:25/x"), fs.ErrPermission},
		{"a file after a redirect", own(&Client{}), "POST", "http://a.example" + pointing(307, "file:///x"), access.ErrRedirect},
		{"a session after a redirect", own(&Client{}), "GET", "http://a.example" + pointing(302, "telnet://a.example/"), access.ErrRedirect},
		{"a redirect without encryption", own(&Client{}), "GET", "https://u@example.com" + pointing(302, "http://example.com/x"), access.ErrRedirect},
		{"a private address", plain(&Client{Public: true}), "POST", "http://127.0.0.1/x", access.ErrNotPublic},
		{"a URL that programs read differently", plain(&Client{Public: true}), "GET", "http://a.example\\@b.example/", errAny},
		{"a proxy that resolves", plain(&Client{Proxy: func(url.URL) (url.URL, bool) { return url.MustParse("http://p.example:3128"), true }}), "GET", "http://a.example/x", errAny},
		{"a limit", own(&Client{Limits: Limits{Bytes: 99}}), "POST", "http://a.example/long", ErrTooLarge},
		{"no limit", own(&Client{Limits: Limits{Bytes: 100}}), "POST", "http://a.example/long", nil},
		{"a closed client", func() *http.Client { c := &Client{Dial: town.dial}; c.Close(); return c.HTTP() }(), "POST", "http://a.example/x", ErrClosed},
		{"no network", new(Client).HTTP(), "POST", "http://a.example/x", access.ErrNoDial},
		{"a tunnel", own(&Client{}), "CONNECT", "http://a.example/x", errors.ErrUnsupported},
	} {
		town.heard()
		r := &http.Request{Method: test.method, Header: http.Header{}, URL: asURL(t, test.url)}
		resp, err := test.client.Do(r.WithContext(t.Context()))
		status := 0
		if err == nil {
			status = resp.StatusCode
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if test.want == nil && err != nil || test.want != nil && err == nil || test.want != nil && test.want != errAny && !errors.Is(err, test.want) {
			t.Errorf("%s: %s %s = %d, %v, want %v", test.name, test.method, test.url, status, err, test.want)
		}
	}
}

func asURL(t *testing.T, text string) *neturl.URL {
	t.Helper()
	u, err := neturl.Parse(text)
	if err != nil {
		return &neturl.URL{Scheme: "http", Opaque: strings.TrimPrefix(text, "http:")}
	}
	return u
}

// Cache and Retries step aside. The turn of a Limiter is held until the Body is closed.
func TestHTTPWrappers(t *testing.T) {
	failing := true
	town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=100")
		if failing {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		io.WriteString(w, "x")
	})
	c := &Client{Dial: town.dial, Engines: town.client.Engines, Retries: 3, Cache: new(cache.Cache), Limiter: &limit.Limiter{PerServer: 1}, Rate: &limit.Rate{PerSecond: 1 << 20}}
	defer c.Close()
	for _, failing = range []bool{true, false, false} {
		resp, err := c.HTTP().Post("http://a.example/x", "text/plain", strings.NewReader("x"))
		if err != nil {
			t.Fatalf("POST to a server that fails %v: %v", failing, err)
		}
		if asked, _, _ := town.heard(); len(asked) != 1 {
			t.Errorf("POST to a server that fails %v asks %q, want it once", failing, asked)
		}
		resp.Body.Close()
	}
}

// The fields of Client.Header are sent, unless the request has its own.
func TestHTTPHeaderHook(t *testing.T) {
	town := newTown(t, signpost)
	c := &Client{Dial: town.dial, Header: func(u url.URL) map[string]string {
		return map[string]string{"X-Token": "t", "X-Own": "hook"}
	}}
	defer c.Close()
	r, err := http.NewRequestWithContext(t.Context(), "PATCH", "http://a.example/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Own", "request")
	resp, err := c.HTTP().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if _, header, _ := town.heard(); header[0].Get("X-Token") != "t" || header[0].Get("X-Own") != "request" {
		t.Errorf("the header is %v", header)
	}
}

// A field that would change the meaning of a request is refused over protocols that cannot
// send it.
func TestHTTPRefusesFields(t *testing.T) {
	for _, test := range []struct {
		method, name, value string
		refused             bool
	}{
		{"GET", "Authorization", "Bearer t", true},
		{"GET", "Authorization", "Basic dTpwdw==", false},
		{"GET", "Cookie", "a=b", true},
		{"PUT", "Content-Encoding", "gzip", true},
		{"PUT", "Content-Encoding", "identity", false},
		{"PUT", "Content-Range", "bytes 1-2/3", true},
		{"PUT", "Expect", "100-continue", false},
		{"PUT", "Expect", "202-accepted", true},
		{"PUT", "If", "(<urn:x>)", true},
		{"DELETE", "Lock-Token", "<urn:x>", true},
		{"POST", "X-HTTP-Method-Override", "DELETE", true},
		{"GET", "Upgrade", "websocket", true},
		{"GET", "Accept", "text/html", false},
		{"GET", "User-Agent", "me", false},
		{"GET", "Traceparent", "00-1-1-01", false},
		{"PUT", "Content-Type", "text/plain", false},
	} {
		var noted []string
		resp, _, err := do(t, notes{&noted}, test.method, "x://h/", "", http.Header{test.name: {test.value}})
		if test.refused != (err != nil) || test.refused != (len(noted) == 0) {
			t.Errorf("%s with %s: %q = %v, %v after %q, want it refused: %v", test.method, test.name, test.value, resp, err, noted, test.refused)
		}
		if test.refused && (!errors.Is(err, fs.ErrInvalid) || strings.Contains(err.Error(), test.value)) {
			t.Errorf("%s with %s: %q = %v, want fs.ErrInvalid without the value", test.method, test.name, test.value, err)
		}
	}
}

// The user and the password of a field Authorization are the login of another protocol.
func TestHTTPBasicIsLogin(t *testing.T) {
	var got access.Credentials
	asks := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		got, _ = engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: "h"})
		return text(req)
	})
	_, _, err := do(t, asks, "GET", "ftp://h/x", "", http.Header{"Authorization": {"Basic dTpwdw=="}})
	if want := (access.Credentials{User: "u", Password: "pw"}); got != want || err != nil {
		t.Errorf("the login is %v, %v, want %v", got, err, want)
	}
}

// The conditions If-Match and If-Unmodified-Since hold for a GET over every protocol.
func TestHTTPConditions(t *testing.T) {
	for _, test := range []struct {
		name, value string
		code        int
	}{
		{"If-Match", `"1"`, 200},
		{"If-Match", `"0", "1"`, 200},
		{"If-Match", "*", 200},
		{"If-Match", `W/"1"`, 412},
		{"If-Match", `"0"`, 412},
		{"If-Unmodified-Since", "Thu, 01 Dec 1994 08:00:00 GMT", 200},
		{"If-Unmodified-Since", "Thu, 01 Dec 1994 07:59:59 GMT", 412},
		{"If-Unmodified-Since", "yesterday", 200},
	} {
		resp, _, err := do(t, things, "GET", "gopher://h/0/text", "", http.Header{test.name: {test.value}})
		if err != nil || resp.StatusCode != test.code {
			t.Errorf("GET with %s: %s = %v, %v, want %d", test.name, test.value, resp, err, test.code)
		}
	}
}

// An http.Client and a file system refuse interactive sessions.
func TestHTTPRefusesSessions(t *testing.T) {
	open := 0
	screen := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		open++
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Session: new(noSession), Body: closer{strings.NewReader("login: "), &open}}, nil
	})
	for _, u := range []string{"telnet://h/", "rlogin://h/", "tn3270://h/", "gopher://h/8"} {
		if resp, _, err := do(t, screen, "GET", u, "", nil); !errors.Is(err, errors.ErrUnsupported) || open != 0 {
			t.Errorf("GET %s = %v, %v with %d open, want errors.ErrUnsupported", u, resp, err, open)
		}
		fsys, err := fileSystem(t.Context(), screen, url.MustParse(u))
		if err == nil && u != "gopher://h/8" { // whose scheme does not tell that it is a session
			t.Errorf("the file system of %s has no error, want errors.ErrUnsupported", u)
		}
		if err == nil {
			_, err = fs.ReadFile(fsys, "x")
		}
		if !errors.Is(err, errors.ErrUnsupported) || open != 0 {
			t.Errorf("a file of %s = %v with %d open, want errors.ErrUnsupported", u, err, open)
		}
	}
}

// A port that the client refuses is an error, not the response of a server.
func TestHTTPRefusesPorts(t *testing.T) {
	c := &Client{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("dialled") }}
	for _, u := range []string{"http://h:25/", "ftp://h:25/", "gopher://h:25/", "wais://h:25/db"} {
		for _, method := range []string{"GET", "HEAD"} {
			req, err := http.NewRequestWithContext(t.Context(), method, u, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.HTTP().Do(req)
			if _, refused := errors.AsType[*guard.PortError](err); !refused {
				t.Errorf("%s %s = %v, %v, want a *guard.PortError", method, u, resp, err)
			}
		}
	}
}

// A noSession is a session whose methods are not called.
type noSession struct{ terminal.Session }

// A refusal of this program is an error, because a response would seem to come from the
// server.
func TestHTTPRefusalIsNoResponse(t *testing.T) {
	for name, why := range map[string]error{"a port": &guard.PortError{Port: 25, Protocol: "smtp"}, "an address": access.ErrNotPublic} {
		for _, method := range []string{"GET", "HEAD", "PUT"} {
			refuses := toyOf(fail(why))
			if resp, _, err := do(t, refuses, method, "ftp://h/x", "", nil); !errors.Is(err, why) {
				t.Errorf("%s of %s that is refused = %v, %v, want an error", method, name, resp, err)
			}
		}
	}
}

// toyOf is an Engine that answers every Op with f.
type toyOf func(*access.Request) (*access.Resource, error)

func (f toyOf) Do(_ context.Context, req *access.Request) (*access.Resource, error) { return f(req) }

// A body that is larger than any buffer passes while the server reads it.
func TestHTTPLargeBody(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	resp, err := town.client.HTTP().Post("http://a.example/x", "text/plain", struct{ io.Reader }{bytes.NewReader(want)})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if asked, _, _ := town.heard(); asked[0] != "POST a.example/x "+string(want) {
		t.Errorf("the server has read %d bytes, want %d", len(asked[0]), len(want))
	}
}
