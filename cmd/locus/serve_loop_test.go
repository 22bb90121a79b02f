package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A gateway never opens an address and port on which it listens itself: by any name, by an address
// of any interface, or by a redirect, as a gateway or as a proxy.
func TestServeLoops(t *testing.T) {
	// attack: A URL or redirect leads to the gateway itself or its metrics, by any name or interface | 508, and no
	// address is dialled
	s := startServe(t, "--policy", "any", "--no-cache", "--admin", "127.0.0.1:0")
	_, port, _ := strings.Cut(strings.TrimPrefix(s.at, "http://"), ":")
	_, admin, _ := strings.Cut(strings.TrimPrefix(s.admin, "http://"), ":")
	away := httptest.NewServer(http.RedirectHandler(s.at+"/", http.StatusFound))
	defer away.Close()
	for _, target := range []string{
		"http://127.0.0.1:" + port + "/", "http://localhost:" + port + "/", "http://[::ffff:127.0.0.1]:" + port + "/", "http://0.0.0.0:" + port + "/",
		"gopher://127.0.0.1:" + port + "/0GET%20/", "ftp://localhost:" + port + "/",
		"http://127.0.0.1:" + port + "/http://127.0.0.1:" + port + "/", "http://127.0.0.1:" + admin + "/metrics", away.URL + "/",
	} {
		if status, body := ask(t, nil, s.at+"/"+target, nil); status != http.StatusLoopDetected {
			t.Errorf("GET /%s = %d, want 508\n%.2000s", target, status, body[strings.Index(body, "<main")+1:])
		}
	}
	if status, body := ask(t, proxyThrough(t, s.at, ""), "http://127.0.0.1:"+admin+"/metrics", nil); status != http.StatusLoopDetected {
		t.Errorf("the metrics through the proxy = %d, %.200s, want 508", status, body)
	}
}

// Each request to a web server has a Via with the entries of the client's Via. A gateway refuses a
// request that comes back to it.
func TestServeVia(t *testing.T) {
	// attack: Gateways use each other as gateways in a circle | 508, by the Via that each access to a web server
	// has
	var via []string
	var s *served
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		via = r.Header["Via"]
		if r.URL.Path == "/back" {
			status, _ := ask(t, nil, s.at+"/http://h.invalid/", func(r *http.Request) { r.Header["Via"] = via })
			w.WriteHeader(status)
		}
	}))
	defer origin.Close()
	s = startServe(t, "--policy", "any", "--no-cache")
	status, _ := ask(t, nil, s.at+"/"+origin.URL+"/", func(r *http.Request) { r.Header.Set("Via", "1.0 before") })
	if got := strings.Join(via, ", "); status != http.StatusOK || !strings.HasPrefix(got, "1.0 before, 1.1 locus-") || strings.Count(got, ",") != 1 {
		t.Errorf("GET /%s/ = %d, Via: %q", origin.URL, status, got)
	}
	if status, _ := ask(t, nil, s.at+"/"+origin.URL+"/back", nil); status != http.StatusLoopDetected {
		t.Errorf("a request that comes back = %d, want 508", status)
	}
}
