package locus

import (
	"context"

	"locus/access"
	"locus/compare"
)

// agreed is an Engine that refuses a URL if programs in use read it as leading to
// different places: a program that has checked the URL may have read another host
// than the one that is dialled. It stands inside access.Follow, so that it sees the
// targets of redirects.
type agreed struct{ engine access.Engine }

func (a agreed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if _, err := compare.Agree(req.URL.String()); err != nil {
		return nil, access.Fail(req.Op.String(), req.URL, err)
	}
	return a.engine.Do(ctx, req)
}
