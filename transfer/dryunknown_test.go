package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// nameList is an Engine of an FTP server that lists by NLST, which does not tell files from
// directories.
var nameList = engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
	name := strings.TrimSuffix(req.URL.Path(), ";type=i")
	names := map[string][]string{"/": {"dir", "file"}, "/dir/": {"inner"}}[name]
	switch {
	case req.Op != access.Get:
		return nil, errors.ErrUnsupported
	case names != nil:
		var entries []access.Entry
		for _, one := range names {
			entries = append(entries, access.Entry{Title: one, URL: url.MustParse("ftp://h" + name + one), Size: -1})
		}
		return listed(req, &dir{entries: entries}), nil
	case name == "/file" || name == "/dir/inner":
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 1}, Body: io.NopCloser(strings.NewReader("x"))}, nil
	}
	return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
})

// A dry run deletes the same files as the real run, also if a listing does not tell which of its
// entries are directories.
func TestDryRunOfNames(t *testing.T) {
	for _, dryRun := range []bool{true, false} {
		root, name := folder(t)
		fill(t, name, map[string]string{"dir/": "", "dir/inner": "y", "old": "z", "dir/gone": "z"})
		var log eventLog
		report, err := Mirror(t.Context(), nameList, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: never, Event: log.add, Delete: true, DryRun: dryRun}})
		deleted, fetched := log.names(Deleted), log.names(Done)
		if dryRun {
			deleted, fetched = log.names(WouldDelete), log.names(WouldFetch)
		}
		slices.Sort(deleted)
		slices.Sort(fetched)
		if err != nil || report.Failed > 0 || !slices.Equal(deleted, []string{"dir/gone", "old"}) || !slices.Equal(fetched, []string{"dir/inner", "file"}) {
			t.Errorf("Mirror with DryRun %t = %+v, %v, deleted %q, fetched %q", dryRun, report, err, deleted, fetched)
		}
	}
}
