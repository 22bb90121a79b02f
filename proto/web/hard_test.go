package web

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/weburl"
	"locus/internal/weburl/hard"
	"locus/url"
)

// requestLine returns the request line that the client sends for req.
func requestLine(t *testing.T, c *Client, req *access.Request) string {
	t.Helper()
	s := accesstest.Serve(t, script(ok))
	c.Dial = s.Dial
	r, err := c.Do(t.Context(), req)
	if err != nil {
		t.Errorf("Do(%v) = %v, want a resource", req.URL, err)
		return ""
	}
	r.Body.Close()
	c.CloseIdleConnections()
	s.Wait()
	line, _, _ := strings.Cut(s.Received(0), "\r\n")
	return line
}

// A URL of the web is sent as a browser sends it.
func TestHardURLs(t *testing.T) {
	for _, test := range hard.References() {
		for _, text := range []string{"http://h.example/" + test.Text, "http://h.example//" + test.Text} {
			u, ok := weburl.Resolve(url.URL{}, text)
			if !ok {
				t.Fatalf("Resolve(%q) failed", text)
			}
			want := "GET " + u.PathAndQuery() + " HTTP/1.1"
			if strings.HasPrefix(u.PathAndQuery(), "//") && strings.ContainsAny(u.PathAndQuery(), "%|^[]") {
				want = "GET http://h.example" + u.PathAndQuery() + " HTTP/1.1" // net/http has no other way to write such a path
			}
			got := requestLine(t, &Client{}, &access.Request{URL: u})
			if short := strings.Replace(want, "http://h.example", "", 1); got != want && got != short {
				t.Errorf("Do(%q) sends %q, want %q", text, got, short)
			}
		}
	}
}

// A proxy gets the whole URL.
func TestHardURLsByProxy(t *testing.T) {
	for _, test := range hard.References() {
		u, _ := weburl.Resolve(url.URL{}, "http://h.example/"+test.Text)
		c := &Client{Proxy: func(u url.URL) (url.URL, bool) {
			if host, _ := u.Host(); host != "h.example" || u.PathAndQuery() != test.Target {
				t.Errorf("Proxy(%v) for %q, want the target %q", u, test.Text, test.Target)
			}
			return url.MustParse("http://proxy.example:3128"), true
		}}
		got := requestLine(t, c, &access.Request{URL: u})
		if want := "GET http://h.example" + test.Target + " HTTP/1.1"; got != want {
			t.Errorf("Do(%q) sends %q to a proxy, want %q", test.Text, got, want)
		}
		got = gatewayLine(t, u)
		if want := "GET http://h.example" + test.Target + " HTTP/1.1"; got != want {
			t.Errorf("Gateway.Do(%q) sends %q, want %q", test.Text, got, want)
		}
	}
}

// gatewayLine returns the request line that a Gateway sends for u.
func gatewayLine(t *testing.T, u url.URL) string {
	t.Helper()
	s := accesstest.Serve(t, script(ok))
	g := Gateway{Client: &Client{Dial: s.Dial}, At: url.MustParse("http://proxy.example:3128/")}
	r, err := g.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Errorf("Gateway.Do(%v) = %v, want a resource", u, err)
		return ""
	}
	r.Body.Close()
	g.Client.CloseIdleConnections()
	s.Wait()
	line, _, _ := strings.Cut(s.Received(0), "\r\n")
	return line
}

// A Location leads where it leads a browser, and keeps the login of the same server.
func TestHardLocations(t *testing.T) {
	from := url.MustParse("http://me:sesame@h.example/from")
	for _, test := range hard.References() {
		for _, location := range []string{"/" + test.Text, "http://H.example:80/" + test.Text} {
			resp := &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {location}}}
			moved, ok := errors.AsType[*access.Moved](movedError(from, resp))
			if !ok || moved.To.PathAndQuery() != test.Target || !strings.HasPrefix(moved.To.String(), "http://me:sesame@h.example/") {
				t.Errorf("the Location %q leads to %v, want the target %q", location, moved, test.Target)
				continue
			}
			if line, want := requestLine(t, &Client{}, &access.Request{URL: moved.To}), "GET "+test.Target+" HTTP/1.1"; line != want {
				t.Errorf("the Location %q sends %q, want %q", location, line, want)
			}
		}
	}
}

// The names in a listing are opened as a browser opens them.
func TestHardListing(t *testing.T) {
	var text strings.Builder
	text.WriteString("<title>Index of /</title>")
	var want []string
	for _, test := range hard.References() {
		if !strings.ContainsAny(test.Target, "?") && strings.Count(test.Target, "/") == 1 && !strings.Contains(test.Text, "/") && !strings.Contains(test.Text, "%") {
			fmt.Fprintf(&text, "<a href=\"%s\">x</a>", strings.ReplaceAll(test.Text, `"`, "&quot;"))
			want = append(want, "http://h"+test.Target)
		}
	}
	got := []string{}
	all, err := entriesOf(t, Listed(page("http://h/", "text/html", text.String())))
	for _, e := range all {
		got = append(got, e[strings.LastIndex(e, " ")+1:])
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the page %q lists %q, %v, want %q", text.String(), got, err, want)
	}
}

// The client of a Go program sends a URL through Send as net/http does.
func TestHardSend(t *testing.T) {
	lines := make(chan string, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { lines <- r.RequestURI })}}
	s.Start()
	defer s.Close()
	for _, ref := range []string{"?a[]=1", "css?family=A|B", "x[1].jpg", "?{1}", "?^`", `?a\b`, "?%", "%c3%A9"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/"+ref, nil)
		if err != nil {
			t.Fatalf("NewRequest(%q): %v", ref, err)
		}
		u, _, err := URLsOf(r)
		if err != nil {
			t.Errorf("URLsOf(%q) = %v, want a URL", ref, err)
			continue
		}
		c := &Client{Dial: dialTo(l.Addr().String())}
		resource, err := c.Do(t.Context(), &access.Request{Op: access.Send, URL: u, Sys: r})
		if err != nil {
			t.Errorf("Do(%q) = %v, want a response", ref, err)
			continue
		}
		io.Copy(io.Discard, resource.Body)
		resource.Body.Close()
		c.CloseIdleConnections()
		if got := <-lines; got != "/"+ref {
			t.Errorf("Send(%q) requests %q, want %q", ref, got, "/"+ref)
		}
	}
}
