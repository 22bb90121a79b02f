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

// An empty directory stays in a mirror of a server whose listings do not tell directories from
// files, and Delete removes other files.
func TestMirrorEmptyDirectoryByNLST(t *testing.T) {
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		switch req.URL.String() {
		case "ftp://h/":
			l := &dir{}
			for _, name := range []string{"a", "empty", "full"} {
				l.entries = append(l.entries, access.Entry{Title: name, URL: url.MustParse("ftp://h/" + name), Kind: access.Unknown, Size: -1})
			}
			return listed(req, l), nil
		case "ftp://h/empty/":
			return listed(req, &dir{}), nil
		case "ftp://h/full/":
			return listed(req, &dir{entries: []access.Entry{{Title: "b", URL: url.MustParse("ftp://h/full/b"), Kind: access.Unknown, Size: -1}}}), nil
		case "ftp://h/a;type=i", "ftp://h/full/b;type=i":
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 1}, Body: io.NopCloser(strings.NewReader("x"))}, nil
		}
		return nil, &access.Error{Op: "get", URL: req.URL, Err: fs.ErrNotExist}
	})
	root, name := folder(t)
	for range 2 {
		fill(t, name, map[string]string{"old": "old"})
		report, err := Mirror(t.Context(), engine, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true, Retry: never}})
		if err != nil || report.Failed > 0 || report.Deleted != 1 || report.NotDeleted != nil {
			t.Errorf("Mirror = %+v, %v; want one deleted", report, err)
		}
		compareTrees(t, contents(t, name), map[string]string{"a": "x", "empty/": "", "full/": "", "full/b": "x"})
	}
}
