package access

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"locus/internal/sentinel"
	"locus/url"
)

// If a name opens neither as a file nor as a directory, the more specific error is
// returned: a forbidden directory is not a missing file.
func TestFSClosedDirectory(t *testing.T) {
	missing := sentinel.New("RETR: no such file", fs.ErrNotExist)
	for _, test := range []struct {
		name string
		dir  error // of opening it as a directory
		want error
	}{
		{"closed", sentinel.New("CWD: permission denied", fs.ErrPermission), fs.ErrPermission},
		{"later", sentinel.New("CWD: too many users", ErrTemporary), ErrTemporary},
		{"canceled", context.Canceled, context.Canceled},
		{"missing", sentinel.New("CWD: no such directory", fs.ErrNotExist), missing},
		{"without directories", sentinel.New("no directories here", errors.ErrUnsupported), missing},
	} {
		o := GetFunc(func(_ context.Context, req *Request) (*Resource, error) {
			if req.URL.Path() == "/x/" {
				return nil, test.dir
			}
			return nil, missing
		})
		_, err := FS(t.Context(), o, url.MustParse("ftp://h/")).Open("x")
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Open = %v, want %v", test.name, err, test.want)
		}
	}
}
