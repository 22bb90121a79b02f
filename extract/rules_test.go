package extract

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/scheme"
)

// A ruled is a text and its matches, whether the text is read in one piece or byte by byte.
type ruled struct {
	in   string
	want []string
}

func holdRules(t *testing.T, o Options, tests []ruled) {
	t.Helper()
	s := NewScanner(nil, o)
	for _, test := range tests {
		all := collect(t, test.in, o)
		if got := texts(all); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
		s.Reset(iotest.OneByteReader(strings.NewReader(test.in)))
		if one := drain(t, s); !reflect.DeepEqual(one, all) {
			t.Errorf("All(%q) byte by byte = %q, want %q", test.in, texts(one), texts(all))
		}
	}
}

// URLs end by the rules of doc/extract.md.
func TestEdges(t *testing.T) {
	holdRules(t, Options{}, []ruled{
		// 1: before a control character
		{"http://h/a\x7fb http://h/a\x1fb http://h/~b", []string{"http://h/a", "http://h/a", "http://h/~b"}},
		{"http://h?a=x@/ http://h#x@/ http://h?a@:b", []string{"http://h?a=x@/", "http://h#x@/", "http://h?a@:b"}},
		// 2: brackets that enclose each other are in order
		{"http://h/(a[b)c] http://h/{a)", []string{"http://h/", "http://h/"}},
		// 3: characters that separate a list of URLs, before a scheme and "//"
		{"http://h/a,http:x/ http://h/a,http:/x http://h/a;b://c http://a,httpx//b", []string{"http://h/a,http:x/", "http://h/a,http:/x", "http://h/a;b://c", "http://a,httpx//b"}},
		{"http://,http://b file://,http://c", []string{"http://b", "http://c"}},
		{"http://[::1],http://b/;http://h:80,http://c", []string{"http://[::1]", "http://b/", "http://h:80", "http://c"}},
		{"http://h:/", []string{"http://h:/"}},
		{"http://h/a&bc;http://i", []string{"http://h/a&bc", "http://i"}},
		{"http://h/,https:", []string{"http://h/,https"}},
		// and an apostrophe in a host
		{"\"http://'.$h.'/x\" http://h'x/", []string{"http://h"}},
		// 4: a character that an IRI cannot contain (RFC 3987 §2.2, ucschar) ends it, and the characters next to these
		// do not
		{"http://h/\ufdcfa\ufdf0b\uffefc", []string{"http://h/\ufdcfa\ufdf0b\uffefc"}},
		{"http://h/a\ufdd0b http://h/a\ufdefb http://h/a\ufff0b http://h/a\ufffdb http://h/a\uffffb", []string{"http://h/a", "http://h/a", "http://h/a", "http://h/a", "http://h/a"}},
		{"http://h/a\xe3\x81", []string{"http://h/a"}},
		{"http://h/\xe3\x81\x82", []string{"http://h/あ"}},
		{"http://h.example\u0080x http://h.exampleéx/", []string{"http://h.example", "http://h.example"}},
		{"http://h:80é http://h:8xé http://u:80é@h/ http://h:é", []string{"http://h:80", "http://u:80é@h/"}},
		{"http://1.2.3.4在 http://1.2.3.4:80在 http://h.exé/ http://vermögensberater/ http://h.vermögensberater/", []string{"http://1.2.3.4", "http://1.2.3.4:80", "http://h.exé/", "http://vermögensberater/", "http://h.vermögensberater/"}},
		// 5: punctuation at the end of a sentence, and references to characters
		{"http://h/a&amp; http://h/&#38; http://h/&#x26; http://h/a&lt;&gt;.", []string{"http://h/a", "http://h/", "http://h/", "http://h/a"}},
		{"http://h/?a&b=c; http://ab; http://h/?a=1&b; http://h/&;", []string{"http://h/?a&b=c", "http://ab", "http://h/?a=1&b", "http://h/&"}},
		{"http://h/a&thetasym; http://h/a&abcdefghi;", []string{"http://h/a", "http://h/a&abcdefghi"}},
		{"http://h/'a'' http://h/''", []string{"http://h/'a'", "http://h/''"}},
		{"http://h/a· http://h/a؟ http://h/a، http://h/a؛ http://h/a। http://h/a： http://h/a．", []string{"http://h/a", "http://h/a", "http://h/a", "http://h/a", "http://h/a", "http://h/a", "http://h/a"}},
		// 6: a host with a letter or a digit, if the scheme's URLs have one
		{"file:// file://. postgres:// file:///", []string{"file:///"}},
		{"file://:!h file://:x/ file://:8/ file://u@/x", []string{"file://:8/", "file://u@/x"}},
		{"ssh:///x git:///x ws:///x ircs:///x http://-/ http://_ http://4/ http://é/", []string{"http://4/", "http://é/"}},
		{"http://{h}/ http://h[0]/ http://h{x}.example/", nil},
		{"http://u:[x]@h/ http://u@[::1]:8/", []string{"http://u:[x]@h/", "http://u@[::1]:8/"}},
	})
}

// A match has at most Options.MaxLength bytes, whatever pieces the reader returns.
func TestMaxLength(t *testing.T) {
	for _, o := range []Options{{MaxLength: 600}, {MaxLength: 1}} { // the minimum is 512
		most := max(o.MaxLength, 512)
		s := NewScanner(nil, o)
		for _, start := range []string{"http://h/", "http://", "mailto:", "URL:x:", "URL:x://"} {
			for _, after := range []string{"", " ", " x", ".", ")"} {
				for _, n := range []int{most - 1, most, most + 1} {
					text := start + strings.Repeat("a", n-len(start)) + after
					s.Reset(strings.NewReader(text))
					all := drain(t, s)
					long := n > most || n == most && after == "." // the dot is read before it is removed
					if len(all) == 0 || (len(all[0].Text) == 256) != long || !long && all[0].Length != n {
						t.Errorf("for %d bytes %q…%q and a maximum of %d, All = %v, want ErrTooLong: %v", n, start, after, most, all, long)
					}
					s.Reset(iotest.OneByteReader(strings.NewReader(text)))
					if one := drain(t, s); !reflect.DeepEqual(one, all) {
						t.Errorf("for %d bytes %q…%q byte by byte, All = %v, want %v", n, start, after, one, all)
					}
				}
			}
		}
	}
	// The default limit is 64 KiB.
	for n, want := range map[int]bool{1<<16 - 1: true, 1 << 16: true, 1<<16 + 1: false} {
		all := collect(t, "http://h/"+strings.Repeat("a", n-len("http://h/"))+" ", Options{})
		if len(all) != 1 || (len(all[0].Text) > 256) != want || all[0].Length != min(n, 1<<16) {
			t.Errorf("for %d bytes and the default limit, All gives %d matches, want one without an error: %v", n, len(all), want)
		}
	}
	// A text at the limit, or across it, gives the same matches whatever pieces the reader returns.
	o := Options{MaxLength: 512, Bare: true, Mail: true}
	s := NewScanner(nil, o)
	for _, tail := range []string{",http://b/ x", "é x", "%41 x", "<URL:x:y> z", "://h/ x", ".example:80/ x", "@h.example x", "::1 x", "(a) x"} {
		for n := range 24 {
			text := "http://h/" + strings.Repeat("a", o.MaxLength-len("http://h/")-n) + tail
			s.Reset(strings.NewReader(text))
			all := drain(t, s)
			s.Reset(iotest.OneByteReader(strings.NewReader(text)))
			if one := drain(t, s); !reflect.DeepEqual(one, all) {
				t.Errorf("for %d bytes and %q byte by byte, All = %q, want %q", n, tail, texts(one), texts(all))
			}
		}
	}
}

// Hosts have the form of RFC 1035 §2.3.4 and RFC 5891.
func TestHosts(t *testing.T) {
	label := strings.Repeat("a", maxLabel)
	long := strings.Repeat(label+".", 3) + strings.Repeat("a", 53) + ".example" // 253 bytes
	holdRules(t, Options{Bare: true}, []ruled{
		{long, []string{long}},
		{"a" + long, nil},
		{label + ".example a" + label + ".example b." + label + ".example b.a" + label + ".example", []string{label + ".example", "b." + label + ".example"}},
		{strings.Repeat("é", maxLabel) + ".example", []string{strings.Repeat("é", maxLabel) + ".example"}},
		{strings.Repeat("é", maxLabel+1) + ".example", nil},
		{"a.-b.example a.b-.example a..b.example h.example- x", []string{"h.example"}},
		{"x.A A.BIZ ЯНДЕКС.РФ x.Com x.COM", []string{"A.BIZ", "ЯНДЕКС.РФ", "x.COM"}},
		{"cafe\u0301.example 例-h.example नमस्ते.example", []string{"cafe\u0301.example", "例-h.example", "नमस्ते.example"}},
		{"\x80b.example c\xffd.example e.example\xe3", []string{"b.example", "d.example", "e.example"}},
		{"h.exampleके.com h.exampleке.com", []string{"h.exampleके.com", "h.exampleке.com"}},
		{"%20h.example h.example_b h.example(b _h.example \\h.example", nil},
		{"h.example:65535 h.example:80x h.example:80-b h.example:80_ h.example:80在", []string{"h.example:65535", "h.example", "h.example", "h.example:80", "h.example:80"}},
		// a line and a column in a file
		{"main.rs:12:5 setup.py:3: lib.so:", nil},
		{"docs.rs/x www.docs.rs:443", []string{"docs.rs/x", "www.docs.rs:443"}},
		{"localhost:80/a ..localhost:80 xlocalhost:80 localhost:80,localhost:90", []string{"localhost:80/a", "localhost:80", "localhost:90"}},
		{"localhost:", nil},
	})
}

// IPv6 addresses have the form of RFC 4291 §2.2. Texts that only resemble one are not matches.
func TestIPv6(t *testing.T) {
	holdRules(t, Options{Bare: true}, []ruled{
		{"fe80::1:2:3 fe80::12:34 1:2:3:4:5:6:7:8 1:: ::1", []string{"fe80::1:2:3", "fe80::12:34", "1:2:3:4:5:6:7:8", "1::", "::1"}},
		{"xfe80::1 _1::2 /1::2 1::2g 1::2_ é1::2 1::2é", nil},
		{"fe80::1: up, 1::2. 3::4.: 5::", []string{"fe80::1", "1::2", "3::4", "5::"}},
		{"1::2]:80 (1::2]:80 [1::2/64] [1::3}:80", []string{"1::2", "1::2", "1::2", "1::3"}},
		{"[1::2", []string{"1::2"}},
		{"[1::2]", []string{"1::2"}},
		{"[1::2]:80[3::4]:80", []string{"[1::2]:80", "[3::4]:80"}},
		{"1::" + strings.Repeat("0", 70) + "1 2::3", []string{"2::3"}},
	})
}

// A scheme without "//" needs certain characters before it and after its colon.
func TestOpaque(t *testing.T) {
	nid := strings.Repeat("a", 32)
	holdRules(t, Options{}, []ruled{
		{"http:/host/x https:/h telnet:x gopher:x wais:x", nil},
		{"file:/e file:x", []string{"file:/e"}},
		{"news:-a news:/a news:4a@h news:a", []string{"news:4a@h", "news:a"}},
		{"matrix:u/a:h matrix:r/b matrix:roomid/c matrix:e/d matrix:x/y matrix:u matrix:rooms/z", []string{"matrix:u/a:h", "matrix:r/b", "matrix:roomid/c", "matrix:e/d"}},
		// RFC 8141 §2
		{"urn:ab:c urn:a1:b urn:x-a:b urn:" + nid + ":x", []string{"urn:ab:c", "urn:a1:b", "urn:x-a:b", "urn:" + nid + ":x"}},
		{"urn:a:b urn:ab: x urn:a_b:c urn:a" + nid + ":x urn:ab", nil},
		// RFC 2397 §3
		{"data:a(b,c data:a!b,c data:" + strings.Repeat("a", 300) + ",x data:text/x1;a=b-c.d+e_f,g", []string{"data:text/x1;a=b-c.d+e_f,g"}},
		{"data:" + strings.Repeat("a", maxStart) + ",x data:" + strings.Repeat("b", maxStart-1) + ",y", []string{"data:" + strings.Repeat("b", maxStart-1) + ",y"}},
		{"mailto:&gt; mailto:-- mailto:+ mailto:é mid:a", []string{"mailto:é", "mid:a"}},
		{"tel:(0)1 tel:9 sms:?body=x geo:-1,2 doi:10.1/2 doi:x magnet:?x", []string{"tel:(0)1", "tel:9", "sms:?body=x", "geo:-1,2", "doi:10.1/2", "magnet:?x"}},
		{"Z39.50R://h/ Z39.50S://H X-mailto:a", []string{"Z39.50R://h/", "Z39.50S://H"}},
		{"1+http://h/ -+ftp://h git+http://h/ git+https://h/", []string{"http://h/", "ftp://h", "git+http://h/", "git+https://h/"}},
		{strings.Repeat("a", maxSchemeName+1) + ":x", nil},
	})
	name := strings.Repeat("n", maxSchemeName)
	own := scheme.Table{"": {}, "tel": {Name: "tel"}, "curl": {Name: "curl"}, name: {Name: name}, name + "n": {Name: name + "n"}, "port": {Name: "port", Port: 7}}
	holdRules(t, Options{Schemes: own}, []ruled{
		{"tel:now", []string{"tel:now"}}, // a scheme of Options.Schemes accepts every text
		{"curl:x curl://h", []string{"curl:x", "curl://h"}},
		{"port:x port:///x port://h", []string{"port://h"}},
		{name + ":x " + name + "://h n" + name + ":x", []string{name + ":x", name + "://h"}},
		{"a+" + name[2:] + "://h git+curl://h git+x+curl://h curl+x://h", []string{"git+curl://h", "git+x+curl://h"}},
	})
}

// The wrapper and the prefix are those of RFC 1738's appendix.
func TestPrefix(t *testing.T) {
	holdRules(t, Options{}, []ruled{
		{"<URL: http://h/\n a> <url:\thttp://h/\n b> <uRl:\nx:\n\ty>", []string{"http://h/a", "http://h/b", "x:y"}},
		{"<URL:http://h/a\r\n b\vc\fd>", []string{"http://h/abcd"}},
		{"éurl:x:y 1url:x:y @url:x:y (url:x:y) \"url:x:y", []string{"x:y", "x:y"}},
		{"URL:1x:y URL:-x:y URL:x: URL:x://", nil},
		{"URL:x://h:port/ URL:x://h:1/a;b, URL:x:///y", []string{"x://h:1/a;b", "x:///y"}},
		{"URL:" + strings.Repeat("a", maxSchemeName) + ":b URL:" + strings.Repeat("a", maxSchemeName+1) + ":b", []string{strings.Repeat("a", maxSchemeName) + ":b"}},
		{"<URL::x> <URL:1:x> <URL:a b> <URL:a_b:c>", nil},
		{"<URL:x:y", []string{"x:y"}},
		{"xurl:a:b", nil},
		{"url:a:b", []string{"a:b"}},
		{"URL:x://h", []string{"x://h"}},
		{"URL:x://[::1]/ URL:x://h. URL:x://h/.", []string{"x://[::1]/", "x://h", "x://h/"}},
		{"URL:x:. URL:x:., URL:x:... URL:x:a. URL:x:/.", []string{"x:a", "x:/"}},
		{"<URL:<URL:x:y> <URL:<x:y> <URL:>x:y>", []string{"x:y"}},
		{"URL:x", nil},
		{"URL:x:", nil},
		{"URL:x:/", []string{"x:/"}},
		{"URL:x:/h:p URL:x:a/:p", []string{"x:/h:p", "x:a/:p"}},
		{"uxl:x:y xrl:x:y curl:x:y +url:x:y", nil},
	})
}
