//go:build unix

package transfer

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"locus/access"
	"locus/url"
)

// A second mirror into a folder fails and does not harm the first one. Nor does a
// mirror into a folder below that ends meanwhile.
func TestMirrorTogether(t *testing.T) {
	root, name := folder(t)
	fill(t, name, map[string]string{"sub/": ""})
	files := &shelf{files: map[string]string{"a": "1", "b": noise(5000), "c": "333"}}
	mirror := func(o access.Engine) error {
		report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}})
		if err == nil && report.Failed > 0 {
			t.Errorf("Mirror = %+v", report)
		}
		return err
	}
	meanwhile := func() {
		if err := mirror(files); !errors.Is(err, ErrBusy) {
			t.Errorf("the second Mirror = %v, want %v", err, ErrBusy)
		}
		sub, err := root.OpenRoot("sub")
		if err != nil {
			t.Error(err)
			return
		}
		defer sub.Close()
		if _, err := Mirror(t.Context(), &shelf{files: map[string]string{"d": "4"}}, url.MustParse("ftp://h/"), sub, MirrorOptions{}); err != nil {
			t.Errorf("the Mirror below = %v", err)
		}
	}
	first := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		r, err := files.Do(ctx, req)
		if err == nil && req.URL.Path() == "/b;type=i" {
			r.Body = &between{r.Body, meanwhile}
		}
		return r, err
	})
	if err := mirror(first); err != nil {
		t.Errorf("the first Mirror = %v", err)
	}
	want := map[string]string{"a": "1", "b": files.files["b"], "c": "333", "sub/": "", "sub/d": "4"}
	compareTrees(t, contents(t, name), want)
	if err := mirror(files); err != nil {
		t.Errorf("the Mirror after it = %v", err)
	}
	if _, err := root.Lstat(stateDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want it to be gone", stateDir, err)
	}
}
