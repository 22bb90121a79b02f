package accesstest

import (
	"context"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// The wrappers of package access pass on every field.
func TestCarries(t *testing.T) {
	for name, wrap := range map[string]func(access.Engine) access.Engine{
		"nothing":  func(e access.Engine) access.Engine { return e },
		"a Table":  func(e access.Engine) access.Engine { return access.Table{"gopher": e} },
		"Follow":   func(e access.Engine) access.Engine { return access.Follow{Engine: e} },
		"Recover":  func(e access.Engine) access.Engine { return engine.Recover{Engine: e} },
		"a Via":    func(e access.Engine) access.Engine { return access.Via{Engine: back{e}, Prefix: "http://gateway/"} },
		"a Follow": func(e access.Engine) access.Engine { return access.Follow{Engine: engine.Recover{Engine: e}} },
	} {
		t.Run(name, func(t *testing.T) { Carries(t, wrap) })
	}
}

// back is the gateway of a Via: it opens the URL that the path has.
type back struct{ engine access.Engine }

func (b back) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	inner := *req
	inner.URL = url.MustParse(strings.TrimPrefix(req.URL.String(), "http://gateway/"))
	return b.engine.Do(ctx, &inner)
}
