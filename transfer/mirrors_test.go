package transfer

import (
	"context"
	"errors"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A luring is an Engine whose server, at an address that is public or not, redirects to an
// address that is not public.
type luring struct{ isPublic bool }

func (l luring) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if l.isPublic || !req.PublicOnly {
		if req.Moved != nil {
			req.Moved(&access.Moved{To: url.MustParse("http://10.0.0.1/")}, req.URL)
		}
	}
	if req.PublicOnly {
		return nil, engine.Fail("open", req.URL, access.ErrNotPublic)
	}
	return nil, engine.Fail("open", req.URL, errors.New("broken"))
}

// A public server stays one if it redirects to an address that is not public: else it could
// lead to others there.
func TestLuringServer(t *testing.T) {
	u := url.MustParse("http://h/a.meta4")
	for _, want := range []bool{true, false} {
		engine := luring{isPublic: want}
		if got := isPublic(t.Context(), engine, u); got != want {
			t.Errorf("isPublic = %v, want %v", got, want)
		}
		asked := 0
		req := &access.Request{URL: u, Moved: func(*access.Moved, url.URL) { asked++ }}
		_, _, err := GetMetalink(t.Context(), engine, req)
		if isRefused := errors.Is(err, access.ErrNotPublic); isRefused != want || asked != 1 {
			t.Errorf("GetMetalink = %v, want a refusal: %v; %d redirects, want 1", err, want, asked)
		}
	}
}
