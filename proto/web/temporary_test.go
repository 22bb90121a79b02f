package web

import (
	"errors"
	"net/http"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// Only statuses that mean "later" are temporary.
func TestTemporary(t *testing.T) {
	temporary := map[int]bool{408: true, 425: true, 429: true, 502: true, 503: true, 504: true}
	for code := 400; code < 600; code++ {
		for name, err := range map[string]error{
			"get": checkStatus(&access.Request{}, &http.Response{StatusCode: code}),
			"put": checkStatus(&access.Request{Op: access.Put}, &http.Response{StatusCode: code}),
		} {
			if got := errors.Is(err, access.ErrTemporary); got != temporary[code] {
				t.Errorf("%s: %d is temporary: %v, want %v", name, code, got, temporary[code])
			}
		}
	}
}

// Every refusal has its status. It is access.ErrServer only for a permanent
// failure of the server.
func TestHTTPStatus(t *testing.T) {
	for code := 400; code < 600; code++ {
		err := engine.Fail("open", url.URL{}, checkStatus(&access.Request{}, &http.Response{StatusCode: code}))
		if e, ok := errors.AsType[*access.Error](err); !ok || e.HTTPStatus != code {
			t.Errorf("%d is %#v, without its status", code, err)
		}
		failed := code >= 500 && !errors.Is(err, access.ErrTemporary) && !errors.Is(err, errors.ErrUnsupported)
		if errors.Is(err, access.ErrServer) != failed {
			t.Errorf("%d says that the server failed: %v, want %v", code, !failed, failed)
		}
	}
}
