// Package bench compares locus with other projects. It is a separate module, because the
// other projects are not dependencies of locus.
//
// Each file has the benchmarks of one topic, such as ftp_test.go. Most benchmarks run our
// code and another program in turns, so that a busy machine slows both down, and report
// medians (transfer_test.go, gateway_test.go) or the ratio of the best times (url_test.go).
// A benchmark whose program is not installed is skipped. README.md has the results.
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
// its length in bytes.
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
	sinkBool  bool
)

// BenchmarkFloor looks up each byte in a table. A parser that checks byte by byte cannot be
// faster.
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

// ratio runs ours and theirs in turns over each list. It reports the best time of each and
// their ratio, because the best times are least disturbed by other processes.
func ratio(b *testing.B, ours, theirs func(string)) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			list, _ := lines(b, name)
			best := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for i, f := range []func(string){ours, theirs} {
					start := time.Now()
					for _, s := range list {
						f(s)
					}
					best[i] = min(best[i], time.Since(start))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "ratio")
			b.ReportMetric(float64(best[0].Nanoseconds())/float64(len(list)), "ns/url")
			b.ReportMetric(float64(best[1].Nanoseconds())/float64(len(list)), "their-ns/url")
		})
	}
}

func BenchmarkRatioParse(b *testing.B) {
	ratio(b,
		func(s string) { sinkURL, _ = url.Parse(s) },
		func(s string) { sinkNet, _ = neturl.Parse(s) })
}

func BenchmarkRatioResolve(b *testing.B) {
	base := url.MustParse("http://www.example.org/a/b/c?q")
	netBase, _ := neturl.Parse("http://www.example.org/a/b/c?q")
	ratio(b,
		func(s string) {
			u, _ := base.Resolve(lastSegment(s))
			sinkText = u.String()
		},
		func(s string) {
			if u, err := netBase.Parse(lastSegment(s)); err == nil {
				sinkText = u.String()
			}
		})
}

func lastSegment(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

func BenchmarkParse1738(b *testing.B) {
	both(b, func(s string) { sinkURL, _ = url.RFC1738.Parse(s) })
}

func BenchmarkParse1630(b *testing.B) {
	both(b, func(s string) { sinkURL, _ = url.RFC1630.Parse(s) })
}

func BenchmarkSplit(b *testing.B) {
	both(b, func(s string) { sinkParts = url.RFC3986.Split(s) })
}

func BenchmarkResolve(b *testing.B) {
	base := url.MustParse("http://www.example.org/a/b/c?q")
	both(b, func(s string) {
		sinkURL, _ = base.Resolve(lastSegment(s))
	})
}

func BenchmarkResolveNet(b *testing.B) {
	base, _ := neturl.Parse("http://www.example.org/a/b/c?q")
	both(b, func(s string) {
		if u, err := base.Parse(lastSegment(s)); err == nil {
			sinkText = u.String()
		}
	})
}

var httpFacts = url.Facts{DefaultPort: 80, Hierarchical: true, Roots: []string{"/", ""}}

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
		sinkText, _ = base.Relative(u)
	})
}

func BenchmarkDifference(b *testing.B) {
	both(b, func(s string) {
		u, _ := url.Parse(s)
		sinkByte = 0
		if _, _, _, differ := u.Difference(u, httpFacts); differ {
			sinkByte = 1
		}
	})
}
