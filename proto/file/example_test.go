package file_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"locus/access"
	"locus/proto/file"
	"locus/url"
)

// A directory is a listing of its files, and the root of every URL.
func ExampleSystem() {
	dir, err := os.MkdirTemp("", "locus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a b.txt"), []byte("hello\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	r, err := file.System{Root: root}.Do(context.Background(), &access.Request{URL: url.MustParse("file:///")})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	err = access.Entries(l, func(e access.Entry) error {
		fmt.Println(e.Title, e.URL, e.Type, e.Size)
		return nil
	})
	fmt.Println(err)
	// Output:
	// a b.txt file:///a%20b.txt text/plain 6
	// <nil>
}
