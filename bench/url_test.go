// Package bench measures locus beside other projects.
package bench

import (
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/url"
)

// lines returns a list of URLs from the vectors that both parsers accept, and
// its length in octets.
func lines(tb testing.TB, name string) (list []string, size int64) {
	tb.Helper()
	dir := os.Getenv("LOCUS_VECTORS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "vectors")
	}
	text, err := os.ReadFile(filepath.Join(dir, "urls", name))
	if err != nil {
		tb.Skipf("no list of URLs: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if _, err := url.Parse(line); err != nil {
			continue
		}
		if _, err := neturl.Parse(line); err != nil {
			continue
		}
		list = append(list, line)
		size += int64(len(line))
	}
	return list, size
}

var names = []string{"web70k.txt", "mixed.txt"}

// perURL runs f over a list and reports ns/url and MB/s.
func perURL(b *testing.B, name string, f func(string)) {
	b.Run(name, func(b *testing.B) {
		list, size := lines(b, name)
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, s := range list {
				f(s)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/url")
	})
}

func both(b *testing.B, f func(string)) {
	for _, name := range names {
		perURL(b, name, f)
	}
}

var (
	sinkURL   url.URL
	sinkParts url.Parts
	sinkNet   *neturl.URL
	sinkByte  byte
	sinkText  string
)

// BenchmarkFloor is one pass over the octets with a look into a table for
// each: less than that no check of every octet can take, octet by octet.
func BenchmarkFloor(b *testing.B) {
	var table [256]byte
	for c := range table {
		table[c] = byte(c * 7)
	}
	both(b, func(s string) {
		var all byte
		for i := range len(s) {
			all |= table[s[i]]
		}
		sinkByte = all
	})
}

func BenchmarkParse(b *testing.B) {
	both(b, func(s string) { sinkURL, _ = url.Parse(s) })
}

func BenchmarkParseNet(b *testing.B) {
	both(b, func(s string) { sinkNet, _ = neturl.Parse(s) })
}

// BenchmarkParseRatio runs both parsers by turns and reports the ratio of
// their best times, so that what else the machine does falls out.
func BenchmarkParseRatio(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			list, _ := lines(b, name)
			ours, theirs := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				for _, s := range list {
					sinkURL, _ = url.Parse(s)
				}
				middle := time.Now()
				for _, s := range list {
					sinkNet, _ = neturl.Parse(s)
				}
				ours = min(ours, middle.Sub(start))
				theirs = min(theirs, time.Since(middle))
			}
			b.ReportMetric(ours.Seconds()/theirs.Seconds(), "ratio")
			b.ReportMetric(float64(ours.Nanoseconds())/float64(len(list)), "ns/url")
			b.ReportMetric(float64(theirs.Nanoseconds())/float64(len(list)), "net-ns/url")
		})
	}
}

func BenchmarkParse1738(b *testing.B) {
	both(b, func(s string) { sinkURL, _ = url.RFC1738.Parse(s) })
}

func BenchmarkParse1630(b *testing.B) {
	both(b, func(s string) { sinkURL, _ = url.RFC1630.Parse(s) })
}

func BenchmarkSplit(b *testing.B) {
	both(b, func(s string) { sinkParts = url.Split(s) })
}

func BenchmarkResolve(b *testing.B) {
	base := url.MustParse("http://www.example.org/a/b/c?q")
	both(b, func(s string) {
		ref := s[strings.LastIndexByte(s, '/')+1:]
		sinkURL, _ = base.Resolve(ref)
	})
}

func BenchmarkResolveNet(b *testing.B) {
	base, _ := neturl.Parse("http://www.example.org/a/b/c?q")
	both(b, func(s string) {
		ref := s[strings.LastIndexByte(s, '/')+1:]
		if u, err := base.Parse(ref); err == nil {
			sinkText = u.String()
		}
	})
}

var httpFacts = url.Facts{DefaultPort: 80, Hierarchical: true, EmptyPath: true}

func BenchmarkNormalize(b *testing.B) {
	both(b, func(s string) {
		u, _ := url.Parse(s)
		sinkURL = u.Normalize(url.AllRewrites, httpFacts)
	})
}

func BenchmarkRelative(b *testing.B) {
	base := url.MustParse("http://www.example.org/a/b/c?q")
	both(b, func(s string) {
		u, _ := url.Parse(s)
		sinkText, _ = url.RFC3986.Relative(base, u)
	})
}

func BenchmarkEquivalent(b *testing.B) {
	both(b, func(s string) {
		u, _ := url.Parse(s)
		sinkByte = 0
		if url.RFC3986.Equivalent(u, u, httpFacts) {
			sinkByte = 1
		}
	})
}
