package accesstest_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/url"
)

// Fuzz accepts an engine that answers with a redirect, although an *access.Moved is not an
// *access.Error.
func FuzzMoved(f *testing.F) {
	moved := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, &access.Moved{To: req.URL}
	})
	accesstest.Fuzz(f, func(proto.Dial) access.Engine { return moved }, url.MustParse("toy://h/"), [2]string{})
}
