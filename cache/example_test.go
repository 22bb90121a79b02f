package cache_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"locus"
	"locus/access"
	"locus/cache"
)

// A cache stands around a table, below whatever decides what may be opened.
func Example() {
	asked := 0
	table := access.Table{"ftp": access.OpenerFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		asked++
		return &access.Resource{
			URL: req.URL, Type: "text/plain", Size: 16, ModTime: time.Date(1994, 12, 20, 9, 30, 0, 0, time.UTC),
			Body: io.NopCloser(strings.NewReader("read the manual\n")),
		}, nil
	})}
	dir, err := os.MkdirTemp("", "locus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	folder, err := cache.OpenFolder(root, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	opener := &cache.Cache{Opener: table, Folder: folder}
	for range 2 {
		r, err := locus.Open(context.Background(), opener, "ftp://ftp.example.org/motd")
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		fmt.Printf("%s%v, asked %d\n", text, err, asked)
	}
	// Output:
	// read the manual
	// <nil>, asked 1
	// read the manual
	// <nil>, asked 1
}
