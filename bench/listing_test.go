package bench

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// serveMenu serves a gopher menu of n entries, which it makes while it sends them. It
// returns its address.
func serveMenu(b *testing.B, n int) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	host, port, _ := net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
					return
				}
				out := bufio.NewWriterSize(c, 64<<10)
				defer out.Flush()
				for i := range n {
					fmt.Fprintf(out, "0Entry %07d of a long folder, with a title of some length\t/folder/of/many/files/entry-%07d.txt\t%s\t%s\r\n", i, i, host, port)
				}
				out.WriteString(".\r\n")
			}()
		}
	}()
	return l.Addr().String()
}

// A listed is an answer with a listing.
type listed struct {
	first, whole time.Duration
	sent, text   int64 // received bytes, and bytes after decompression
}

// list asks a gateway for a listing.
func list(b *testing.B, at, path, accept, encoding string) listed {
	b.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+at+path, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	r.Header.Set("Accept-Encoding", encoding)
	start := time.Now()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	got := &counter{in: resp.Body, first: make([]byte, 1)}
	if _, err := io.ReadFull(resp.Body, got.first); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s = %s, %v", path, resp.Status, err)
	}
	l := listed{first: time.Since(start)}
	in := io.Reader(got)
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if in, err = gzip.NewReader(got); err != nil {
			b.Fatal(err)
		}
	}
	if l.text, err = io.Copy(io.Discard, in); err != nil {
		b.Fatal(err)
	}
	l.whole, l.sent = time.Since(start), got.read
	return l
}

// A counter reads first and then in, and counts the bytes.
type counter struct {
	in    io.Reader
	first []byte
	read  int64
}

func (c *counter) Read(p []byte) (int, error) {
	if len(c.first) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		c.read += int64(n)
		return n, nil
	}
	n, err := c.in.Read(p)
	c.read += int64(n)
	return n, err
}

// BenchmarkGatewayListing asks for listings of 10 000 and of a million entries of a gopher
// server in this process: the time to the first byte, the number of bytes, and the peak
// memory of the gateway. Figures are medians of 21 answers, or of 1 for a million.
func BenchmarkGatewayListing(b *testing.B) {
	for _, test := range []struct {
		name, path, accept string
		entries, turns     int
	}{
		{"page", "/", "text/html", 10_000, 21},
		{"page-sorted", "/-/list?sort=-name&url=", "text/html", 10_000, 21},
		{"json", "/", "application/json", 10_000, 21},
		{"uri-list", "/", "text/uri-list", 10_000, 21},
		{"json-million", "/", "application/json", 1_000_000, 1},
	} {
		b.Run(test.name, func(b *testing.B) {
			menu := serveMenu(b, test.entries)
			p := startLocus(b, "locus", command(b))
			path := test.path + "gopher://" + menu + "/"
			for range b.N {
				var first, whole []float64
				plain := list(b, p.addr, path, test.accept, "identity")
				var packed listed
				for range test.turns {
					packed = list(b, p.addr, path, test.accept, "gzip")
					first = append(first, packed.first.Seconds()*1000)
					whole = append(whole, packed.whole.Seconds()*1000)
				}
				b.ReportMetric(middle(first), "first-ms")
				b.ReportMetric(middle(whole), "whole-ms")
				b.ReportMetric(float64(plain.sent)/1000, "kB-plain")
				b.ReportMetric(float64(packed.sent)/1000, "kB-gzip")
				b.ReportMetric(peak(b, p.pid), "MB-peak")
				if packed.text != plain.text {
					b.Errorf("%d bytes packed, %d plain", packed.text, plain.text)
				}
			}
		})
	}
}
