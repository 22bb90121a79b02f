package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"locus/server"
)

// Requests for /robots.txt are answered with a file that forbids everything. Other requests reach the gateway.
func TestWithoutRobots(t *testing.T) {
	h := server.WithoutRobots(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for path, want := range map[string]int{"/robots.txt": 200, "/": 418, "/http://h/robots.txt": 418, "/robots.txt?x": 418} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI = path
		h.ServeHTTP(w, r)
		if w.Code != want || want == 200 && w.Body.String() != "User-agent: *\nDisallow: /\n" {
			t.Errorf("%s: %d %q, want %d", path, w.Code, w.Body, want)
		}
	}
}
