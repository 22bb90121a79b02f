package check_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"locus/check"
)

// A page is good if a browser would show it, even if the server refuses HEAD, needs cookies or has a long chain of
// redirects.
func TestGoodPages(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		isHead := r.Method == http.MethodHead
		path, step, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch path {
		case "hangs":
			if isHead {
				<-r.Context().Done()
			}
		case "401", "429":
			if isHead {
				var code int
				_, _ = fmt.Sscan(path, &code)
				w.WriteHeader(code)
			}
		case "300", "304":
			var code int
			_, _ = fmt.Sscan(path, &code)
			w.WriteHeader(code)
		case "chain":
			var n int
			if _, _ = fmt.Sscan(step, &n); n > 0 {
				http.Redirect(w, r, fmt.Sprintf("/chain/%d", n-1), http.StatusFound)
			}
		case "cookie":
			if _, err := r.Cookie("seen"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
				http.Redirect(w, r, "/cookie", http.StatusFound)
			}
		case "getcookie":
			if _, err := r.Cookie("seen"); err != nil {
				if !isHead {
					http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
				}
				http.Redirect(w, r, "/getcookie", http.StatusFound)
			}
		case "foreign": // the cookie that a server sets for one link is not sent for another link
			if _, err := r.Cookie("seen"); err == nil {
				w.WriteHeader(http.StatusTeapot)
			}
		case "endless":
			http.SetCookie(w, &http.Cookie{Name: "n", Value: fmt.Sprint(time.Now().UnixNano())})
			http.Redirect(w, r, "/endless", http.StatusFound)
		}
	})
	for _, test := range []struct {
		path, want string
		requests   int
	}{
		{"/hangs", "good", 2},
		{"/401", "good", 2},
		{"/429", "good", 2},
		{"/300", "good", 1},
		{"/304", "good", 1},
		{"/chain/15", "good", 16},
		{"/chain/21", "dead", 21},
		{"/cookie", "good", 2},
		{"/foreign", "good", 1},
		{"/getcookie", "good", 3},
		{"/endless", "dead", 21},
	} {
		t.Run(test.path, func(t *testing.T) {
			before := s.requests()
			c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1, Timeout: 2 * time.Second}}
			got, _, _ := strings.Cut(one(t, c, s.URL+test.path), " ")
			if n := s.requests() - before; got != test.want || n != test.requests {
				t.Errorf("check of %s gives %q after %d requests, want %q after %d", test.path, got, n, test.want, test.requests)
			}
		})
	}
}

// requests returns how many requests the site has got.
func (s *webSite) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, times := range s.asked {
		n += times
	}
	return n
}
