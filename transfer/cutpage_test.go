package transfer

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A web page without a size may have been cut off, so Delete reads its links again. If there are
// further links, all local files stay.
func TestMirrorDeleteConfirmsPages(t *testing.T) {
	const start = `<title>Index of /s/</title><a href="a">a</a>`
	const page = `<p>page</p><a href="a">a</a>`
	for _, test := range []struct {
		what          string
		first, second string
		isSized       bool
		tag           string
		deleted       int
		requests      int // for the page in the last run
	}{
		{"an unchanged listing", start, start, false, "", 1, 2},
		{"a listing that was cut", start, start + `<a href="old">old</a>`, false, "", 0, 2},
		{"an unchanged page", page, page, false, "", 1, 2},
		{"a page that was cut", page, page + `<a href="old">old</a>`, false, "", 0, 2},
		{"a page with a size", page, page + `<a href="old">old</a>`, true, "", 1, 1},
		{"a page that an earlier run has cut", page, page + `<a href="older">older</a>`, false, `"1"`, 1, 2},
		{"a page that was cut, with a link outside", page, page + `<a href="/outside">o</a>`, false, "", 1, 2},
	} {
		requests, isLater := 0, false
		engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: "text/plain"}}
			text := "x"
			switch req.URL.Path() {
			case "/robots.txt":
				text = ""
			case "/s/":
				if req.IfChanged.ETag != "" && req.IfChanged.ETag == test.tag {
					return nil, access.ErrNotModified
				}
				r.Type, r.ETag = "text/html", test.tag
				if requests++; requests > 1 || isLater {
					text = test.second
				} else {
					text = test.first
				}
				if test.isSized {
					r.Size = int64(len(text))
				}
			case "/s/a", "/s/old", "/s/older":
			default:
				return nil, &access.Error{Op: "get", URL: req.URL, Err: fs.ErrNotExist}
			}
			r.Body = io.NopCloser(strings.NewReader(text))
			return r, nil
		})
		root, name := folder(t)
		if test.tag != "" {
			if _, err := Mirror(t.Context(), engine, url.MustParse("http://h/s/"), root, MirrorOptions{}); err != nil {
				t.Fatalf("%s: the first Mirror: %v", test.what, err)
			}
			requests, isLater = 0, true
		}
		fill(t, name, map[string]string{"old": "old"})
		report, err := Mirror(t.Context(), engine, url.MustParse("http://h/s/"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true, Retry: never}})
		if got := contents(t, name)[indexName]; test.tag != "" && got != test.second {
			t.Errorf("%s: after another run it is %q, want %q", test.what, got, test.second)
		}
		if err != nil || report.Failed > 0 || report.Deleted != test.deleted || (report.NotDeleted == nil) != (test.deleted > 0) || requests != test.requests {
			t.Errorf("%s: Mirror = %+v, %v, with %d requests for the page; want %d deleted and %d requests", test.what, report, err, requests, test.deleted, test.requests)
		}
	}
}

// A page without a size is fetched once more before its ETag counts, because it may have been cut
// off. After that it is only fetched if it has changed.
func TestUnsizedPageConfirmed(t *testing.T) {
	fetched := 0
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if req.URL.Path() == "/robots.txt" {
			return nil, &access.Error{Op: "get", URL: req.URL, Err: fs.ErrNotExist}
		}
		if req.IfChanged.ETag == `"1"` {
			return nil, access.ErrNotModified
		}
		fetched++
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Size: -1, Type: "text/html"}, ETag: `"1"`, Body: io.NopCloser(strings.NewReader("<p>page")),
		}, nil
	})
	root, _ := folder(t)
	for run, want := range []int{1, 2, 2, 2} {
		if report, err := Mirror(t.Context(), engine, url.MustParse("http://h/s/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: never}}); err != nil || report.Failed > 0 || fetched != want {
			t.Errorf("run %d: Mirror = %+v, %v, the page was fetched %d times, want %d", run, report, err, fetched, want)
		}
	}
}
