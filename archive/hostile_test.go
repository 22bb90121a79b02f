package archive_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
)

// writeArchive writes a file of records, each a gzip member, and opens its folder. The
// members are stored without compression, because compressing them would take most of a
// test's time.
func writeArchive(t *testing.T, records int, record func(i int, to io.Writer)) *os.Root {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "a.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	z, err := gzip.NewWriterLevel(out, gzip.NoCompression)
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

// heapOf returns the size of the result of do on the heap, in MiB.
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

// The index of records with large headers does not need more memory.
func TestIndexMemory(t *testing.T) {
	const records = 1000 // with headers of 20 MiB
	filler := "X-Filler: " + strings.Repeat("x", 20<<10) + "\r\n"
	root := writeArchive(t, records, func(i int, to io.Writer) {
		block := "HTTP/1.1 200 OK\r\n" + filler + "Content-Type: text/plain\r\n\r\nx"
		fmt.Fprintf(to, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/%d\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(block), block)
	})
	if mib := heapOf(func() any { return open(t, root, "a.warc.gz") }); mib > 4 {
		t.Errorf("the index of %d records needs %d MiB", records, mib)
	}
}

// A Writer of an archive with many long URLs does not keep them in memory, and its index has all of them.
func TestWriterMemory(t *testing.T) {
	// attack: Clients of a gateway that records open very many long URLs | megabytes of the index stay in memory; payloads are
	// remembered until their URLs have 256 MiB
	const records = 2000 // with URLs of 40 MB
	filler := strings.Repeat("x", 20<<10)
	root := writeArchive(t, records, func(i int, to io.Writer) {
		fmt.Fprintf(to, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/%04d%s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
			"Content-Length: 1\r\n\r\nx\r\n\r\n", records-i, filler)
	})
	var w *archive.Writer
	mib := heapOf(func() any {
		w = create(t, root, "a.warc.gz", archive.Options{})
		return w
	})
	if mib > 24 {
		t.Errorf("a Writer of %d records needs %d MiB", records, mib)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := root.ReadFile("a.cdxj")
	if lines := strings.Split(string(index), "\n"); err != nil || len(lines) != records+1 || !slices.IsSorted(lines[:records]) {
		t.Errorf("the index has %d lines, sorted: %v, %v; want %d lines", len(lines)-1, slices.IsSorted(lines), err, records)
	}
	if files, err := fs.Glob(root.FS(), ".locus-*"); err != nil || len(files) > 0 {
		t.Errorf("temporary files are left: %q, %v", files, err)
	}
}

// A small file whose records have fields that compress well does not take all memory.
func TestIndexBomb(t *testing.T) {
	const records = 600 // with fields of 36 MiB; an index may have 16 MiB
	filler := strings.Repeat("x", 60<<10)
	var compressed bytes.Buffer // filler, compressed only once, because that takes long
	z, err := flate.NewWriter(&compressed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(z, filler); err != nil {
		t.Fatal(err)
	}
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"WARC-Target-URI: http://h/", "WARC-Target-URI: http://h/\r\nWARC-Payload-Digest: ", "WARC-Target-URI: http://h/\r\nWARC-Record-ID: "} {
		dir := t.TempDir()
		var file bytes.Buffer
		for i := range records {
			start, end := fmt.Sprintf("WARC/1.1\r\nWARC-Type: resource\r\n%s%d", field, i), "\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
			text := start + filler + end
			file.WriteString("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff") // RFC 1952 §2.3
			file.Write(storedBlock(start, false))
			file.Write(compressed.Bytes())
			file.Write(storedBlock(end, true))
			file.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text))))
			file.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
		}
		if err := os.WriteFile(filepath.Join(dir, "a.warc.gz"), file.Bytes(), 0o600); err != nil {
			t.Fatalf("%q: %v", field, err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatalf("%q: %v", field, err)
		}
		t.Cleanup(func() { root.Close() })
		if mib := heapOf(func() any {
			a, err := archive.Open(root, "a.warc.gz")
			if err != nil && !errors.Is(err, access.ErrTooLong) {
				t.Errorf("Open of an index of %d records of %q = %v", records, field, err)
			}
			return a
		}); mib > 24 {
			t.Errorf("%q: the index of %d records needs %d MiB", field, records, mib)
		}
	}
}

// storedBlock returns a block of deflate with uncompressed text (RFC 1951 §3.2.4).
func storedBlock(text string, isLast bool) []byte {
	b := []byte{0}
	if isLast {
		b[0] = 1
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	b = binary.LittleEndian.AppendUint16(b, ^uint16(len(text)))
	return append(b, text...)
}

// A recorded response whose header never ends is not read into memory.
func TestHeaderBomb(t *testing.T) {
	const size = 24 << 20
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
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 12 {
		t.Errorf("a header without an end takes %d MiB", mib)
	}
}

const recordEnd = "\r\n\r\n"

// A server cannot inject fields into a record with its media type. A URL that is too long
// for a reader is refused.
func TestHostileFields(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	typed := func(mediaType string) access.Engine {
		return w.Record(access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Type: mediaType}, Body: io.NopCloser(strings.NewReader("text"))}, nil
		}))
	}
	if _, _, err := get(t, typed("text/plain\r\nWARC-Target-URI: http://bank.example/\r\n\r\nx"), "gopher://h/1"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := get(t, typed(strings.Repeat("x", 100_000)), "gopher://h/2"); err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{30_000, 66_000, 300_000} {
		long := "gopher://h/3" + strings.Repeat("y", length)
		if body, _, err := get(t, typed("text/plain"), long); err == nil && body != "text" || err != nil && !errors.Is(err, access.ErrTooLong) {
			t.Errorf("a URL of %d bytes: %q, %v", length, body, err)
		}
	}
	if _, _, err := get(t, typed("text/plain"), "gopher://h/4"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := open(t, root, "a.warc.gz")
	for _, u := range []string{"gopher://h/1", "gopher://h/2", "gopher://h/4"} {
		if body, _, err := get(t, a, u); body != "text" || err != nil {
			t.Errorf("%s: %q, %v", u, body, err)
		}
	}
	if body, _, err := get(t, a, "http://bank.example/"); err == nil {
		t.Errorf("a server has made a record of another: %q", body)
	}
	for _, r := range records(t, root, "a.warc.gz") {
		if len(r.Fields) > 12 {
			t.Errorf("%s has %d fields", r, len(r.Fields))
		}
	}
}

// An archive may lead in circles, refer to itself, and pack a page many times. Each access ends.
func TestHostileArchive(t *testing.T) {
	// attack: A web archive has records or redirects with `file:` URLs
	revisit := func(target, refersTo string) string {
		return record("WARC-Type: revisit", "WARC-Record-ID: <urn:"+target+">", "WARC-Target-URI: "+target, "WARC-Date: 2020-01-01T00:00:00Z", "WARC-Payload-Digest: sha1:X",
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Refers-To-Target-URI: "+refersTo, "WARC-Refers-To-Date: 2020-01-01T00:00:00Z",
			"Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\n")
	}
	response := func(target, head string) string {
		return record("WARC-Type: response", "WARC-Record-ID: <urn:x>", "WARC-Target-URI: "+target, "Content-Type: application/http", "", "HTTP/1.1 "+head)
	}
	root := folder(t)
	text := revisit("http://h/self", "http://h/self") + revisit("http://h/a", "http://h/b") + revisit("http://h/b", "http://h/a") +
		response("http://h/loop", "301 Moved\r\nLocation: /loop\r\n\r\n") + response("http://h/ping", "301 Moved\r\nLocation: /pong\r\n\r\n") + response("http://h/pong", "301 Moved\r\nLocation: /ping\r\n\r\n") +
		response("http://h/file", "301 Moved\r\nLocation: file:///etc/passwd\r\n\r\n") + response("http://h/long", "200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx") +
		response("http://h/nogzip", "200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8bnot packed") + response("http://h/chunks", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\nx") +
		response("http://h/head", "200 OK\r\nX: y") + response("http://h/status", "99999 what\r\n\r\nx") + response("file:///etc/passwd", "200 OK\r\n\r\nevil")
	for i := range 30 {
		text += response(fmt.Sprintf("http://h/chain%d", i), fmt.Sprintf("302 Found\r\nLocation: /chain%d\r\n\r\n", i+1))
	}
	if err := root.WriteFile("a.warc", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	a := open(t, root, "a.warc")
	engine := access.Follow{Engine: a}
	for _, path := range []string{"self", "a", "b", "loop", "ping", "file", "long", "nogzip", "chunks", "head", "chain0"} {
		if body, _, err := get(t, engine, "http://h/"+path); err == nil {
			t.Errorf("%s: %q, want an error", path, body)
		}
		roundTrip(t, a, "GET", "http://h/"+path, nil) // it ends
	}
}
