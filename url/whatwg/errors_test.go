package whatwg

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"locus/url"
)

// The examples in the table of validation errors, URL Standard §1.3, are reported.
func TestValidationErrors(t *testing.T) {
	for _, test := range []struct {
		text    string
		base    string
		want    Name
		offset  int
		failure bool
	}{
		{text: "https://\u00ad/", want: DomainToASCII, offset: 8, failure: true},
		{text: "https://exa%23mple.org", want: DomainToASCII, offset: 11, failure: true},
		{text: "https://exa_mple.org", want: DomainToASCII, offset: 8},
		{text: "https://xn--8i7caa.example", want: DomainToASCII, offset: 8},
		{text: "https://\u00e9-.example", want: DomainToASCII, offset: 8},
		{text: "https://u@a..b", want: DomainToASCII, offset: 10},
		{text: "https://exam%70le.org", want: DomainPercentEncoded, offset: 12},
		{text: "foo://exa[mple.org", want: HostInvalidCodePoint, offset: 9, failure: true},
		{text: "https://127.0.0.1./", want: IPv4EmptyPart, offset: 8},
		{text: "https://1.2.3/", want: IPv4TooFewParts, offset: 8},
		{text: "https://1.", want: IPv4TooFewParts, offset: 8},
		{text: "https://1.2.3.4.5/", want: IPv4TooManyParts, offset: 8, failure: true},
		{text: "https://test.42", want: IPv4NonNumericPart, offset: 8, failure: true},
		{text: "https://127.0.0x0.1", want: IPv4NonDecimalPart, offset: 8},
		{text: "https://255.255.4000.1", want: IPv4OutOfRangePart, offset: 8, failure: true},
		{text: "https://[::1", want: IPv6Unclosed, offset: 8, failure: true},
		{text: "https://[:1]", want: IPv6InvalidCompression, offset: 9, failure: true},
		{text: "https://[1:2:3:4:5:6:7:8:9]", want: IPv6TooManyPieces, offset: 25, failure: true},
		{text: "https://[1::1::1]", want: IPv6MultipleCompression, offset: 14, failure: true},
		{text: "https://[1:2:3!:4]", want: IPv6InvalidCodePoint, offset: 14, failure: true},
		{text: "https://[1:2:3:]", want: IPv6InvalidCodePoint, offset: 15, failure: true},
		{text: "https://[1:2:3]", want: IPv6TooFewPieces, offset: 14, failure: true},
		{text: "https://[::01]", want: IPv6PieceLeadingZero, offset: 11},
		{text: "x://[1:0002::]", want: IPv6PieceLeadingZero, offset: 7},
		{text: "https://[::00]", want: IPv6PieceLeadingZero, offset: 11},
		{text: "https://[1:1:1:1:1:1:1:127.0.0.1]", want: IPv4InIPv6TooManyPieces, offset: 26, failure: true},
		{text: "https://[ffff::.0.0.1]", want: IPv4InIPv6InvalidCodePoint, offset: 15, failure: true},
		{text: "https://[ffff::127.0.xyz.1]", want: IPv4InIPv6InvalidCodePoint, offset: 21, failure: true},
		{text: "https://[ffff::127.0xyz]", want: IPv4InIPv6InvalidCodePoint, offset: 20, failure: true},
		{text: "https://[ffff::127.00.0.1]", want: IPv4InIPv6InvalidCodePoint, offset: 20, failure: true},
		{text: "https://[ffff::127.0.0.1.2]", want: IPv4InIPv6InvalidCodePoint, offset: 24, failure: true},
		{text: "https://[ffff::127.0.0.4000]", want: IPv4InIPv6OutOfRangePart, offset: 25, failure: true},
		{text: "https://[ffff::127.0.0]", want: IPv4InIPv6TooFewParts, offset: 22, failure: true},
		{text: "https://example.org/>", want: InvalidURLUnit, offset: 20},
		{text: " https://example.org/", want: InvalidURLUnit, offset: 0},
		{text: "ht\ntps://example.org/", want: InvalidURLUnit, offset: 2},
		{text: "https://example.org/%s", want: InvalidURLUnit, offset: 20},
		{text: "file:c:/my-secret-folder", want: SpecialSchemeMissingSolidus, offset: 5},
		{text: "https:example.org", want: SpecialSchemeMissingSolidus, offset: 6},
		{text: "https:///example.org", want: SpecialSchemeMissingSolidus, offset: 8},
		{text: "\U0001f4a9", want: MissingSchemeNonRelative, offset: 0, failure: true},
		{text: "x", base: "mailto:user@example.org", want: MissingSchemeNonRelative, offset: 0, failure: true},
		{text: `https://example.org\path`, want: InvalidReverseSolidus, offset: 19},
		{text: "https://user@example.org/", want: InvalidCredentials, offset: 12},
		{text: "ssh://user@example.org", want: InvalidCredentials, offset: 10},
		{text: "https://#fragment", want: HostMissing, offset: 8, failure: true},
		{text: "https://:443", want: HostMissing, offset: 8, failure: true},
		{text: "https://user:pass@", want: HostMissing, offset: 18, failure: true},
		{text: "https://example.org:70000", want: PortOutOfRange, offset: 20, failure: true},
		{text: "https://example.org:7z", want: PortInvalid, offset: 21, failure: true},
		{text: "c|/path", base: "file:///c:/", want: FileInvalidDriveLetter, offset: 0},
		{text: "file://c:", want: FileInvalidDriveLetterAsHost, offset: 7},
		{text: " h\nttps://example.org:7\tz", want: PortInvalid, offset: 24, failure: true},
	} {
		var reported []Error
		p := Parser{Report: func(e Error) { reported = append(reported, e) }}
		if test.base != "" {
			p.Base = mustParse(t, test.base)
		}
		_, err := p.Parse(test.text)
		want := Error{Name: test.want, Offset: test.offset, Failure: test.failure}
		if !slices.Contains(reported, want) {
			t.Errorf("Parse(%q) reports %v, want %v", test.text, reported, want)
		}
		if failed, ok := errors.AsType[*Error](err); ok != test.failure || ok && *failed != want {
			t.Errorf("Parse(%q) = %v, want %v", test.text, err, want)
		}
	}
}

func TestNoErrorsInGoodURLs(t *testing.T) {
	for _, s := range []string{"https://example.org/a%20b?c=d#e", "https://example.org:8080/", "mailto:user@example.org", "https://[::1]/", "https://\u00e9.example/\u00e9", "https://192.0.2.1/", "https://example.org./", "x://[1:0:10::100]", "file:///a", "x://a_b"} {
		p := Parser{Report: func(e Error) { t.Errorf("Parse(%q) reports %v, want no report", s, &e) }}
		if _, err := p.Parse(s); err != nil {
			t.Errorf("Parse(%q): %v", s, err)
		}
	}
}

// req: 1738-6-3
func TestErrorsShowNoPassword(t *testing.T) {
	_, err := Parse("https://user:hunter2@h:x/")
	if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), "hunter2") {
		t.Errorf("Parse of a URL with a password = %v, want an error without the password", err)
	}
}

func mustParse(t *testing.T, s string) url.URL {
	t.Helper()
	u, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestLegacyEncoding(t *testing.T) {
	latin1 := func(r rune) ([]byte, rune) {
		if r > 0xff {
			return nil, r
		}
		return []byte{byte(r)}, 0
	}
	for _, test := range []struct{ text, want string }{
		{"https://h/\u00e9?\u00e9\u2020#\u00e9", "https://h/%C3%A9?%E9%26%238224%3B#%C3%A9"},
		{"ws://h/?\u00e9", "ws://h/?%C3%A9"},
		{"x://h/?\u00e9", "x://h/?%C3%A9"},
	} {
		p := Parser{Encode: latin1}
		if u, err := p.Parse(test.text); err != nil || u.String() != test.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", test.text, u, err, test.want)
		}
	}
}

func TestParams(t *testing.T) {
	ps := ParseParams("?a=1&b=&a=2&&=x&c+d=%E9%20e")
	for _, test := range []struct {
		do   func()
		want string
	}{
		{func() {}, "a=1&b=&a=2&=x&c+d=%EF%BF%BD+e"},
		{func() { ps.Append("n", "~*") }, "a=1&b=&a=2&=x&c+d=%EF%BF%BD+e&n=%7E*"},
		{func() { ps.Set("a", "3") }, "a=3&b=&=x&c+d=%EF%BF%BD+e&n=%7E*"},
		{func() { ps.Delete("c d") }, "a=3&b=&=x&n=%7E*"},
		{func() { ps.Set("new", "") }, "a=3&b=&=x&n=%7E*&new="},
		{func() { ps.Sort() }, "=x&a=3&b=&n=%7E*&new="},
		{func() { ps = ParseParams("\uffff=1&\U0001f600=2&\uffff=0"); ps.Sort() }, "%F0%9F%98%80=2&%EF%BF%BF=1&%EF%BF%BF=0"},
	} {
		if test.do(); ps.String() != test.want {
			t.Errorf("Params after the edit = %q, want %q", ps, test.want)
		}
	}
	if v, ok := ps.Get("\uffff"); v != "1" || !ok {
		t.Errorf("Get = %q, %v, want the first value", v, ok)
	}
	if got := ps.GetAll("\uffff"); !slices.Equal(got, []string{"1", "0"}) || ps.Has("x") {
		t.Errorf("GetAll = %q, Has(x) = %v, want two values and false", got, ps.Has("x"))
	}
}

func ExampleParse() {
	u, err := Parse(`HTTP:\\EXAMPLE.org:80\a\..\b c`)
	fmt.Println(u, err)
	// Output: http://example.org/b%20c <nil>
}

func ExampleResolve() {
	base, _ := Parse("https://example.org/docs/")
	u, err := Resolve(base, "../faß?q#f")
	fmt.Println(u, err)
	// Output: https://example.org/fa%C3%9F?q#f <nil>
}

func ExampleParser() {
	p := Parser{Report: func(e Error) { fmt.Println(&e) }}
	u, _ := p.Parse("https://user@0x7f.1\\x")
	fmt.Println(u)
	// Output:
	// invalid-credentials at offset 12 (URL Standard)
	// IPv4-too-few-parts at offset 13 (URL Standard)
	// IPv4-non-decimal-part at offset 13 (URL Standard)
	// invalid-reverse-solidus at offset 19 (URL Standard)
	// https://user@127.0.0.1/x
}

func ExampleWithHost() {
	u, _ := Parse("https://example.org/a")
	fmt.Println(WithHost(u, "EXAMPLE.com:8443/ignored"))
	// Output: https://example.com:8443/a
}

func ExampleOrigin() {
	u, _ := Parse("https://user@example.org:443/a")
	fmt.Println(Origin(u))
	// Output: https://example.org
}
