package gateway_test

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/gateway"
)

// Each request of a browser may be answered by another gateway with the same Secret: the page that asks, its button, the
// redirect, and the address of "locus open". A ticket that counts once counts once at each gateway. A gateway with another
// Secret asks the user again.
func TestSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const target = "gopher://127.0.0.1:2003/0spec"
		one := func(secret string) *gateway.Gateway {
			return &gateway.Gateway{Secret: []byte(secret), Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return content("text/plain", "text")(req)
			})}
		}
		a, b, c, stranger := one("secret"), one("secret"), one("secret"), one("another secret")
		_, rest, _ := strings.Cut(record(a, http.MethodGet, "/"+target, clickedOff, "").Body.String(), `action="/-/confirmed?`)
		action, _, ok := strings.Cut(rest, `"`)
		if action = "/-/confirmed?" + html.UnescapeString(action); !ok {
			t.Fatal("a does not ask")
		}
		time.Sleep(time.Second) // as long as the button sleeps
		if w := record(stranger, http.MethodPost, action, clickedHere, ""); w.Code != http.StatusForbidden {
			t.Errorf("the button at a gateway with another secret = %d, want 403", w.Code)
		}
		w := record(b, http.MethodPost, action, clickedHere, "")
		granted, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
		if w.Code != http.StatusSeeOther || granted == "" {
			t.Fatalf("the button at b = %d, %v, want 303 with a cookie", w.Code, w.Header())
		}
		ticket := record(b, http.MethodPost, "/-/ticket?url="+target, "", "").Body.String()
		opens := "/-/open?ticket=" + ticket + "&url=" + target
		for _, test := range []struct {
			name   string
			answer *httptest.ResponseRecorder
			want   int
		}{
			{"the redirect leads to c", record(c, http.MethodGet, "/"+target, "Cookie: "+granted+"\n"+clickedHere, ""), http.StatusOK},
			{"again to c", record(c, http.MethodGet, "/"+target, "Cookie: "+granted+"\n"+clickedHere, ""), http.StatusForbidden},
			{"and to a", record(a, http.MethodGet, "/"+target, "Cookie: "+granted+"\n"+clickedHere, ""), http.StatusOK},
			{"the redirect leads to a stranger", record(stranger, http.MethodGet, "/"+target, "Cookie: "+granted+"\n"+clickedHere, ""), http.StatusForbidden},
		} {
			if test.answer.Code != test.want {
				t.Errorf("%s: %d, want %d", test.name, test.answer.Code, test.want)
			}
		}
		for i, at := range []*gateway.Gateway{a, a, c, stranger} {
			hasGrant := record(at, http.MethodGet, opens, typed, "").Header().Get("Set-Cookie") != ""
			if want := i == 0 || i == 2; hasGrant != want {
				t.Errorf("use %d of a ticket of a program: granted %v, want %v", i+1, hasGrant, want)
			}
		}
	})
}
