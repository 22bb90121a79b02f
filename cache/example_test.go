package cache_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"locus/access"
	"locus/cache"
	"locus/url"
)

// A cache wraps a table. A policy wraps the cache, so that it also decides about stored
// resources. A locus.Client does this itself.
func Example() {
	asked := 0
	table := access.Table{"ftp": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		asked++
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: 16, ModTime: time.Date(1994, 12, 20, 9, 30, 0, 0, time.UTC)},
			Body:  io.NopCloser(strings.NewReader("read the manual\n")),
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
	engine := &cache.Cache{Engine: table, Folder: folder}
	for range 2 {
		r, err := engine.Do(context.Background(), &access.Request{URL: url.MustParse("ftp://ftp.example.org/motd")})
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

// A Web wraps the transport of a proxy.
func ExampleWeb() {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("Age", "10")
		fmt.Fprint(w, "read the manual")
	}))
	defer server.Close()
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
	web := &cache.Web{Transport: http.DefaultTransport, Cache: &cache.Cache{Folder: folder}, Name: "example"}
	for range 2 {
		r, err := http.NewRequest(http.MethodGet, server.URL, http.NoBody)
		if err != nil {
			log.Fatal(err)
		}
		resp, err := web.RoundTrip(r)
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		status, _, _ := strings.Cut(resp.Header.Get("Cache-Status"), "; ttl")
		fmt.Printf("%s, %v, asked %d: %s\n", text, err, asked, status)
	}
	// Output:
	// read the manual, <nil>, asked 1: example; fwd=uri-miss
	// read the manual, <nil>, asked 1: example; hit
}
