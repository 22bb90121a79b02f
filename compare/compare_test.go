package compare

import (
	"errors"
	"fmt"
	"io/fs"
	neturl "net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"locus/url"
	"locus/url/whatwg"
)

var agreeTests = []struct {
	in      string
	origin  Origin // zero if the parsers disagree
	classes []string
}{
	{"http://h/", Origin{"http", "h", 80}, nil},
	{"HTTP://User:Pass@Example.COM:0080/a?b#c", Origin{"http", "example.com", 80}, []string{"~leading-zeros"}},
	{"https://example.com", Origin{"https", "example.com", 443}, nil},
	{"http://example.com#top", Origin{"http", "example.com", 80}, nil},
	{"http://example.com?x=1", Origin{"http", "example.com", 80}, nil},
	{"http://ex_ample.com/~x", Origin{"http", "ex_ample.com", 80}, nil},
	{"http://[::1]:80/a", Origin{"http", "::1", 80}, nil},
	{"http://[2001:DB8:0::0:1]/", Origin{"http", "2001:db8::1", 80}, nil},
	{"http://h:/", Origin{"http", "h", 80}, nil},
	{"http://h:65535/", Origin{"http", "h", 65535}, nil},
	{"http://h:0/", Origin{"http", "h", 0}, nil},
	{"ws://h/", Origin{"ws", "h", 80}, nil},
	{"wss://h/", Origin{"wss", "h", 443}, nil},
	{"gopher://H/1", Origin{"gopher", "h", 70}, nil},
	{"x://h/", Origin{"x", "h", 0}, nil},
	{"x://h:9/", Origin{"x", "h", 9}, nil},
	{"mailto:a@b", Origin{"mailto", "", 0}, nil},
	{"urn:a:b", Origin{"urn", "", 0}, nil},
	{"file:///etc/motd", Origin{"file", "", 0}, nil},
	{"file://localhost/etc/motd", Origin{"file", "", 0}, []string{}},
	{"file:/etc/motd", Origin{"file", "", 0}, nil},
	{"http://127.0.0.1:8080/", Origin{"http", "127.0.0.1", 8080}, nil},
	{"http://h/a b", Origin{"http", "h", 80}, []string{"whitespace"}},
	{"http://h/a\tb", Origin{"http", "h", 80}, []string{"newline"}},
	{"http://h/a\x01b", Origin{"http", "h", 80}, []string{"control-character"}},
	{"http://h/ ", Origin{"http", "h", 80}, []string{"whitespace"}},
	{`http://h/\x`, Origin{"http", "h", 80}, []string{"backslash"}},
	{"http://h/a|b", Origin{"http", "h", 80}, []string{"illegal-character"}},
	{"http://h/#a#b", Origin{"http", "h", 80}, []string{"illegal-character"}},
	{"http://h/é", Origin{"http", "h", 80}, []string{"non-ascii"}},
	{"http://h/a/./b", Origin{"http", "h", 80}, []string{"dot-segments"}},
	{"http://h/...", Origin{"http", "h", 80}, nil},
	{"http://h/%4", Origin{"http", "h", 80}, []string{"bad-escape"}},
	{"http://h/%41%2f", Origin{"http", "h", 80}, nil},
	{"http://h/a!b(c)*", Origin{"http", "h", 80}, nil},
	{"http://h/a!b'(c)*", Origin{"http", "h", 80}, []string{"illegal-character"}}, // Node escapes "'"
	{"http://u!v:p'@h/", Origin{"http", "h", 80}, nil},
	{"ftp://h/a?b", Origin{"ftp", "h", 21}, []string{"~boundary"}},
	{"mailto:a@b?subject=x", Origin{"mailto", "", 0}, []string{"~boundary"}},
	{"news:12345", Origin{"news", "", 0}, []string{"host-port"}},
	{"news:a@b", Origin{"news", "", 0}, nil},
	{"news:a?b", Origin{"news", "", 0}, []string{"~boundary"}},
	{"data:1", Origin{"data", "", 0}, []string{"host-port"}},
	{"url:http://evil.example/", Origin{"url", "", 0}, []string{"~url-prefix", "~opaque-host"}},
	{"x:evil.example:80", Origin{"x", "", 0}, []string{"~opaque-host"}},
	{"sip:a@evil.example", Origin{}, []string{"opaque-host"}},
	{"http://h/\u00a0", Origin{"http", "h", 80}, []string{"non-ascii", "~unicode-space"}},
	{"http://h?x@e/", Origin{"http", "h", 80}, []string{"~boundary", "~userinfo"}}, // only RFC 1738 reads "e"
	{"http://user:secret@h/", Origin{"http", "h", 80}, nil},
	{"http://localhost:80%2523@host/", Origin{"http", "host", 80}, []string{"~userinfo"}},
	{"https://expected-host:fakepassword@evil-host", Origin{"https", "evil-host", 443}, []string{"~userinfo"}},
	{"http://127:1@host/", Origin{"http", "host", 80}, []string{"~userinfo"}},
	{"http://evil.com;good.com/", Origin{}, []string{"host-character"}}, // Node ends the host at ";"
	{"http://@h/", Origin{"http", "h", 80}, []string{"empty-part"}},
	{"http://u:@h/", Origin{"http", "h", 80}, []string{"empty-part"}},
	{"http://good.example@evil.example/", Origin{"http", "evil.example", 80}, []string{"~userinfo"}},

	{"", Origin{}, []string{"no-scheme"}},
	{"a", Origin{}, []string{"no-scheme"}},
	{"//h", Origin{}, []string{"scheme-relative"}},
	{" //h", Origin{}, []string{"whitespace", "scheme-relative"}},
	{"\u00a0http://h/", Origin{}, []string{"unicode-space"}},
	{"\u3000http://h/", Origin{}, []string{"unicode-space"}},
	{"\ufeffhttp://h/", Origin{}, []string{"unicode-space"}},
	{"gopher://2130706433:6379/_x", Origin{}, []string{"ipv4-shorthand"}},
	{"dict://0x7f.1/", Origin{}, []string{"ipv4-shorthand"}},
	{"ldap://0177.0.0.1/", Origin{}, []string{"leading-zeros", "ipv4-shorthand"}},
	{"h\tttp://h:9\t0\n0\r0/", Origin{}, []string{"newline"}},
	{"http:", Origin{}, []string{"slashes", "empty-part"}},
	{"http://", Origin{}, []string{"empty-part"}},
	{"http://:80/", Origin{}, []string{"empty-part"}},
	{"http://u@/", Origin{}, []string{"userinfo", "empty-part"}},
	{" http://h/", Origin{}, []string{"whitespace"}},
	{"ht\ntp://h/", Origin{}, []string{"newline"}},
	{"http://h:99999/", Origin{}, []string{"port-range"}},
	{"http://h:00000065536/", Origin{}, []string{"port-range", "~leading-zeros"}},
	{"http://h:8x/", Origin{}, []string{"port-syntax"}},
	{"http://h: 80/", Origin{}, []string{"whitespace"}},
	{"http://a^b/", Origin{}, []string{"host-character"}},
	{"http://a<b/", Origin{}, []string{"host-character"}},
	{"http://[::1/", Origin{}, []string{"bracketed-host"}},
	{"http://[v1.x]/", Origin{}, []string{"bracketed-host"}},
	{"http://[::1]x/", Origin{}, []string{"bracketed-host"}},
	{"http://127.0.0.1./", Origin{}, []string{"ipv4-shorthand"}},
	{"http://0X7F.1/", Origin{}, []string{"ipv4-shorthand"}},
	{"http://010.1/", Origin{}, []string{"leading-zeros", "ipv4-shorthand"}},
	{"http://256.0.0.1/", Origin{}, []string{"ipv4-shorthand"}},
	{"http://1.2.3.4.5/", Origin{}, []string{"ipv4-shorthand"}},
	{"http://b%C3%BCcher.example/", Origin{}, []string{"percent-host"}},
	{"http://\xff/", Origin{}, []string{"idna"}},
	{"1x:y", Origin{}, []string{"other", "~opaque-host"}},
}

func TestAgree(t *testing.T) {
	// attack: Two parsers read a URL differently, so that one host is checked and another is opened | a client
	// with `Public` refuses a URL on which parsers disagree
	for _, test := range agreeTests {
		c := Read(test.in)
		origin, ok := c.Agree()
		if origin != test.origin || ok != (test.origin != Origin{}) {
			t.Errorf("Agree(%q) = %v, %v, want %v", test.in, origin, ok, test.origin)
		}
		if got := names(c.Findings); !slices.Equal(got, test.classes) {
			t.Errorf("names of the findings in %q = %q, want %q", test.in, got, test.classes)
		}
		same, err := Agree(test.in)
		if same != origin || (err == nil) != ok {
			t.Errorf("Agree(%q) = %v, %v, want the same as the method: %v", test.in, same, err, origin)
		}
	}
}

// Each reading has the origin that its parser would open.
func TestReadings(t *testing.T) {
	good, evil, path := Origin{"http", "good.example", 80}, Origin{"http", "evil.example", 80}, Origin{Scheme: "http"}
	type readings map[Parser]Origin
	for _, test := range []struct {
		in       string
		accepted readings
		refused  readings // refused, but with an origin
	}{
		{
			`http://good.example\@evil.example/`,
			readings{WHATWG: good, Curl: evil, Python: evil, PHP: evil, Perl: evil, Node: good},
			readings{RFC1738: evil, RFC1630: evil, RFC3986: evil},
		},
		{
			"http://good.example?@evil.example/",
			readings{RFC1738: evil, RFC1630: good, RFC3986: good, WHATWG: good, Go: good, Curl: good, Python: good, Java: good, PHP: good, Ruby: good, Perl: good, Node: good, PHPURI: good},
			nil,
		},
		{
			"http:/evil.example",
			readings{RFC1738: path, RFC1630: path, RFC3986: path, WHATWG: evil, Go: path, Curl: evil, Python: path, Java: path, PHP: path, Ruby: path, Perl: path, Node: path, PHPURI: path},
			nil,
		},
		{
			"http://good.example/ %",
			readings{WHATWG: good, Python: good, PHP: good, Perl: good, Node: good},
			readings{RFC1738: good, RFC1630: good, RFC3986: good, Go: good},
		},
		{
			"http://evil.ex\tample/",
			readings{WHATWG: evil, Python: evil, PHP: {"http", "evil.ex_ample", 80}, Perl: {"http", "evil.ex\tample", 80}, Node: evil},
			nil,
		},
	} {
		for i, r := range Read(test.in).Readings {
			want, accepted := test.accepted[Parser(i)]
			if !accepted {
				want = test.refused[Parser(i)]
			}
			if r.Parser != Parser(i) || r.Origin != want || (r.Err == nil) != accepted {
				t.Errorf("reading of %q by %v = %v, %v; want %v (accepted %v)", test.in, r.Parser, r.Origin, r.Err, want, accepted)
			}
		}
	}
}

func TestDiffer(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []url.PartName
	}{
		{"http://h/", nil},
		{"HTTP://H:80", nil},
		{"http://h/%7Ea%2f", nil},
		{"http://127.1/", []url.PartName{url.Host}},
		{"http:/h/a", []url.PartName{url.Host, url.Path}},
		{"http://h:080/", nil},
		{"x://h:0/", nil},
		{"http://h?x@e/", nil}, // RFC 1738 alone
		{"http://good.example\\@evil.example/", []url.PartName{url.User, url.Host, url.Path}},
		{"http://h/a/..", []url.PartName{url.Path}},
		{"http://u:@h/", []url.PartName{url.Password}},
		{"wais://h/d?q#f", nil}, // refused by RFC 1738
	} {
		c := Read(test.in)
		var got []url.PartName
		for n := url.Scheme; n <= url.Fragment; n++ {
			if c.Differ(n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("parts of %q that differ = %v, want %v", test.in, got, test.want)
		}
	}
}

// Odd compares each reading with a browser's, also the readings of the RFCs.
func TestOdd(t *testing.T) {
	for _, test := range []struct {
		in     string
		parser Parser
		want   []url.PartName
	}{
		{"HTTP://H:80", RFC1738, nil},
		{"http://h?x@e/", RFC1738, []url.PartName{url.User, url.Host, url.Query}},
		{"http://h?x@e/", Curl, nil},
		{"http://127.1/", RFC3986, []url.PartName{url.Host}},
		{"http://127.1/", Curl, nil},
		{"http://h/a/..", Go, []url.PartName{url.Path}},
		{`http://good.example\@evil.example/`, PHP, []url.PartName{url.User, url.Host, url.Path}},
		{`http://good.example\@evil.example/`, RFC3986, nil}, // it refuses the text
		{"http://h:99999/", RFC3986, nil},                    // WHATWG refuses it
	} {
		c := Read(test.in)
		var got []url.PartName
		for n := url.Scheme; n <= url.Fragment; n++ {
			if c.Odd(test.parser, n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("odd parts of %q by %v = %v, want %v", test.in, test.parser, got, test.want)
		}
	}
}

// An error names a byte, and shows one backslash.
func TestErrorText(t *testing.T) {
	for _, test := range []struct {
		in     string
		parser Parser
		want   string
	}{
		{`http://a\b/`, RFC1738, `byte 8: found '\', want `},
		{`http://a\b/`, RFC3986, `byte 8: found '\', want `},
		{"http://\u200d.example/", WHATWG, "at byte 7"},
		{`http://a\b/`, PHPURI, `byte 8: found '\', want `},
	} {
		if err := Read(test.in).Readings[test.parser].Err; err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error of %v for %q = %v, want %q", test.parser, test.in, err, test.want)
		}
	}
}

func TestOriginString(t *testing.T) {
	for _, test := range []struct {
		origin Origin
		want   string
	}{
		{Origin{}, "nowhere"},
		{Origin{"http", "h", 80}, "http h:80"},
		{Origin{"http", "::1", 80}, "http [::1]:80"},
		{Origin{"x", "h", 0}, "x h"},
		{Origin{"mailto", "", 0}, "mailto, no host"},
	} {
		if got := test.origin.String(); got != test.want {
			t.Errorf("String of %#v = %q, want %q", test.origin, got, test.want)
		}
	}
}

// Errors do not show a password, or text that may be one.
func TestNoPassword(t *testing.T) {
	for _, text := range []string{
		"http://u:S3CRET@h:x/", "http://u:S3CRET @h/", "http://u:S3CRET/x@h/", `http://u:S3CRET\@h/`, "http://u:S3CRET%@h/", "http://u:S3CRET[@h/",
		"http://u:S3CRET", "u:S3CRET@h", "http://u:S3CRET\x00@h/", "http://u:S3CRET#@h/", "//u:S3CRET@h/",
	} {
		c := Read(text)
		for _, r := range c.Readings {
			if r.Err != nil && strings.Contains(r.Err.Error(), "S3CRET") {
				t.Errorf("the error for %q by %v shows the password: %v", text, r.Parser, r.Err)
			}
		}
		if _, err := Agree(text); err != nil && strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("the error of Agree(%q) shows the password: %v", text, err)
		}
	}
}

// Every class has its own explanation, and occurs in a test.
func TestClasses(t *testing.T) {
	found := map[string]bool{}
	for _, test := range agreeTests {
		for _, name := range test.classes {
			found[strings.TrimPrefix(name, "~")] = true
		}
	}
	for _, test := range published {
		for _, name := range test.classes {
			found[strings.TrimPrefix(name, "~")] = true
		}
	}
	if why := Class("nonsense").Why(); why != "" {
		t.Errorf("the explanation of an unknown class is %q, want none", why)
	}
	why := map[string]Class{}
	for _, class := range allClasses() {
		if !found[string(class)] {
			t.Errorf("no test has the class %s", class)
		}
		if same, ok := why[class.Why()]; ok {
			t.Errorf("%s and %s have the same explanation: %s", class, same, class.Why())
		}
		why[class.Why()] = class
	}
}

func FuzzCompare(f *testing.F) {
	for _, test := range published {
		f.Add(test.in)
	}
	for _, test := range agreeTests {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := Read(text)
		if !reflect.DeepEqual(describeReadings(c), describeReadings(Read(text))) || !slices.Equal(c.Findings, Read(text).Findings) {
			t.Errorf("two calls of Read(%q) differ", text)
		}
		origin, agreed := c.Agree()
		for _, r := range c.Readings {
			if r.Sure && r.Origin == (Origin{}) {
				t.Errorf("reading of %q by %v has Sure but no origin", text, r.Parser)
			}
			if agreed && r.Parser >= RFC3986 && r.Err == nil && r.Origin != origin && r.Origin != (Origin{}) {
				t.Errorf("Agree(%q) = %v, but %v reads %v", text, origin, r.Parser, r.Origin)
			}
		}
		if agreed {
			checkOrigin(t, text, origin)
		}
		for _, finding := range c.Findings {
			if finding.Offset < 0 || finding.Offset > len(text) {
				t.Errorf("finding in %q: %s at offset %d, want an offset in the text", text, finding.Class, finding.Offset)
			}
		}
		if !agreed && len(c.Classes()) == 0 {
			t.Errorf("the parsers disagree on %q, but Classes is empty", text)
		}
	})
}

// checkOrigin checks that net/url and package whatwg, called directly and not through Read, return the origin on which
// the parsers agree.
func checkOrigin(t *testing.T, text string, origin Origin) {
	t.Helper()
	u, err := whatwg.Parse(text)
	host, _ := u.Host()
	if err != nil || u.Scheme() != origin.Scheme || foldHost(host) != origin.Host {
		t.Errorf("Agree(%q) = %v, but WHATWG reads %q, %v", text, origin, u, err)
	}
	n, err := neturl.Parse(text)
	if err != nil || strings.Contains(origin.Host, ":") || origin.Scheme == "file" {
		return
	}
	if n.Scheme != origin.Scheme || foldHost(n.Hostname()) != origin.Host {
		t.Errorf("Agree(%q) = %v, but net/url reads %s and %q", text, origin, n.Scheme, n.Hostname())
	}
}

// The error for a URL on which parsers disagree wraps fs.ErrPermission.
func TestDisagreement(t *testing.T) {
	const text = `http://good.example\@evil.example/`
	_, err := Agree(text)
	d, ok := errors.AsType[*Disagreement](err)
	if !ok || !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("Agree(%q) = %v, want a Disagreement that wraps fs.ErrPermission", text, err)
	}
	if d.Comparison.Text != text || !slices.Equal(d.Comparison.Classes(), []Class{Backslash, Userinfo}) {
		t.Errorf("Agree(%q) fails because of %q, with %q, want %q and %q", text, d.Comparison.Text, d.Comparison.Classes(), text, []Class{Backslash, Userinfo})
	}
}

// describeReadings returns the readings as texts that can be compared.
func describeReadings(c Comparison) (list []string) {
	for _, r := range c.Readings {
		list = append(list, fmt.Sprint(r.Origin, r.Parts, r.Err))
	}
	return list
}

func ExampleAgree() {
	origin, err := Agree("https://example.org/a?b")
	fmt.Println(origin, err)

	_, err = Agree(`http://good.example\@evil.example/`)
	fmt.Println(err)
	if d, ok := errors.AsType[*Disagreement](err); ok {
		for _, r := range d.Comparison.Readings {
			fmt.Printf("%-15v%v\n", r.Parser, r.Origin)
		}
	}
	// Output:
	// https example.org:443 <nil>
	// parsers disagree on where the URL leads: backslash, userinfo
	// RFC 1738       http evil.example:80
	// RFC 1630       http evil.example:80
	// RFC 3986       http evil.example:80
	// WHATWG         http good.example:80
	// net/url        nowhere
	// curl           http evil.example:80
	// Python urllib  http evil.example:80
	// Java URI       nowhere
	// PHP parse_url  http evil.example:80
	// Ruby URI       nowhere
	// Perl URI       http evil.example:80
	// Node url.parse http good.example:80
	// PHP Rfc3986    nowhere
}

// allClasses returns every class.
func allClasses() []Class {
	var all []Class
	for _, c := range classes {
		all = append(all, c.class)
	}
	return all
}
