package prospero_test

import (
	"context"
	"io"
	"net"
	"runtime"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/proto/prospero"
	"locus/url"
)

// BenchmarkOpen opens a text of 515 bytes and an object of 1 MB.
func BenchmarkOpen(b *testing.B) {
	for name, size := range map[string]int{"text": 515, "object": 1_000_000} {
		b.Run(name, func(b *testing.B) {
			root := start(b, fstest.MapFS{"x": {Data: testData(size)}})("prospero")
			var dialer net.Dialer
			b.ReportAllocs()
			for b.Loop() {
				r, err := prospero.Client{Dial: dialer.DialContext}.Do(context.Background(), &access.Request{URL: url.MustParse(root + "/x")})
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, r.Body)
				if r.Body.Close(); err != nil || n != int64(size) {
					b.Fatal(n, err)
				}
			}
		})
	}
}

// Reading an object needs little memory, however long it is.
func TestObjectMemory(t *testing.T) {
	const size = 1_000_000
	root := start(t, fstest.MapFS{"x": {Data: testData(size)}})("prospero")
	var dialer net.Dialer
	read := func() {
		r, err := prospero.Client{Dial: dialer.DialContext}.Do(t.Context(), &access.Request{URL: url.MustParse(root + "/x")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := io.CopyN(io.Discard, r.Body, size/2); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := io.CopyN(io.Discard, r.Body, size/4); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 256<<10 {
			t.Errorf("a quarter of the object keeps %d bytes, want less than 256 KiB", grown)
		}
	}
	read() // the server makes and keeps its reply
	read()
}
