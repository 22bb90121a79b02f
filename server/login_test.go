package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A robot gets /robots.txt without a login, and needs a login for everything else.
func TestLoginOfRobots(t *testing.T) {
	s := serverOf(t, 4)
	s.Handler = WithoutRobots(http.NotFoundHandler())
	for path, want := range map[string]int{"/robots.txt": http.StatusOK, "/x": http.StatusUnauthorized} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		if w.Code != want {
			t.Errorf("%s without a login: %d, want %d", path, w.Code, want)
		}
	}
}

// The refusal of a request without a login is a page for browsers and a line of text for programs.
func TestLoginPage(t *testing.T) {
	s := serverOf(t, 4)
	for _, test := range []struct{ accept, start, want string }{
		{"text/html,*/*;q=0.8", "<!DOCTYPE html>\n<html lang=\"en\">", "<h1>Log in</h1>"},
		{"*/*", "this gateway needs", "a user name and a password"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept", test.accept)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Body.String(), test.start) || !strings.Contains(w.Body.String(), test.want) ||
			w.Header().Get("WWW-Authenticate") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %v, %s", test.accept, w.Code, w.Header(), w.Body)
		}
	}
}
