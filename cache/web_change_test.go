package cache_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"locus/access"
)

// A method that changes something removes the stored response with every variant (RFC
// 9111 §4.4).
func TestWebChange(t *testing.T) {
	for _, test := range []struct {
		request string
		status  int
		header  string
		asked   int64 // the number of all requests for /x
	}{
		{"POST http://h/x", 200, "", 2},
		{"PUT http://h/x", 204, "", 2},
		{"DELETE http://h/x", 303, "", 2},
		{"X-OWN http://h/x", 200, "", 2},
		{"POST http://h/x", 500, "", 1},
		{"POST http://h/x", 404, "", 1},
		{"OPTIONS http://h/x", 200, "", 1},
		{"PROPFIND http://h/x", 207, "", 1},
		{"POST http://h/y", 200, "", 1},
		{"POST http://h/y", 201, "Location: /x", 2},
		{"POST http://h/y", 200, "Content-Location: http://h/x", 2},
		{"POST http://other/y", 200, "Location: http://h/x", 1},
	} {
		var asked atomic.Int64
		w, _ := newWeb(t, func(r *http.Request) (*http.Response, error) {
			if r.Method == "GET" {
				asked.Add(1)
				return says(200, "Cache-Control: max-age=60\nVary: Accept", "text"), nil
			}
			return says(test.status, test.header, ""), nil
		})
		send(t, w, "GET http://h/x")
		if got := send(t, w, test.request); got.status != test.status || got.header.Get("Cache-Status") != "" {
			t.Errorf("%s = %+v", test.request, got)
		}
		send(t, w, "GET http://h/x")
		if asked.Load() != test.asked {
			t.Errorf("%s, %d: asked %d times, want %d", test.request, test.status, asked.Load(), test.asked)
		}
	}
}

// A method whose result is unknown, because its response is lost, removes the stored response.
func TestWebChangeUnknown(t *testing.T) {
	for _, test := range []struct {
		request string
		status  int // of a proxy that has lost the response; 0: the connection breaks
		asked   int64
	}{
		{"POST http://h/x", 0, 2},
		{"PUT http://h/x", 0, 2},
		{"DELETE http://h/x", 0, 2},
		{"PUT http://h/x", http.StatusBadGateway, 2},
		{"PUT http://h/x", http.StatusGatewayTimeout, 2},
		{"OPTIONS http://h/x", 0, 1},
		{"PUT http://h/y", 0, 1},
	} {
		var asked atomic.Int64
		w, _ := newWeb(t, func(r *http.Request) (*http.Response, error) {
			switch {
			case r.Method == http.MethodGet:
				asked.Add(1)
				return says(200, "Cache-Control: max-age=60", "text"), nil
			case test.status == 0:
				return nil, io.ErrUnexpectedEOF
			}
			return says(test.status, "", ""), nil
		})
		send(t, w, "GET http://h/x")
		if got := send(t, w, test.request); got.status != test.status || (got.err == nil) != (test.status != 0) {
			t.Errorf("%s = %+v, want the status %d", test.request, got, test.status)
		}
		send(t, w, "GET http://h/x")
		if asked.Load() != test.asked {
			t.Errorf("after %s with status %d, http://h/x is asked for %d times, want %d", test.request, test.status, asked.Load(), test.asked)
		}
	}
}

// A change by Cache.Do removes the response that a Web with the same folder has stored.
func TestWebChangeByDo(t *testing.T) {
	for _, test := range []struct {
		changed string
		asked   int64 // the number of all requests for http://h/x
	}{
		{"http://h/x", 2},
		{"http://u:pw@H:80/x#y", 2},
		{"http://h/y", 1},
		{"https://h/x", 1},
	} {
		var asked atomic.Int64
		w, _ := newWeb(t, func(*http.Request) (*http.Response, error) {
			asked.Add(1)
			return says(200, "Cache-Control: max-age=60", "text"), nil
		})
		w.Cache.Engine = changing{}
		send(t, w, "GET http://h/x")
		change(t, w.Cache, access.Put, test.changed)
		send(t, w, "GET http://h/x")
		if asked.Load() != test.asked {
			t.Errorf("after a put of %s, http://h/x is asked for %d times, want %d", test.changed, asked.Load(), test.asked)
		}
	}
}
