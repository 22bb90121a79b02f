package locus_test

import (
	"errors"
	"net/http"
	"testing"

	"locus"
	"locus/access"
)

// Without an Opener nothing is opened.
func TestOpenNothing(t *testing.T) {
	if _, err := locus.Open(t.Context(), nil, "http://h/"); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Open without an Opener = %v, want %v", err, access.ErrNoScheme)
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "MKCOL"} {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://h/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := locus.Client(nil).Do(r)
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, access.ErrNoScheme) {
			t.Errorf("%s by Client(nil) = %v, want %v", method, err, access.ErrNoScheme)
		}
	}
}
