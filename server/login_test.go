package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A robot, which has no login, is kept out all the same.
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

// Who must log in reads why: browsers on a page, programs in a line of text.
func TestLoginPage(t *testing.T) {
	s := serverOf(t, 4)
	for _, tt := range []struct{ accept, start, want string }{
		{"text/html,*/*;q=0.8", "<!DOCTYPE html>\n<html lang=\"en\">", "<h1>Log in</h1>"},
		{"*/*", "this gateway wants", "a user name and a password"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept", tt.accept)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Body.String(), tt.start) || !strings.Contains(w.Body.String(), tt.want) ||
			w.Header().Get("WWW-Authenticate") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %v, %s", tt.accept, w.Code, w.Header(), w.Body)
		}
	}
}
