package compare

import (
	"slices"
	"testing"
)

// published has inputs that were published because they confuse parsers. origin is "" if the parsers disagree. classes
// are the classes of all findings, in the order of their offsets; notes have a "~".
var published = []struct {
	source  string
	in      string
	origin  string
	classes []string
}{
	// Orange Tsai, A New Era of SSRF, Black Hat USA 2017.
	{"Tsai 2017", "http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", "", []string{"whitespace", "userinfo", "boundary"}},
	{"Tsai 2017", "http://1.1.1.1&@2.2.2.2#@3.3.3.3/", "http 2.2.2.2:80", []string{"~userinfo", "~boundary"}},
	{"Tsai 2017", "http://127.0.0.1:11211:80/", "", []string{"port-syntax"}},
	{"Tsai 2017", "http://google.com#@evil.com/", "http google.com:80", []string{"~boundary", "~userinfo"}},
	{"Tsai 2017", "http://google.com?@evil.com/", "http google.com:80", []string{"~boundary", "~userinfo"}},
	{"Tsai 2017", "http://foo@evil.com:80@google.com/", "http google.com:80", []string{"~userinfo", "~multiple-at"}},
	{"Tsai 2017", "http://foo@127.0.0.1:11211@google.com:80/", "http google.com:80", []string{"~userinfo", "~multiple-at"}},
	{"Tsai 2017", "http://foo@127.0.0.1 @google.com/", "", []string{"userinfo", "whitespace", "multiple-at"}},
	{"Tsai 2017", "http://foo@127.0.0.1 @google.com:11211/", "", []string{"userinfo", "whitespace", "multiple-at"}},
	{"Tsai 2017", "http://foo@127.0.0.1:11211 @google.com:80/", "", []string{"userinfo", "whitespace", "multiple-at"}},
	{"Tsai 2017", "http://orange.tw/sandbox/ＮＮ/passwd", "http orange.tw:80", []string{"non-ascii"}},
	{"Tsai 2017", "http://orange.tw/sandbox/\uff2e\uff2e/passwd#\uff0f", "http orange.tw:80", []string{"non-ascii"}},
	{"Tsai 2017", "http://orange.tw/../passwd", "http orange.tw:80", []string{"dot-segments"}},
	{"Tsai 2017", "http://127.0.0.1:6379/\r\nSLAVEOF orange.tw 6379\r\n", "http 127.0.0.1:6379", []string{"newline", "whitespace"}},
	{"Tsai 2017", "http://127.0.0.1\r\n:6379/", "", []string{"newline"}},
	{"Tsai 2017", "http://0\r\n SLAVEOF orange.tw 6379\r\n :80/", "", []string{"newline", "whitespace"}},
	{"Tsai 2017", "http://127.0.0.1:25/%0D%0AHELO orange.tw%0D%0AMAIL FROM:", "http 127.0.0.1:25", []string{"whitespace"}},
	{"Tsai 2017", "http://127.0.0.1:6379/－＊\uff0d\uff0aSET", "http 127.0.0.1:6379", []string{"non-ascii"}},
	{"Tsai 2017", "http://127.0.0.1\tfoo.google.com/", "", []string{"newline"}},
	{"Tsai 2017", "http://127.0.0.1%09foo.google.com/", "", []string{"percent-host"}},
	{"Tsai 2017", "http://127.0.0.1%2509foo.google.com/", "", []string{"percent-host"}},
	{"Tsai 2017", "http://www.g\x00oogle.com/", "", []string{"control-character"}},
	{"Tsai 2017", "http://①②⑦.⓪.⓪.①/", "", []string{"idna"}},
	{"Tsai 2017", "http://ⓖⓞⓞⓖⓛⓔ.com/", "", []string{"idna"}},
	{"Tsai 2017", "http://g\u200doogle.com/", "", []string{"idna"}},
	{"Tsai 2017", "http://ⅩⅣ.com/", "", []string{"idna"}},
	{"Tsai 2017", "http://0x7f000001/", "", []string{"ipv4-shorthand"}},
	{"Tsai 2017", "http://2130706433/", "", []string{"ipv4-shorthand"}},
	{"Tsai 2017", "http://0177.0.0.1/", "", []string{"leading-zeros", "ipv4-shorthand"}},
	{"Tsai 2017", "http://0/", "", []string{"ipv4-shorthand"}},
	{"Tsai 2017", "http://127.1/", "", []string{"ipv4-shorthand"}},
	{"Tsai 2017", "http://[::1%25lo]:80/", "", []string{"bracketed-host"}},
	{"Tsai 2017", "gopher://127.0.0.1:9000/_%01%00", "gopher 127.0.0.1:9000", nil},

	// Claroty Team82 and Snyk, Exploiting URL Parsing Confusion, 2022.
	{"Claroty and Snyk 2022, scheme", "google.com/abc", "", []string{"no-scheme"}},
	{"Claroty and Snyk 2022, scheme", "//google.com/abc", "", []string{"scheme-relative"}},
	{"Claroty and Snyk 2022, scheme", "://google.com/abc", "", []string{"no-scheme"}},
	{"Claroty and Snyk 2022, scheme", "google.com:80/abc", "google.com, no host", []string{"host-port", "~opaque-host"}}, // a scheme with a dot
	{"Claroty and Snyk 2022, slashes", "http:///google.com/", "", []string{"slashes"}},
	{"Claroty and Snyk 2022, slashes", "http:/google.com/", "", []string{"slashes"}},
	{"Claroty and Snyk 2022, slashes", "http:google.com/", "", []string{"slashes"}},
	{"Claroty and Snyk 2022, slashes", "http:////google.com/", "", []string{"slashes"}},
	{"Claroty and Snyk 2022, slashes", "http://////google.com/", "", []string{"slashes"}},
	{"Claroty and Snyk 2022, backslash", `http:\\google.com/`, "", []string{"backslash"}},
	{"Claroty and Snyk 2022, backslash", `http:/\google.com/`, "", []string{"backslash"}},
	{"Claroty and Snyk 2022, backslash", `http:\google.com/`, "", []string{"slashes", "backslash"}},
	{"Claroty and Snyk 2022, backslash", `http:\\\\google.com/`, "", []string{"slashes", "backslash"}},
	{"Claroty and Snyk 2022, backslash", `http://evil.com\@good.com/`, "", []string{"backslash", "userinfo"}},
	{"Claroty and Snyk 2022, backslash", `https://good.com\.evil.com/`, "", []string{"backslash"}},
	{"Claroty and Snyk 2022, backslash", `\\google.com/`, "", []string{"scheme-relative", "backslash"}},
	{"Claroty and Snyk 2022, encoding", "http://%67%6F%6F%67%6C%65%2E%63%6F%6D/", "", []string{"percent-host"}},
	{"Claroty and Snyk 2022, encoding", "http://127.0.0.1%2F.evil.com/", "", []string{"percent-host"}},
	{"Claroty and Snyk 2022, encoding", "http://google.com/%2e%2e/%2E", "http google.com:80", []string{"dot-segments"}},
	{"Claroty and Snyk 2022, encoding", "http://google.com/%", "http google.com:80", []string{"bad-escape"}},
	{"Claroty and Snyk 2022, mixup", "ldap://127.0.0.1#.evil.com:1389/a", "ldap 127.0.0.1:389", []string{"~boundary"}},
	{"Claroty and Snyk 2022, mixup", "jndi:ldap://127.0.0.1#.evil.com:1389/a", "jndi, no host", []string{"~opaque-host"}},
	{"Claroty and Snyk 2022, mixup", "ldap://127.0.0.1?.evil.com:1389/a", "ldap 127.0.0.1:389", []string{"~boundary"}},

	// Birch, HostSplit: Exploitable Antipatterns in Unicode Normalization, 2019.
	{"Birch 2019", "https://evil.c℀.example.com/", "", []string{"idna"}}, // a/c
	{"Birch 2019", "https://evil.c℁.example.com/", "", []string{"idna"}}, // a/s
	{"Birch 2019", "https://evil.c℅.example.com/", "", []string{"idna"}}, // c/o
	{"Birch 2019", "https://evil.c℆.example.com/", "", []string{"idna"}}, // c/u
	{"Birch 2019", "https://evil.com／.example.com/", "", []string{"idna"}},
	{"Birch 2019", "https://evil.com？.example.com/", "", []string{"idna"}},
	{"Birch 2019", "https://evil.com＃.example.com/", "", []string{"idna"}},
	{"Birch 2019", "https://evil.com：80.example.com/", "", []string{"idna"}},
	{"Birch 2019", "https://good.com＠evil.com/", "", []string{"idna"}},
	{"Birch 2019", "https://evil.com＼.example.com/", "", []string{"idna"}},
	{"Birch 2019", "https://example．com/", "", []string{"unicode-dot", "idna"}},
	{"Birch 2019", "https://example。com/", "", []string{"unicode-dot", "idna"}},
	{"Birch 2019", "https://example｡com/", "", []string{"unicode-dot", "idna"}},
	{"Birch 2019", "https://example․com/", "", []string{"unicode-dot", "idna"}},
	{"Birch 2019", "https://straße.example/", "", []string{"idna"}},
	{"Birch 2019", "https://ﬀ.example/", "", []string{"idna"}},
	{"Birch 2019", "https://example.com\u00ad/", "", []string{"idna"}},
	{"Birch 2019", "https://ｅxample.com/", "", []string{"idna"}},
	{"Birch 2019", "https://xn--ls8h.example/", "https xn--ls8h.example:443", nil}, // already ASCII
}

func TestPublished(t *testing.T) {
	for _, test := range published {
		c := Read(test.in)
		origin, agreed := c.Agree()
		if got := origin.String(); agreed != (test.origin != "") || agreed && got != test.origin {
			t.Errorf("%s: Agree(%q) = %s, %v, want %q", test.source, test.in, got, agreed, test.origin)
		}
		if got := names(c.Findings); !slices.Equal(got, test.classes) {
			t.Errorf("%s: names of the findings in %q = %q, want %q", test.source, test.in, got, test.classes)
		}
	}
}

// names returns the classes of findings, with a "~" before the class of a note.
func names(findings []Finding) []string {
	var names []string
	for _, f := range findings {
		name := string(f.Class)
		if !f.Disagrees {
			name = "~" + name
		}
		names = append(names, name)
	}
	return names
}
