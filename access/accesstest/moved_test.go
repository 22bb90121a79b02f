package accesstest_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/url"
)

// An engine may answer with a redirect, which is no *access.Error.
func FuzzMoved(f *testing.F) {
	moved := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, &access.Moved{To: req.URL}
	})
	accesstest.Fuzz(f, func(proto.Dial) access.Engine { return moved }, url.MustParse("toy://h/"), [2]string{})
}
