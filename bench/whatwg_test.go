package bench

import (
	neturl "net/url"
	"testing"

	"github.com/PuerkitoBio/purell"
	nlnwa "github.com/nlnwa/whatwg-url/url"

	"locus/url"
	"locus/url/whatwg"
)

func toHref(s string) {
	u, _ := whatwg.Parse(s)
	sinkText = u.String()
}

func toNetText(s string) {
	if u, err := neturl.Parse(s); err == nil {
		sinkText = u.String()
	}
}

// BenchmarkWHATWG converts URLs to hrefs by the URL Standard.
func BenchmarkWHATWG(b *testing.B) { both(b, toHref) }

// BenchmarkNetToText measures Parse and String of net/url.
func BenchmarkNetToText(b *testing.B) { both(b, toNetText) }

func BenchmarkRatioWHATWG(b *testing.B) { ratio(b, toHref, toNetText) }

// BenchmarkRatioNLNWA compares with another parser of the URL Standard in Go.
func BenchmarkRatioNLNWA(b *testing.B) {
	ratio(b, toHref, func(s string) {
		if u, err := nlnwa.Parse(s); err == nil {
			sinkText = u.Href(false)
		}
	})
}

// BenchmarkRatioPurell compares normalizing with purell, with the rewrites that purell
// calls safe, and with all of its rewrites.
func BenchmarkRatioPurell(b *testing.B) {
	ratio(b,
		func(s string) {
			u, _ := url.Parse(s)
			sinkText = u.Normalize(url.AllRewrites, httpFacts).String()
		},
		func(s string) { sinkText, _ = purell.NormalizeURLString(s, purell.FlagsSafe) })
}

// BenchmarkRatioWHATWGResolve resolves references to hrefs.
func BenchmarkRatioWHATWGResolve(b *testing.B) {
	base, _ := whatwg.Parse("http://www.example.org/a/b/c?q")
	netBase, _ := neturl.Parse("http://www.example.org/a/b/c?q")
	ratio(b,
		func(s string) {
			u, _ := whatwg.Resolve(base, lastSegment(s))
			sinkText = u.String()
		},
		func(s string) {
			if u, err := netBase.Parse(lastSegment(s)); err == nil {
				sinkText = u.String()
			}
		})
}

// BenchmarkRatioCanParse only asks whether a text is a URL.
func BenchmarkRatioCanParse(b *testing.B) {
	ratio(b,
		func(s string) { sinkBool = whatwg.CanParse(s) },
		func(s string) { sinkNet, _ = neturl.Parse(s) })
}
