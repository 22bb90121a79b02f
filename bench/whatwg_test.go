package bench

import (
	neturl "net/url"
	"testing"

	"locus/url/whatwg"
)

// BenchmarkWHATWG reads URLs to hrefs by the URL Standard.
func BenchmarkWHATWG(b *testing.B) {
	both(b, func(s string) {
		u, _ := whatwg.Parse(s)
		sinkText = u.String()
	})
}

// BenchmarkNetToText is net/url's Parse and String.
func BenchmarkNetToText(b *testing.B) {
	both(b, func(s string) {
		if u, err := neturl.Parse(s); err == nil {
			sinkText = u.String()
		}
	})
}

func BenchmarkRatioWHATWG(b *testing.B) {
	ratio(b,
		func(s string) {
			u, _ := whatwg.Parse(s)
			sinkText = u.String()
		},
		func(s string) {
			if u, err := neturl.Parse(s); err == nil {
				sinkText = u.String()
			}
		})
}
