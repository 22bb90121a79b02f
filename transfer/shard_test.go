package transfer

import (
	"os"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A part of a tree cannot delete files, and has no pages to read offline. An invalid part is an error.
func TestShardErrors(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	engine := access.Table{} // no request reaches it
	source, target := url.MustParse("file:///a/"), url.MustParse("file:///b/")
	for _, test := range []struct {
		opts TreeOptions
		want string
	}{
		{TreeOptions{Filter: Filter{Part: 1, Parts: 2}, Delete: true}, "a part of a tree cannot delete files"},
		{TreeOptions{Filter: Filter{Part: 3, Parts: 2}}, "3 of 2 is not a part"},
		{TreeOptions{Filter: Filter{Part: 0, Parts: 2}}, "0 of 2 is not a part"},
		{TreeOptions{Filter: Filter{Part: 1}}, "1 of 0 is not a part"},
	} {
		if _, err := Mirror(t.Context(), engine, source, root, MirrorOptions{TreeOptions: test.opts}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Mirror with %+v: %v, want %q", test.opts.Filter, err, test.want)
		}
		if _, err := Send(t.Context(), Endpoint{Engine: engine, URL: source}, Endpoint{Engine: engine, URL: target}, SendOptions{TreeOptions: test.opts}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Send with %+v: %v, want %q", test.opts.Filter, err, test.want)
		}
	}
	opts := MirrorOptions{TreeOptions: TreeOptions{Filter: Filter{Part: 1, Parts: 2}}, Convert: true}
	if _, err := Mirror(t.Context(), engine, url.MustParse("http://127.0.0.1:1/"), root, opts); err == nil || !strings.Contains(err.Error(), "cannot be converted for reading offline") {
		t.Errorf("Mirror of a part with Convert: %v", err)
	}
}
