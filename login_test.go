package locus

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"

	"locus/access"
	"locus/url"
)

// Client.Login is called with the name of each server, also after a redirect. Another
// server does not get that login. Request.Login is called only for its origin.
func TestClientLogin(t *testing.T) {
	for _, test := range []struct {
		name string
		url  string
		own  bool     // whether the Request has a Login
		asks []string // of Client.Login: hosts
		owns []string // of Request.Login: hosts
		auth []string // "host user:password" of each request with a login
		fail bool
	}{
		{name: "one host", url: "http://a.example/x", asks: []string{"a.example"}, auth: []string{"a.example me:pw of a.example"}},
		{name: "a redirect", url: "http://a.example" + pointing(302, "http://b.example/x"), asks: []string{"a.example", "b.example"}, auth: []string{"a.example me:pw of a.example", "b.example me:pw of b.example"}},
		{name: "a redirect within the host", url: "http://a.example" + pointing(302, "/x"), asks: []string{"a.example", "a.example"}, auth: []string{"a.example me:pw of a.example", "a.example me:pw of a.example"}},
		{name: "a login of the request", url: "http://a.example/x", own: true, owns: []string{"a.example"}, auth: []string{"a.example own:own of a.example"}},
		{name: "a login of the request, and a redirect", url: "http://a.example" + pointing(302, "http://b.example/x"), own: true, owns: []string{"a.example"}, asks: []string{"b.example"}, auth: []string{"a.example own:own of a.example", "b.example me:pw of b.example"}},
		{name: "a user of the URL", url: "http://u:pw@a.example/x", auth: []string{"a.example u:pw"}},
		{name: "nobody known", url: "http://example.com/x", asks: []string{"example.com"}, fail: true},
	} {
		var auth []string
		town := newTown(t, func(w http.ResponseWriter, r *http.Request) {
			user, password, ok := r.BasicAuth()
			if !ok {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			auth = append(auth, r.Host+" "+user+":"+password)
			signpost(w, r)
		})
		var asks, owns []string
		ask := func(_ context.Context, c access.Challenge) (access.Credentials, error) {
			asks = append(asks, c.Host)
			if c.Host == "example.com" {
				return access.Credentials{}, access.ErrPassword
			}
			return access.Credentials{User: "me", Password: "pw of " + c.Host}, nil
		}
		c := &Client{Dial: town.dial, Login: ask}
		req := &access.Request{URL: url.MustParse(test.url)}
		if test.own {
			req.Login = func(_ context.Context, c access.Challenge) (access.Credentials, error) {
				owns = append(owns, c.Host)
				return access.Credentials{User: "own", Password: "own of " + c.Host}, nil
			}
		}
		r, err := c.Do(t.Context(), req)
		if err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		c.Close()
		if (err != nil) != test.fail || !slices.Equal(asks, test.asks) || !slices.Equal(owns, test.owns) || !slices.Equal(auth, test.auth) {
			t.Errorf("%s: %v; Client.Login is asked for %q, that of the request for %q, and sent is %q; want %q, %q and %q",
				test.name, err, asks, owns, auth, test.asks, test.owns, test.auth)
		}
	}
}
