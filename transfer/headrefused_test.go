package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A web server that refuses HEAD has its pages fetched again. A page that is gone is a broken link.
func TestMirrorWebWithoutStat(t *testing.T) {
	for _, refused := range []error{errors.ErrUnsupported, fs.ErrNotExist, fs.ErrPermission} {
		root, _ := folder(t)
		isGone := false
		engine := engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: "text/plain"}, Body: io.NopCloser(strings.NewReader("x"))}
			switch path := req.URL.Path(); {
			case req.Op != access.Get:
				return nil, &access.Error{Op: "stat", URL: req.URL, Err: refused}
			case path == "/robots.txt":
				r.Body = io.NopCloser(strings.NewReader(""))
			case path == "/s/":
				r.Type, r.Body = "text/html", io.NopCloser(strings.NewReader(`<a href="a">a</a><a href="b">b</a>`))
			case isGone && path == "/s/a":
				return nil, &access.Error{Op: "get", URL: req.URL, Err: fs.ErrNotExist}
			}
			return r, nil
		})
		for _, want := range []int{3, 2} {
			report, err := Mirror(t.Context(), engine, url.MustParse("http://h/s/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: never}})
			if err != nil || report.Failed > 0 || report.Files != want {
				t.Errorf("%v: Mirror = %+v, %v; want %d files", refused, report, err, want)
			}
			isGone = true
		}
	}
}
