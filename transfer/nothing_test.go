package transfer_test

import (
	"errors"
	"io/fs"
	"testing"

	"locus/access"
	"locus/transfer"
	"locus/url"
)

// Without a folder, Get and Mirror send no request.
func TestNoRoot(t *testing.T) {
	u := url.MustParse("ftp://h/x/")
	if _, err := transfer.Get(t.Context(), nil, &access.Request{URL: u}, nil, "x", transfer.Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Get without a root = %v, want %v", err, fs.ErrPermission)
	}
	if _, err := transfer.Mirror(t.Context(), nil, u, nil, transfer.MirrorOptions{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Mirror without a root = %v, want %v", err, fs.ErrPermission)
	}
}
