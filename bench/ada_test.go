//go:build ada && cgo

package bench

import (
	"testing"
	"time"

	"locus/bench/internal/ada"
	"locus/url/whatwg"
)

// agreed returns the URLs for which ada and whatwg.Parse return hrefs of the same length.
// It leaves out six URLs of web70k and one of mixed, because they have "xn--" labels, which
// ada 3.2.5 checks and the URL Standard does not check any more.
func agreed(list []string) (same []string) {
	for _, s := range list {
		u, _ := whatwg.Parse(s)
		if ada.NewList([]string{s}).Parse() == len(u.String()) {
			same = append(same, s)
		}
	}
	return same
}

// BenchmarkRatioAda compares whatwg.Parse with ada, each over the whole list.
func BenchmarkRatioAda(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			list, _ := lines(b, name)
			list = agreed(list)
			theirs := ada.NewList(list)
			best := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				start := time.Now()
				size := 0
				for _, s := range list {
					u, _ := whatwg.Parse(s)
					size += len(u.String())
				}
				best[0] = min(best[0], time.Since(start))
				start = time.Now()
				if n := theirs.Parse(); n != size {
					b.Fatalf("ada's hrefs have %d bytes, ours %d", n, size)
				}
				best[1] = min(best[1], time.Since(start))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "ratio")
			b.ReportMetric(float64(best[0].Nanoseconds())/float64(len(list)), "ns/url")
			b.ReportMetric(float64(best[1].Nanoseconds())/float64(len(list)), "their-ns/url")
		})
	}
}
