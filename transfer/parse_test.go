package transfer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"locus/extract/document"
	"locus/internal/autoindex"
	"locus/url"
)

func TestDigests(t *testing.T) {
	sum, long := strings.Repeat("ab", 32), strings.Repeat("cd", 64)
	for _, tt := range []struct {
		in   string
		want map[string]string // nil for an error
	}{
		{sum + "  a\n" + sum + " *b c\r\n\n# note\n", map[string]string{"a": sum, "b c": sum}},
		{"SHA256 (a) = " + sum + "\nSHA512 (b (c)) = " + long, map[string]string{"a": sum, "b (c)": long}},
		{`\` + sum + `  a\nb\\c`, map[string]string{"a\nb\\c": sum}},
		{sum + "  a\r\n" + sum + " *b \r\n", map[string]string{"a": sum, "b ": sum}},
		{strings.ToUpper(sum) + "  ./dir/a", map[string]string{"./dir/a": sum}},
		{`\SHA256 (a\nb) = ` + sum, map[string]string{"a\nb": sum}},
		{
			"-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n# a.iso: 12 bytes\r\nSHA256 (a.iso) = " + sum +
				"\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\niQIzBAEBCAAdFiEE\r\n-----END PGP SIGNATURE-----\r\n",
			map[string]string{"a.iso": sum},
		},
		{"", map[string]string{}},
		{sum + " a\n", nil},
		{sum[1:] + "  a\n", nil},
		{sum + "  a\n" + long + "  a\n", map[string]string{"a": long}},
		{long + "  a\n" + sum + "  a\n", map[string]string{"a": long}},
		{sum + "  a\n" + strings.Repeat("00", 32) + "  a\n", nil},
		{sum + "  \n", nil},
		{sum + "\n", nil},
		{"12  a\n", nil},
		{"SHA256 a = " + sum, nil},
		{"MD5 (a) = " + sum, nil},
	} {
		all, err := ParseDigests(strings.NewReader(tt.in))
		got := make(map[string]string)
		for name, d := range all {
			got[name] = d.String()
		}
		if (err != nil) != (tt.want == nil) || err == nil && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("ParseDigests(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	d, err := ParseDigest("E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855")
	if err != nil || d.Check(strings.NewReader("")) != nil {
		t.Errorf("the digest of nothing: %v, %v", d, err)
	}
	if err := d.Check(strings.NewReader("x")); !errors.Is(err, ErrDigest) {
		t.Errorf("Check = %v, want %v", err, ErrDigest)
	}
}

func TestSegments(t *testing.T) {
	for _, tt := range []struct {
		done []span
		size int64
		n    int
		want string // start-pos-end of each segment
	}{
		{nil, 100, 1, "[0-0-100]"},
		{nil, 100, 2, "[0-0-50 50-50-100]"},
		{nil, 100, 4, "[0-0-25 25-25-50 50-50-75 75-75-100]"},
		{nil, 30, 4, "[0-0-15 15-15-30]"},
		{[]span{{0, 40}}, 100, 1, "[0-40-100]"},
		{[]span{{0, 40}, {50, 60}}, 100, 1, "[0-40-50 50-60-100]"},
		{[]span{{10, 20}}, 100, 1, "[0-0-10 10-20-100]"},
		{[]span{{0, 100}}, 100, 1, "[]"},
	} {
		all := divide(gaps(tt.done, tt.size), tt.n, 10)
		slices.SortFunc(all, func(a, b *segment) int { return int(a.pos - b.pos) })
		var texts []string
		for _, s := range all {
			texts = append(texts, fmt.Sprintf("%d-%d-%d", s.start, s.pos, s.end))
		}
		if got := fmt.Sprint(texts); got != tt.want {
			t.Errorf("%v of %d in %d: %v, want %v", tt.done, tt.size, tt.n, got, tt.want)
		}
		if back := spans(all, tt.size); fmt.Sprint(back) != fmt.Sprint(tt.done) {
			t.Errorf("spans(%v) = %v, want %v", texts, back, tt.done)
		}
	}
}

func TestReadLinks(t *testing.T) {
	const at = "http://h/a/b"
	for _, tt := range []struct{ mime, in, want string }{
		{"text/html", `<a href="c">x</a><img src=/d.png><link rel=stylesheet href="e.css">`, "http://h/a/c http://h/d.png http://h/a/e.css"},
		{"text/html", `<base href="/x/"><base href="/y/"><a href=" z&amp;q ">`, "http://h/x/z&q"},
		{"text/html", `<A HREF='caf` + "\xe9" + `'><a href="a b"><a href=#top>`, "http://h/a/caf%E9 http://h/a/a%20b http://h/a/b"},
		{"text/html", `<script>"<a href=no>"</script><!-- <a href=no> --><a href="java` + "\n" + `script:x">`, "javascript:x"},
		{"text/html", `<a href="http://[bad">http://h/no</a><p>http://h/no</p><a href=x:// >`, "http://%5Bbad/ x://"},
		{"text/html", `<img srcset="s.png 1x, l.png 2x"><video poster=p><object data=o></object>`, "http://h/a/s.png http://h/a/l.png http://h/a/p http://h/a/o"},
		{"text/html", `<style>body { background: url(s) }</style><p style="background: url('i')">`, "http://h/a/s http://h/a/i"},
		{"text/html", `<meta http-equiv=refresh content="0; url=next">`, "http://h/a/next"},
		{"text/html", `<link rel=preconnect href=//cdn><link rel="dns-prefetch" href=//dns><link rel=preload href=c>`, "http://h/a/c"},
		{"text/html", `<form action=send><button formaction=send></form><q cite=from><a ping=count href=c>`, "http://h/a/c"},
		{"application/xhtml+xml", `<a href="c"/>`, "http://h/a/c"},
		{"text/css; charset=utf-8", `@import "c"; p { background: url(d.png) } /* http://h/no */`, "http://h/a/c http://h/a/d.png"},
	} {
		var links []string
		err := readLinks(strings.NewReader(tt.in), url.MustParse(at), tt.mime, func(to url.URL) error {
			links = append(links, to.String())
			return nil
		})
		if got := strings.Join(links, " "); got != tt.want || err != nil || !hasLinks(tt.mime) {
			t.Errorf("readLinks(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	for _, mime := range []string{"", "text/plain", "image/svg+xml", "application/javascript"} {
		if hasLinks(mime) {
			t.Errorf("%q is read for its links", mime)
		}
	}
	none := func(url.URL) error { return nil }
	if err := readLinks(io.MultiReader(strings.NewReader("<!--"), endless{}), url.MustParse(at), "text/html", none); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("a page without end: %v, want %v", err, document.ErrTooLarge)
	}
}

// An endless page never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, manyX), nil }

var manyX = strings.Repeat("x", 64<<10)

func TestIsListing(t *testing.T) {
	for in, want := range map[string]bool{
		"": false,
		`<html><head><title> Index of /a/ </title>`:                    true,
		`<TITLE>Directory listing for /</TITLE>`:                       true,
		`<title>About the index of it</title><p>Index of`:              false,
		`<title></title><p>Index of /`:                                 false,
		`<!-- <title>Index of</title> --><p>`:                          false,
		"<p><pre>":                                                     false,
		strings.Repeat(" ", autoindex.HeadSize) + `<title>Index of /`:  false,
		`<a href="c"></a><title>Index of /</title>`:                    true,
		"<!doctype html>\n<meta name=\"viewport\">\n<pre>\n<a href=x>": true,
	} {
		r := bufio.NewReaderSize(strings.NewReader(in), autoindex.HeadSize)
		if got := isListing(r); got != want {
			t.Errorf("isListing(%q) = %v, want %v", in, got, want)
		}
		if rest, err := io.ReadAll(r); string(rest) != in || err != nil {
			t.Errorf("after isListing(%q) %q is left, %v", in, rest, err)
		}
	}
}
