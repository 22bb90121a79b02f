package robots

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/url"
)

// The response to the request for robots.txt decides what is allowed.
func TestFetch(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		line   int // the line that disallows /x, or 0
		fails  bool
	}{
		{"there", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /") }, 2, false},
		{"empty", func(http.ResponseWriter, *http.Request) {}, 0, false},
		{"no content", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, 0, false},
		{"content reset", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(205) }, 0, false},
		{"a part", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-3/1000")
			w.WriteHeader(206)
			fmt.Fprint(w, "User")
		}, 0, true},
		{"not there", http.NotFound, 0, false},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, 0, false},
		{"too many", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, 0, true},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 0, true},
		{"cut short", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "User-agent: *\n")
		}, 0, true},
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
			for line := strings.Repeat("#", 1<<16); ; {
				if _, err := fmt.Fprint(w, line); err != nil {
					return
				}
			}
		}, 2, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					http.Redirect(w, r, "/rules", http.StatusFound)
				case "/rules":
					test.answer(w, r)
				default:
					t.Errorf("the server was asked for %q", r.URL.Path)
				}
			}))
			defer s.Close()
			u := url.MustParse(s.URL + "/x?y")
			rules, err := Fetch(t.Context(), &locus.Client{Dial: new(net.Dialer).DialContext, Retries: -1}, u, "locus")
			if got := rules.Disallows(u); (err != nil) != test.fails || got != test.line {
				t.Errorf("Fetch = line %d, %v; want line %d, an error %v", got, err, test.line, test.fails)
			}
		})
	}
}

// Fetch without an Engine returns an error.
func TestFetchWithoutEngine(t *testing.T) {
	if _, err := Fetch(t.Context(), nil, url.MustParse("http://h/x"), "locus"); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Fetch with no Engine = %v, want %v", err, access.ErrNoScheme)
	}
}

func TestSitemaps(t *testing.T) {
	rules, err := Parse(strings.NewReader("Sitemap: http://h/a.xml\nUser-agent: other\nSitemap:http://h/b.xml"), "locus")
	if want := []string{"http://h/a.xml", "http://h/b.xml"}; err != nil || !slices.Equal(rules.Sitemaps(), want) {
		t.Errorf("Sitemaps = %q, %v, want %q", rules.Sitemaps(), err, want)
	}
}

// A panic while robots.txt is fetched or read becomes an error, so that no URL is visited.
func TestFetchPanic(t *testing.T) {
	engine := access.GetFunc(func(context.Context, *access.Request) (*access.Resource, error) { panic("in Do") })
	rules, err := Fetch(t.Context(), engine, url.MustParse("http://h/x"), "locus")
	if _, ok := errors.AsType[*access.PanicError](err); !ok {
		t.Errorf("Fetch = %v, %v, want an *access.PanicError", rules, err)
	}
}
