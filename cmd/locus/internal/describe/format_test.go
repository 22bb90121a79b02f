package describe_test

import (
	"testing"

	"locus/cmd/locus/internal/describe"
	"locus/url"
)

// A part that a URL lacks is "", except the port, which is the default port of the scheme then.
func TestFormat(t *testing.T) {
	const ftp = "ftp://u%40x:p@h.example:2121/a/b;type=i"
	for _, test := range []struct{ text, format, want string }{
		{ftp, "", ""},
		{ftp, "no part\n", "no part\n"},
		{ftp, "{url}", ftp},
		{ftp, "{scheme} {user} {password} {host} {port} {path}", "ftp u%40x p h.example 2121 /a/b;type=i"},
		{ftp, "{host}{host}", "h.exampleh.example"},
		{ftp, "{ftp.user} {ftp.name} {ftp.type}", "u@x b i"},
		{ftp, "{ftp.dirs}", `["a"]`},
		{ftp, "{ftp.unheard}", ""},
		{ftp, "{gopher.selector}", ""}, // the URL has another scheme
		{ftp, "[{query}][{fragment}][{query:x}]", "[][][]"},
		{"ftps://h/a", "{port} {ftp.name}", "990 a"}, // ftps has the meaning of ftp
		{"gopher://h/0a%09b", "{port} {gopher.selector} {gopher.search}", "70 a b"},
		{"x-unknown://h/a", "[{port}]", "[]"},
		{"http://h/?a=1%202&b=3&a=4#f", "{query}|{query:a}|{query:b}|{query:c}|{fragment}", "a=1%202&b=3&a=4|1 2|3||f"},
		{"mailto:ada@example.org", "[{host}][{port}]{path}", "[][]ada@example.org"},
	} {
		f, err := describe.ParseFormat(test.format)
		if err != nil {
			t.Errorf("ParseFormat(%q) = %v", test.format, err)
			continue
		}
		if got, err := f.Text(read(url.RFC3986, test.text)); got != test.want || err != nil {
			t.Errorf("%q of %s = %q, %v, want %q", test.format, test.text, got, err, test.want)
		}
	}
}

// By the URL Standard {url} is the href, and the parts are those of the href.
func TestFormatOfBrowser(t *testing.T) {
	f, err := describe.ParseFormat("{url} {host} {port} {path}")
	if err != nil {
		t.Fatal(err)
	}
	const want = "http://example.org/b example.org 80 /b"
	d := describe.Browser(url.URL{}, `HTTP:\\EXAMPLE.org:80\a\..\b`)
	if got, err := f.Text(d); got != want || err != nil {
		t.Errorf("the text is %q, %v, want %q", got, err, want)
	}
}

// The error of a format quotes the part that is wrong.
func TestFormatErrors(t *testing.T) {
	for format, want := range map[string]string{
		"{host}:{port": "no } after {port",
		"{hosts}":      "the part {hosts} is unknown",
		"{}":           "the part {} is unknown",
		"{FTP.type}":   "the part {FTP.type} is unknown",
		"{query:a":     "no } after {query:a",
	} {
		if _, err := describe.ParseFormat(format); err == nil || err.Error() != want {
			t.Errorf("ParseFormat(%q) = %v, want %s", format, err, want)
		}
	}
}
