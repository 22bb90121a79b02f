package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// A firstByte is a ResponseWriter that notes when the first byte of the body comes.
type firstByte struct {
	header http.Header
	start  time.Time
	first  time.Duration
	size   int
}

func (w *firstByte) Header() http.Header { return w.header }
func (w *firstByte) WriteHeader(int)     {}
func (w *firstByte) Write(p []byte) (int, error) {
	if w.size == 0 {
		w.first = time.Since(w.start)
	}
	w.size += len(p)
	return len(p), nil
}

// BenchmarkListing writes the page of a listing of 10 000 entries.
func BenchmarkListing(b *testing.B) {
	const many = 10_000
	table := make([]access.Entry, many)
	menu := make([]access.Entry, many)
	for i := range table {
		name := fmt.Sprintf("file-%05d.txt", i)
		table[i] = access.Entry{URL: url.MustParse("ftp://h/d/" + name), Title: name, Kind: access.Object, Type: "text/plain", Size: int64(i), ModTime: time.Unix(8e8+int64(i)*1000, 0)}
		menu[i] = access.Entry{URL: url.MustParse("gopher://h/0/" + name), Title: name, Kind: access.Object, Type: "text/plain", Size: -1}
	}
	for name, entries := range map[string][]access.Entry{"ftp://h/d/": table, "gopher://h/1/": menu} {
		b.Run(name[:3], func(b *testing.B) {
			g := &gateway.Gateway{MaxEntries: many, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				l := &list{entries: entries, end: io.EOF}
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
			})}
			b.ReportAllocs()
			var first time.Duration
			for b.Loop() {
				w := &firstByte{header: make(http.Header), start: time.Now()}
				request(g, "/"+name, w)
				first += w.first
				b.SetBytes(int64(w.size))
			}
			b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "first-ms")
		})
	}
}
