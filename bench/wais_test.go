package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/demo"
	"locus/proto/wais"
	"locus/url"
)

// BenchmarkWAISDocument retrieves a document of 10 MB from the demo's server on
// loopback, in pieces of several sizes.
func BenchmarkWAISDocument(b *testing.B) {
	const size = 10_000_000
	text := strings.Repeat("A line of a long text of ten million bytes in full.\n", size/52+1)[:size]
	d, err := demo.Start(b.Context(), demo.Config{
		Listen: net.Listen, Files: fstest.MapFS{"long.txt": {Data: []byte(text)}},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Close() })
	u := url.MustParse("wais://" + d.Service("wais").Addr + "/library/TEXT/3=0%200%20%2Flong.txt;")
	for _, chunk := range []int{2_000, 10_000, 25_000, 50_000, 75_000, 96_000, 99_000} {
		b.Run(fmt.Sprint(chunk), func(b *testing.B) {
			c := wais.Client{Dial: new(net.Dialer).DialContext, Chunk: chunk}
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Do(context.Background(), &access.Request{URL: u})
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, r.Body)
				if r.Body.Close(); err != nil || n != size {
					b.Fatalf("%d bytes, %v", n, err)
				}
			}
		})
	}
}
