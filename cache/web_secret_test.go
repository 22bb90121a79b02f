package cache_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A 304 with private fields is for one user. Other users do not get these fields (RFC 9111
// §7.3).
func TestWebUnchangedForOne(t *testing.T) {
	const version = "Cache-Control: max-age=60\nETag: \"1\"\n"
	for _, beside := range []string{
		"ETag: \"1\"\nSet-Cookie: user=first",
		"ETag: \"1\"\nCache-Control: private, max-age=60\nX-User: first",
		"ETag: \"1\"\nCache-Control: no-store\nX-User: first",
		"ETag: \"1\"\nVary: *\nX-User: first",
	} {
		asked := 0
		w, s := newWeb(t, func(r *http.Request) (*http.Response, error) {
			asked++
			known := r.Header.Get("If-None-Match") != ""
			switch {
			case asked == 1:
				return says(200, version, "text"), nil
			case asked <= 3 && known:
				return says(304, beside, ""), nil
			case asked <= 3:
				return says(200, beside, "text"), nil
			case known:
				return says(304, version, ""), nil
			}
			return says(200, version, "text"), nil
		})
		send(t, w, "GET http://h/x")
		s.now.pass(time.Hour)
		if got := send(t, w, "GET http://h/x"); got.status != 200 || got.body != "text" {
			t.Errorf("%q: %d, %q, %v", beside, got.status, got.body, got.err)
		}
		for range 2 {
			got := send(t, w, "GET http://h/x")
			for name, values := range got.header {
				if strings.Contains(strings.Join(values, ""), "first") {
					t.Errorf("beside 304 %q: another is given %s: %q", beside, name, values)
				}
			}
			s.now.pass(time.Hour)
		}
	}
}
