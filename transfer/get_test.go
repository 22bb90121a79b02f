package transfer

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"locus/access"
)

// Received is called once, after the last byte and before the file gets its name. If they do not
// arrive, it is not called.
func TestReceived(t *testing.T) {
	text := noise(10_000)
	for _, test := range []struct {
		name  string
		store *store
		opts  Options
		want  int
	}{
		{"all goes well", &store{text: text}, Options{}, 1},
		{"it breaks off", &store{text: text, next: []step{{cut: 5000}}}, Options{Retry: hasty}, 1},
		{"begun again", &store{text: text, version: access.Validator{ETag: "1"}, next: []step{{cut: 5000}, {change: text + "."}}}, Options{Retry: hasty}, 1},
		{"not there", &store{text: text, next: []step{{err: os.ErrNotExist}}}, Options{}, 0},
	} {
		root, _ := folder(t)
		called := 0
		test.opts.Received = func() {
			called++
			if _, err := root.Lstat("f"); err == nil {
				t.Errorf("%s: the file has its name already", test.name)
			}
		}
		_, err := Get(t.Context(), test.store, request("http://h/"), root, "f", test.opts)
		if called != test.want || (err == nil) != (test.want == 1) {
			t.Errorf("%s: called %d times, %v; want %d", test.name, called, err, test.want)
		}
	}
}

// Request.Known is not used again after the resource has changed.
func TestGetKnownNoMore(t *testing.T) {
	text := noise(10_000)
	for _, test := range []struct {
		name string
		size int64 // what was known
		want int   // accesses
	}{
		{"the same", 10_000, 1},
		{"it is longer", 9_000, 2},
		{"it is shorter", 11_000, 2},
	} {
		root, dir := folder(t)
		asked := 0
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			asked++
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(len(text))}, Body: io.NopCloser(strings.NewReader(text))}
			if req.Known != nil && req.Known.Size != r.Size {
				r.Size = req.Known.Size
				r.Body = &ending{r.Body, &access.Error{Op: "read", URL: req.URL, Err: access.ErrChanged}}
			}
			return r, nil
		})
		req := request("ftp://h/f")
		req.Known = &access.Entry{Size: test.size}
		_, err := Get(t.Context(), o, req, root, "f", Options{Retry: hasty})
		if err != nil || asked != test.want || req.Known == nil {
			t.Errorf("%s: Get = %v after %d accesses, want %d", test.name, err, asked, test.want)
		}
		compareTrees(t, contents(t, dir), map[string]string{"f": text})
	}
}

// A Body whose last error wraps io.EOF has ended early, and no file gets its name.
func TestGetWrappedEOF(t *testing.T) {
	for _, size := range []int64{-1, 10_000} {
		root, dir := folder(t)
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			half := io.MultiReader(strings.NewReader(noise(5000)), brokenReader{fmt.Errorf("connection closed: %w", io.EOF)})
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: size}, Body: io.NopCloser(half)}, nil
		})
		_, err := Get(t.Context(), o, request("http://h/"), root, "f", Options{Retry: never})
		if _, missing := os.Stat(dir + "/f"); err == nil || missing == nil {
			t.Errorf("with size %d, Get = %v, and the file exists: %v; want an error and no file", size, err, missing == nil)
		}
	}
}

// A brokenReader fails at once.
type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }
