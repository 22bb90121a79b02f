package web

import (
	"errors"
	"net/http"
	"testing"

	"locus/access"
)

// Only the statuses that say "later" are temporary.
func TestTemporary(t *testing.T) {
	temporary := map[int]bool{408: true, 425: true, 429: true, 502: true, 503: true, 504: true}
	for code := 400; code < 600; code++ {
		for name, err := range map[string]error{
			"get": status(&access.Request{}, &http.Response{StatusCode: code}),
			"put": changed(&access.Request{Op: access.Put}, &http.Response{StatusCode: code}),
		} {
			if got := errors.Is(err, access.ErrTemporary); got != temporary[code] {
				t.Errorf("%s: %d is temporary: %v, want %v", name, code, got, temporary[code])
			}
		}
	}
}
