package locus_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/cache"
	"locus/limit"
)

// A Client sets the Engine of its Cache, inside which turns are taken: a hit takes
// none.
func TestHitTakesNoTurn(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder, err := cache.OpenFolder(root, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { hitTakesNoTurn(t, folder) })
}

func hitTakesNoTurn(t *testing.T, folder *cache.Folder) {
	c := &locus.Client{
		Cache:   &cache.Cache{Folder: folder},
		Limiter: &limit.Limiter{PerServer: 1, MaxWait: time.Minute},
		Engines: func(locus.Dial) access.Table {
			return access.Table{"gopher": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 4}, Body: io.NopCloser(strings.NewReader("text"))}, nil
			})}
		},
	}
	read := func() (string, error) {
		r, err := c.Open(t.Context(), "gopher://h/0stored")
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	if text, err := read(); text != "text" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	release, err := c.Limiter.Wait(t.Context(), "another", "gopher://h:70")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if text, err := read(); text != "text" || err != nil || c.Cache.Hits() != 1 {
		t.Errorf("a hit while the server is busy: %q, %v, %d hits", text, err, c.Cache.Hits())
	}
	if _, err := c.Open(t.Context(), "gopher://h/0other"); !errors.Is(err, limit.ErrServer) {
		t.Errorf("a miss while the server is busy: %v, want %v", err, limit.ErrServer)
	}
}
