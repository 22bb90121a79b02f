package archive_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
)

// writeArchive writes a file of records, each compressed by itself, and opens its folder.
func writeArchive(t *testing.T, records int, record func(i int, to io.Writer)) *os.Root {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "a.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		z.Reset(out)
		record(i, z)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// heapOf returns how much the heap grows by what do returns, in MiB.
func heapOf(do func() any) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := do()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return (int(after.HeapAlloc) - int(before.HeapAlloc)) >> 20
}

// The index needs no more memory for records with large headers.
func TestIndexMemory(t *testing.T) {
	const records = 3000
	filler := "X-Filler: " + strings.Repeat("x", 20<<10) + "\r\n"
	root := writeArchive(t, records, func(i int, to io.Writer) {
		block := "HTTP/1.1 200 OK\r\n" + filler + "Content-Type: text/plain\r\n\r\nx"
		fmt.Fprintf(to, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/%d\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(block), block)
	})
	if mib := heapOf(func() any { return open(t, root, "a.warc.gz") }); mib > 10 {
		t.Errorf("the index of %d records needs %d MiB", records, mib)
	}
}

// A file of one MiB whose records have fields that compress well does not take all memory.
func TestIndexBomb(t *testing.T) {
	for _, field := range []string{"WARC-Target-URI: http://h/", "WARC-Target-URI: http://h/\r\nWARC-Payload-Digest: ", "WARC-Target-URI: http://h/\r\nWARC-Record-ID: "} {
		filler := strings.Repeat("x", 60<<10)
		root := writeArchive(t, 4000, func(i int, to io.Writer) {
			fmt.Fprintf(to, "WARC/1.1\r\nWARC-Type: resource\r\n%s%d%s\r\nContent-Length: 0\r\n\r\n\r\n\r\n", field, i, filler)
		})
		if mib := heapOf(func() any {
			a, err := archive.Open(root, "a.warc.gz")
			if err != nil && !errors.Is(err, access.ErrTooLong) {
				t.Errorf("Open = %v", err)
			}
			return a
		}); mib > 40 {
			t.Errorf("%q: the index of 4000 records needs %d MiB", field, mib)
		}
	}
}

// A recorded response whose header never ends is not read into memory.
func TestHeaderBomb(t *testing.T) {
	const size = 200 << 20
	root := writeArchive(t, 1, func(_ int, to io.Writer) {
		const start = "HTTP/1.1 200 OK\r\nX: "
		fmt.Fprintf(to, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s", len(start)+size, start)
		for range size >> 20 {
			_, _ = io.WriteString(to, strings.Repeat("x", 1<<20))
		}
		_, _ = io.WriteString(to, recordEnd)
	})
	a := open(t, root, "a.warc.gz")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := get(t, a, "http://h/")
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("a header without an end is opened")
	}
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 20 {
		t.Errorf("a header without an end takes %d MiB", mib)
	}
}

const recordEnd = "\r\n\r\n"
