package bench

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

var (
	sinkView scheme.View
	sinkErr  error
)

// view measures a parser of views on one URL.
func view[V scheme.View](b *testing.B, text string, parse func(url.URL) (V, error)) {
	b.Helper()
	u := url.MustParse(text)
	var v V
	var err error
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if v, err = parse(u); err != nil {
			b.Fatal(err)
		}
	}
	sinkView = v
}

func BenchmarkViewHTTP(b *testing.B) {
	view(b, "https://host.example/over/there/index.html?name=ferret", scheme.ParseHTTP)
}

func BenchmarkViewFTP(b *testing.B) {
	view(b, "ftp://user@host.example/pub/docs/rfc/rfc1738.txt;type=a", scheme.ParseFTP)
}

func BenchmarkViewFTPEncoded(b *testing.B) {
	view(b, "ftp://user@host.example/%2Fpub/my%20docs/rfc/rfc%201738.txt;type=a", scheme.ParseFTP)
}

func BenchmarkViewGopher(b *testing.B) {
	view(b, "gopher://host.example/0/pub/docs/rfc1738.txt", scheme.ParseGopher)
}

func BenchmarkViewGopherPlus(b *testing.B) {
	view(b, "gopher://host.example/0/pub/docs%09%09+application/postscript%20Es_ES", scheme.ParseGopher)
}

func BenchmarkViewMailto(b *testing.B) { view(b, "mailto:user@host.example", scheme.ParseMailto) }

func BenchmarkViewNews(b *testing.B) { view(b, "news:comp.infosystems.www.misc", scheme.ParseNews) }

func BenchmarkViewNNTP(b *testing.B) {
	view(b, "nntp://host.example/comp.infosystems.www.misc/4711", scheme.ParseNNTP)
}

func BenchmarkViewTelnet(b *testing.B) {
	view(b, "telnet://user:password@host.example/", scheme.ParseTelnet)
}

func BenchmarkViewWAIS(b *testing.B) {
	view(b, "wais://host.example/database/TEXT/%01%0Chost.example%02%02db%03%040%200x", scheme.ParseWAIS)
}

func BenchmarkViewFile(b *testing.B) {
	view(b, "file:///usr/share/doc/locus/README", scheme.ParseFile)
}

func BenchmarkViewProspero(b *testing.B) {
	view(b, "prospero://host.example//pros/name;OBJECT-VERSION=3", scheme.ParseProspero)
}

// BenchmarkViewURL writes the URL of a view.
func BenchmarkViewURL(b *testing.B) {
	v, err := scheme.ParseFTP(url.MustParse("ftp://user@host.example/%2Fpub/docs/rfc/rfc1738.txt;type=a"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		sinkURL = v.URL()
	}
}

// parsed returns the URLs of a list that a standard accepts, and their length in bytes.
func parsed(b *testing.B, std url.Standard, name string) (list []url.URL, size int64) {
	b.Helper()
	texts, _ := lines(b, name)
	for _, text := range texts {
		if u, err := std.Parse(text); err == nil {
			list = append(list, u)
			size += int64(len(text))
		}
	}
	return list, size
}

func eachURL(b *testing.B, std url.Standard, f func(url.URL)) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			list, size := parsed(b, std, name)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, u := range list {
					f(u)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/url")
		})
	}
}

// BenchmarkView parses the view of each URL, or returns the error.
func BenchmarkView(b *testing.B) {
	eachURL(b, url.RFC3986, func(u url.URL) { sinkView, sinkErr = scheme.Parse(u) })
}

// BenchmarkJudge checks URLs against the production of their scheme in RFC 1738.
func BenchmarkJudge(b *testing.B) {
	eachURL(b, url.RFC1738, func(u url.URL) { sinkErr = scheme.Judge(u) })
}

// BenchmarkSchemeNormalize rewrites URLs by the rules of their scheme.
func BenchmarkSchemeNormalize(b *testing.B) {
	eachURL(b, url.RFC3986, func(u url.URL) { sinkURL = scheme.Normalize(u, url.AllRewrites) })
}
