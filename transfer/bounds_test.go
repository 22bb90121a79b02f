package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// bottomless is an ftp server whose every directory has ten files of 1000 bytes and ten
// directories.
func bottomless(sizes bool) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if !strings.HasSuffix(req.URL.Path(), "/") {
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", 1000)))}
			if sizes {
				r.Size = 1000
			}
			return r, nil
		}
		d := &dir{}
		for i := range 10 {
			file, inside := fmt.Sprintf("f%d", i), fmt.Sprintf("d%d", i)
			d.entries = append(d.entries,
				access.Entry{Title: file, URL: url.MustParse(req.URL.String() + file), Kind: access.Object, Size: -1},
				access.Entry{Title: inside, URL: url.MustParse(req.URL.String() + inside + "/"), Kind: access.Directory, Size: -1})
		}
		return listed(req, d), nil
	})
}

// A tree without an end stops at each limit, and writes no more than that.
func TestMirrorLimits(t *testing.T) {
	for _, test := range []struct {
		name  string
		opts  MirrorOptions
		is    error
		files int // at most
	}{
		{"bytes", MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 1000}, MaxTotal: 5500}, ErrTooManyBytes, 5},
		{"files", MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 1000}, MaxFiles: 25}, ErrTooManyFiles, 25},
		{"entries", MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 100}}, ErrTooManyEntries, 100},
	} {
		for _, sizes := range []bool{true, false} {
			root, name := folder(t)
			_, err := Mirror(t.Context(), bottomless(sizes), url.MustParse("ftp://h/"), root, test.opts)
			if !errors.Is(err, test.is) {
				t.Errorf("%s: Mirror = %v, want %v", test.name, err, test.is)
			}
			files := 0
			for _, text := range contents(t, name) {
				if text == strings.Repeat("x", 1000) {
					files++
				}
			}
			if files > test.files {
				t.Errorf("%s: there are %d files, want at most %d", test.name, files, test.files)
			}
		}
	}
}

// A tree that just meets its limits is copied, also by a second run.
func TestMirrorWithinLimits(t *testing.T) {
	s := &shelf{files: map[string]string{"a": "12345", "b": "12345"}}
	for _, test := range []struct {
		opts MirrorOptions
		want error
	}{
		{MirrorOptions{MaxTotal: 10, MaxFiles: 2}, nil},
		{MirrorOptions{MaxTotal: 9}, ErrTooManyBytes},
		{MirrorOptions{MaxFiles: 1}, ErrTooManyFiles},
	} {
		root, _ := folder(t)
		for _, dry := range []bool{true, false, false} {
			test.opts.DryRun = dry
			if _, err := Mirror(t.Context(), s, url.MustParse("ftp://h/"), root, test.opts); !errors.Is(err, test.want) {
				t.Errorf("%+v: Mirror = %v, want %v", test.opts, err, test.want)
			}
		}
	}
	root, name := folder(t)
	report, err := Mirror(t.Context(), s, url.MustParse("ftp://h/"), root, MirrorOptions{MaxSize: 4})
	if got := contents(t, name); err != nil || report.Failed != 2 || got["a"] != "" {
		t.Errorf("with a MaxSize of 4: Mirror = %+v, %v: %q", report, err, got)
	}
}

// A site whose pages lead ever deeper ends, and says at how many folders.
func TestMirrorDeepSite(t *testing.T) {
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		page := `<a href="deeper/">deeper</a>`
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: int64(len(page))}, Body: io.NopCloser(strings.NewReader(page))}, nil
	})
	root, _ := folder(t)
	var log eventLog
	report, err := Mirror(t.Context(), o, url.MustParse("http://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add, MaxEntries: 1000}, IgnoreRobots: true})
	failed := log.of(Failed)
	if err != nil || report.Failed != 1 || len(failed) != 1 || !strings.Contains(failed[0].Err.Error(), "more than 128 nested") {
		t.Errorf("Mirror = %+v, %v: %v", report, err, failed)
	}
}
