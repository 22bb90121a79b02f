package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"locus/access"
	"locus/archive"
	"locus/url"
)

// A Recorder records the resources of an engine, and an Archive opens them without the
// engine.
func Example() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()

	live := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: 5},
			Body:  io.NopCloser(strings.NewReader("hello")),
		}, nil
	})
	read := func(engine access.Engine, text string) {
		u, err := url.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := engine.Do(context.Background(), &access.Request{URL: u})
		if err != nil {
			fmt.Println(errors.Is(err, archive.ErrNotArchived), err)
			return
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		fmt.Println(string(body), err)
	}

	w, err := archive.Create(root, "site.warc.gz", archive.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	read(archive.Recorder{Engine: live, Writer: w}, "ftp://h/a.txt")
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	a, err := archive.Open(root, "site.warc.gz")
	if err != nil {
		fmt.Println(err)
		return
	}
	read(a, "ftp://h/a.txt")
	read(a, "ftp://h/b.txt")
	// Output:
	// hello <nil>
	// hello <nil>
	// true open ftp://h/b.txt: it is not in the archive
}
