package compare

import (
	"errors"
	"fmt"
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
	place   Place // zero if they disagree
	classes []string
}{
	{"http://h/", Place{"http", "h", 80}, nil},
	{"HTTP://User:Pass@Example.COM:0080/a?b#c", Place{"http", "example.com", 80}, []string{"~leading-zeros"}},
	{"https://example.com", Place{"https", "example.com", 443}, nil},
	{"http://example.com#top", Place{"http", "example.com", 80}, nil},
	{"http://example.com?x=1", Place{"http", "example.com", 80}, nil},
	{"http://ex_ample.com/~x", Place{"http", "ex_ample.com", 80}, nil},
	{"http://[::1]:80/a", Place{"http", "::1", 80}, nil},
	{"http://[2001:DB8:0::0:1]/", Place{"http", "2001:db8::1", 80}, nil},
	{"http://h:/", Place{"http", "h", 80}, nil},
	{"http://h:65535/", Place{"http", "h", 65535}, nil},
	{"http://h:0/", Place{"http", "h", 0}, nil},
	{"ws://h/", Place{"ws", "h", 80}, nil},
	{"wss://h/", Place{"wss", "h", 443}, nil},
	{"gopher://H/1", Place{"gopher", "h", 70}, nil},
	{"x://h/", Place{"x", "h", 0}, nil},
	{"x://h:9/", Place{"x", "h", 9}, nil},
	{"mailto:a@b", Place{"mailto", "", 0}, nil},
	{"urn:a:b", Place{"urn", "", 0}, nil},
	{"file:///etc/motd", Place{"file", "", 0}, nil},
	{"file://localhost/etc/motd", Place{"file", "", 0}, []string{}},
	{"file:/etc/motd", Place{"file", "", 0}, nil},
	{"http://127.0.0.1:8080/", Place{"http", "127.0.0.1", 8080}, nil},
	{"http://h/a b", Place{"http", "h", 80}, []string{"whitespace"}},
	{"http://h/a\tb", Place{"http", "h", 80}, []string{"newline"}},
	{"http://h/a\x01b", Place{"http", "h", 80}, []string{"control-character"}},
	{"http://h/ ", Place{"http", "h", 80}, []string{"whitespace"}},
	{`http://h/\x`, Place{"http", "h", 80}, []string{"backslash"}},
	{"http://h/a|b", Place{"http", "h", 80}, []string{"illegal-character"}},
	{"http://h/#a#b", Place{"http", "h", 80}, []string{"illegal-character"}},
	{"http://h/é", Place{"http", "h", 80}, []string{"non-ascii"}},
	{"http://h/a/./b", Place{"http", "h", 80}, []string{"dot-segments"}},
	{"http://h/...", Place{"http", "h", 80}, nil},
	{"http://h/%4", Place{"http", "h", 80}, []string{"bad-escape"}},
	{"http://h/%41%2f", Place{"http", "h", 80}, nil},
	{"http://h/a!b'(c)*", Place{"http", "h", 80}, nil},
	{"http://u!v:p'@h/", Place{"http", "h", 80}, nil},
	{"ftp://h/a?b", Place{"ftp", "h", 21}, []string{"~boundary"}},
	{"mailto:a@b?subject=x", Place{"mailto", "", 0}, []string{"~boundary"}},
	{"news:12345", Place{"news", "", 0}, []string{"host-port"}},
	{"url:http://evil.example/", Place{"url", "", 0}, []string{"~url-prefix"}},
	{"http://h/\u00a0", Place{"http", "h", 80}, []string{"non-ascii", "~unicode-space"}},
	{"http://h?x@e/", Place{"http", "h", 80}, []string{"~boundary", "~userinfo"}}, // only RFC 1738 reads "e"
	{"http://user:secret@h/", Place{"http", "h", 80}, nil},
	{"http://localhost:80%2523@host/", Place{"http", "host", 80}, []string{"~userinfo"}},
	{"https://expected-host:fakepassword@evil-host", Place{"https", "evil-host", 443}, []string{"~userinfo"}},
	{"http://127:1@host/", Place{"http", "host", 80}, []string{"~userinfo"}},
	{"http://evil.com;good.com/", Place{"http", "evil.com;good.com", 80}, []string{"~host-character"}},
	{"http://@h/", Place{"http", "h", 80}, []string{"empty-part"}},
	{"http://u:@h/", Place{"http", "h", 80}, []string{"empty-part"}},
	{"http://good.example@evil.example/", Place{"http", "evil.example", 80}, []string{"~userinfo"}},

	{"", Place{}, []string{"no-scheme"}},
	{"a", Place{}, []string{"no-scheme"}},
	{"//h", Place{}, []string{"scheme-relative"}},
	{" //h", Place{}, []string{"whitespace", "scheme-relative"}},
	{"\u00a0http://h/", Place{}, []string{"unicode-space"}},
	{"\u3000http://h/", Place{}, []string{"unicode-space"}},
	{"\ufeffhttp://h/", Place{}, []string{"unicode-space"}},
	{"gopher://2130706433:6379/_x", Place{}, []string{"ipv4-shorthand"}},
	{"dict://0x7f.1/", Place{}, []string{"ipv4-shorthand"}},
	{"ldap://0177.0.0.1/", Place{}, []string{"leading-zeros", "ipv4-shorthand"}},
	{"h\tttp://h:9\t0\n0\r0/", Place{}, []string{"newline"}},
	{"http:", Place{}, []string{"slashes", "empty-part"}},
	{"http://", Place{}, []string{"empty-part"}},
	{"http://:80/", Place{}, []string{"empty-part"}},
	{"http://u@/", Place{}, []string{"userinfo", "empty-part"}},
	{" http://h/", Place{}, []string{"whitespace"}},
	{"ht\ntp://h/", Place{}, []string{"newline"}},
	{"http://h:99999/", Place{}, []string{"port-range"}},
	{"http://h:00000065536/", Place{}, []string{"port-range", "~leading-zeros"}},
	{"http://h:8x/", Place{}, []string{"port-syntax"}},
	{"http://h: 80/", Place{}, []string{"whitespace"}},
	{"http://a^b/", Place{}, []string{"host-character"}},
	{"http://a<b/", Place{}, []string{"host-character"}},
	{"http://[::1/", Place{}, []string{"bracketed-host"}},
	{"http://[v1.x]/", Place{}, []string{"bracketed-host"}},
	{"http://[::1]x/", Place{}, []string{"bracketed-host"}},
	{"http://127.0.0.1./", Place{}, []string{"ipv4-shorthand"}},
	{"http://0X7F.1/", Place{}, []string{"ipv4-shorthand"}},
	{"http://010.1/", Place{}, []string{"leading-zeros", "ipv4-shorthand"}},
	{"http://256.0.0.1/", Place{}, []string{"ipv4-shorthand"}},
	{"http://1.2.3.4.5/", Place{}, []string{"ipv4-shorthand"}},
	{"http://b%C3%BCcher.example/", Place{}, []string{"percent-host"}},
	{"http://\xff/", Place{}, []string{"idna"}},
	{"1x:y", Place{}, []string{"other"}},
}

func TestAgree(t *testing.T) {
	for _, tt := range agreeTests {
		c := Read(tt.in)
		place, ok := c.Agree()
		if place != tt.place || ok != (tt.place != Place{}) {
			t.Errorf("Agree(%q) = %v, %v, want %v", tt.in, place, ok, tt.place)
		}
		if got := names(c.Findings); !slices.Equal(got, tt.classes) {
			t.Errorf("classes of %q = %q, want %q", tt.in, got, tt.classes)
		}
		same, err := Agree(tt.in)
		if same != place || (err == nil) != ok {
			t.Errorf("Agree(%q) = %v, %v, want %v", tt.in, same, err, place)
		}
	}
}

// Each reading leads where its parser would.
func TestReadings(t *testing.T) {
	good, evil, path := Place{"http", "good.example", 80}, Place{"http", "evil.example", 80}, Place{Scheme: "http"}
	type readings map[Parser]Place
	for _, tt := range []struct {
		in       string
		accepted readings
		refused  readings // those that lead somewhere all the same
	}{
		{
			`http://good.example\@evil.example/`,
			readings{WHATWG: good, Curl: evil, Python: evil, PHP: evil},
			readings{RFC1738: evil, RFC1630: evil, RFC3986: evil},
		},
		{
			"http://good.example?@evil.example/",
			readings{RFC1738: evil, RFC1630: good, RFC3986: good, WHATWG: good, Go: good, Curl: good, Python: good, Java: good, PHP: good},
			nil,
		},
		{
			"http:/evil.example",
			readings{RFC1738: path, RFC1630: path, RFC3986: path, WHATWG: evil, Go: path, Curl: evil, Python: path, Java: path, PHP: path},
			nil,
		},
		{
			"http://good.example/ %",
			readings{WHATWG: good, Python: good, PHP: good},
			readings{RFC1738: good, RFC1630: good, RFC3986: good, Go: good},
		},
		{
			"http://evil.ex\tample/",
			readings{WHATWG: evil, Python: evil, PHP: {"http", "evil.ex_ample", 80}},
			nil,
		},
	} {
		for i, r := range Read(tt.in).Readings {
			want, accepted := tt.accepted[Parser(i)]
			if !accepted {
				want = tt.refused[Parser(i)]
			}
			if r.Parser != Parser(i) || r.Place != want || (r.Err == nil) != accepted {
				t.Errorf("%q by %v: %v, %v; want %v (accepted %v)", tt.in, r.Parser, r.Place, r.Err, want, accepted)
			}
		}
	}
}

func TestDiffer(t *testing.T) {
	for _, tt := range []struct {
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
		c := Read(tt.in)
		var got []url.PartName
		for n := url.Scheme; n <= url.Fragment; n++ {
			if c.Differ(n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("parts of %q that differ: %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestPlaceString(t *testing.T) {
	for _, tt := range []struct {
		place Place
		want  string
	}{
		{Place{}, "nowhere"},
		{Place{"http", "h", 80}, "http h:80"},
		{Place{"http", "::1", 80}, "http [::1]:80"},
		{Place{"x", "h", 0}, "x h"},
		{Place{"mailto", "", 0}, "mailto, no host"},
	} {
		if got := tt.place.String(); got != tt.want {
			t.Errorf("String of %#v = %q, want %q", tt.place, got, tt.want)
		}
	}
}

// No message shows a password, or what may be one.
func TestNoPassword(t *testing.T) {
	for _, in := range []string{
		"http://u:S3CRET@h:x/", "http://u:S3CRET @h/", "http://u:S3CRET/x@h/", `http://u:S3CRET\@h/`, "http://u:S3CRET%@h/", "http://u:S3CRET[@h/",
		"http://u:S3CRET", "u:S3CRET@h", "http://u:S3CRET\x00@h/", "http://u:S3CRET#@h/", "//u:S3CRET@h/",
	} {
		c := Read(in)
		for _, r := range c.Readings {
			if r.Err != nil && strings.Contains(r.Err.Error(), "S3CRET") {
				t.Errorf("%q by %v: %v", in, r.Parser, r.Err)
			}
		}
		if _, err := Agree(in); err != nil && strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("Agree(%q): %v", in, err)
		}
	}
}

// Every class has a reason of its own, and some text that is of it.
func TestClasses(t *testing.T) {
	found := map[string]bool{}
	for _, tt := range agreeTests {
		for _, name := range tt.classes {
			found[strings.TrimPrefix(name, "~")] = true
		}
	}
	for _, tt := range published {
		for _, name := range tt.classes {
			found[strings.TrimPrefix(name, "~")] = true
		}
	}
	why := map[string]Class{}
	for _, class := range allClasses() {
		if !found[string(class)] {
			t.Errorf("no test finds %s", class)
		}
		if same, ok := why[class.Why()]; ok {
			t.Errorf("%s and %s are explained the same: %s", class, same, class.Why())
		}
		why[class.Why()] = class
	}
}

func FuzzCompare(f *testing.F) {
	for _, tt := range published {
		f.Add(tt.in)
	}
	for _, tt := range agreeTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := Read(text)
		if !reflect.DeepEqual(places(c), places(Read(text))) || !slices.Equal(c.Findings, Read(text).Findings) {
			t.Errorf("Read(%q) is not the same twice", text)
		}
		place, agreed := c.Agree()
		for _, r := range c.Readings {
			if r.Sure && r.Place == (Place{}) {
				t.Errorf("%q by %v: sure, and leads nowhere", text, r.Parser)
			}
			if agreed && r.Parser >= RFC3986 && r.Err == nil && r.Place != place && r.Place != (Place{}) {
				t.Errorf("Agree(%q) = %v, but %v reads %v", text, place, r.Parser, r.Place)
			}
		}
		if agreed {
			holdPlace(t, text, place)
		}
		for _, finding := range c.Findings {
			if finding.Offset < 0 || finding.Offset > len(text) {
				t.Errorf("%q: %s at offset %d", text, finding.Class, finding.Offset)
			}
		}
		if !agreed && len(c.Classes()) == 0 {
			t.Errorf("%q: they disagree over nothing", text)
		}
	})
}

// holdPlace asks net/url and the URL Standard themselves, past what Read makes
// of them, whether a text leads to the place that is agreed on.
func holdPlace(t *testing.T, text string, place Place) {
	t.Helper()
	u, err := whatwg.Parse(text)
	host, _ := u.Host()
	if err != nil || u.Scheme() != place.Scheme || foldHost(host) != place.Host {
		t.Errorf("Agree(%q) = %v, but WHATWG reads %q, %v", text, place, u, err)
	}
	n, err := neturl.Parse(text)
	if err != nil || strings.Contains(place.Host, ":") || place.Scheme == "file" {
		return
	}
	if n.Scheme != place.Scheme || foldHost(n.Hostname()) != place.Host {
		t.Errorf("Agree(%q) = %v, but net/url goes to %s and %q", text, place, n.Scheme, n.Hostname())
	}
}

func places(c Comparison) (list []string) {
	for _, r := range c.Readings {
		list = append(list, fmt.Sprint(r.Place, r.Parts, r.Err))
	}
	return list
}

func ExampleAgree() {
	place, err := Agree("https://example.org/a?b")
	fmt.Println(place, err)

	_, err = Agree(`http://good.example\@evil.example/`)
	fmt.Println(err)
	if d, ok := errors.AsType[*Disagreement](err); ok {
		for _, r := range d.Comparison.Readings {
			fmt.Printf("%-14v%v\n", r.Parser, r.Place)
		}
	}
	// Output:
	// https example.org:443 <nil>
	// parsers disagree on where the URL leads: backslash, userinfo
	// RFC 1738      http evil.example:80
	// RFC 1630      http evil.example:80
	// RFC 3986      http evil.example:80
	// WHATWG        http good.example:80
	// net/url       nowhere
	// curl          http evil.example:80
	// Python urllib http evil.example:80
	// Java URI      nowhere
	// PHP parse_url http evil.example:80
}

// allClasses returns every class.
func allClasses() []Class {
	var all []Class
	for _, c := range classes {
		all = append(all, c.class)
	}
	return all
}
