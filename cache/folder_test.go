package cache_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/cache"
	"locus/url"
)

// If a folder is full, the least recently used resource is removed.
func TestEvict(t *testing.T) {
	o := &origin{open: text(strings.Repeat("x", 1000), nil)}
	c, _ := newCache(t, o, 10_000)
	for i := range 8 {
		get(t, c, fmt.Sprint("ftp://h/", i))
		get(t, c, "ftp://h/0")
	}
	if used := c.Folder.Used(); used > 10_000 {
		t.Errorf("%d bytes are stored, want at most 10000", used)
	}
	before := o.asked.Load()
	get(t, c, "ftp://h/0")
	get(t, c, "ftp://h/1")
	if asked := o.asked.Load() - before; asked != 1 {
		t.Errorf("asked %d times, want 1: for the least recently used resource", asked)
	}
}

// The next process finds the stored resources, but not damaged ones.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	o := &origin{open: text("kept", fields{"Cache-Control": "max-age=100"})}
	now := new(clock)
	open := func() *cache.Cache { return &cache.Cache{Engine: o, Folder: folder(t, dir, 0), Now: now.now} }
	get(t, open(), "http://h/x")
	if got, err := get(t, open(), "http://h/x"); got != "kept" || err != nil || o.asked.Load() != 1 {
		t.Errorf("%q, %v, asked %d times, want once", got, err, o.asked.Load())
	}
	var file string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			file = path
		}
		return err
	})
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 5 {
		damaged := bytes.Clone(whole)
		damaged[n] ^= 0x20
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := get(t, open(), "http://h/x")
		if err == nil && got != "kept" {
			t.Errorf("byte %d damaged: %q", n, got)
		}
	}
	for n := 0; n < len(whole); n += 11 { // truncated
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := get(t, open(), "http://h/x"); got != "kept" || err != nil {
			t.Errorf("cut at %d: %q, %v", n, got, err)
		}
	}
}

// A small resource is read from its file once, a large one each time, from any offset.
func TestHot(t *testing.T) {
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1} {
		dir := t.TempDir()
		content := strings.Repeat("0123456789", size/10+1)[:size]
		o := &origin{open: text(content, nil)}
		c := &cache.Cache{Engine: o, Folder: folder(t, dir, 0)}
		for i := range 3 {
			if got, err := get(t, c, "ftp://h/x"); got != content || err != nil {
				t.Errorf("%d bytes, time %d: %d bytes, %v", size, i, len(got), err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatalf("size %d: %v", size, err)
		}
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/x"), Offset: int64(size / 2)})
		if err != nil {
			if size <= 64<<10 {
				t.Errorf("%d bytes: %v, though they are in memory", size, err)
			}
			continue
		}
		got, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if size > 64<<10 && o.asked.Load() == 1 || string(got) != content[r.Offset:] {
			t.Errorf("%d bytes from %d: %d bytes, asked %d times", size, r.Offset, len(got), o.asked.Load())
		}
	}
}

// The bytes in memory are bounded, and are removed with their file.
func TestHotBound(t *testing.T) {
	o := &origin{open: text(strings.Repeat("x", 60_000), nil)}
	c, _ := newCache(t, o, 400_000) // fits six of them
	for range 3 {
		for i := range 10 {
			if _, err := get(t, c, fmt.Sprint("ftp://h/", i)); err != nil {
				t.Fatalf("Get of ftp://h/%d: %v", i, err)
			}
		}
	}
	if asked := o.asked.Load(); asked != 30 {
		t.Errorf("asked %d times, want 30, because each resource was evicted before it was asked for again", asked)
	}
}
