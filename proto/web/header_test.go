package web_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// Fields of the caller are sent only to the host for which they were given, and replace only
// User-Agent and Accept.
func TestHeader(t *testing.T) {
	var got http.Header
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer s.Close()
	at := url.MustParse(s.URL + "/x")
	c := &web.Client{Dial: new(net.Dialer).DialContext, Header: func(u url.URL) map[string]string {
		if u.Path() != "/x" {
			return nil
		}
		return map[string]string{"authorization": "Bearer secret", "User-Agent": "me", "accept": "text/html", "Range": "bytes=0-0", "X-Team": "docs"}
	}}
	for _, test := range []struct {
		req                          *access.Request
		bearer, agent, accept, scope string
	}{
		{&access.Request{URL: at, Op: access.Stat}, "Bearer secret", "me", "text/html", "bytes=0-0"},
		{&access.Request{URL: at, Offset: 7, Length: 2, Op: access.Get}, "Bearer secret", "me", "text/html", "bytes=7-8"},
		{&access.Request{URL: url.MustParse(s.URL + "/y"), Op: access.Stat}, "", "locus", "*/*", ""},
		{&access.Request{URL: url.MustParse("http://u:p@" + s.Listener.Addr().String() + "/x"), Op: access.Stat}, "Basic dTpw", "me", "text/html", "bytes=0-0"},
	} {
		if r, err := c.Do(t.Context(), test.req); err == nil && r.Body != nil {
			_ = r.Body.Close()
		}
		if got.Get("Authorization") != test.bearer || got.Get("User-Agent") != test.agent || got.Get("Accept") != test.accept || got.Get("Range") != test.scope {
			t.Errorf("%v %v is sent with %v", test.req.Op, test.req.URL, got)
		}
	}
}

// Cookies go back only to the host that has set them, and only in requests with the same
// access.Cookies.
func TestCookies(t *testing.T) {
	var sent []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: r.URL.Path[1:]})
	}))
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := &web.Client{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}}
	var cookies access.Cookies
	for _, u := range []string{"http://one/1", "http://one/2", "http://two/3", "http://one/4"} {
		if _, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(u), Cookies: &cookies}); err != nil {
			t.Fatalf("Stat(%q): %v", u, err)
		}
	}
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("http://one/5")}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "a=1", "", "a=2", ""}; !slices.Equal(sent, want) || cookies.Changes != 4 {
		t.Errorf("the cookies are %q after %d changes, want %q after 4", sent, cookies.Changes, want)
	}
}
