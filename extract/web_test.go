package extract

import (
	"testing"

	"locus/internal/weburl/hard"
	"locus/url"
)

// A reference leads where it leads a browser, and Output is a URL of RFC 3986.
func TestHardReferences(t *testing.T) {
	for _, test := range hard.References() {
		for _, m := range []Match{
			{Text: "/" + test.Text, Kind: Reference, Base: "http://h.example/dir/page"},
			{Text: "http://H.example/" + test.Text, Kind: Reference, Base: "ftp://f/"},
			{Text: " //h.exa\nmple/" + test.Text + "\t", Kind: Reference, Base: "http://other/"},
		} {
			u, err := m.URL()
			if host, _ := u.Host(); err != nil || u.PathAndQuery() != test.Target || host != "h.example" {
				t.Errorf("%q in %s leads to %v, %v, want the target %q", m.Text, m.Base, u, err, test.Target)
				continue
			}
			if out, err := url.Parse(m.Output(u)); err != nil {
				t.Errorf("Output(%v) = %q, want a URL of RFC 3986: %v", u, out, err)
			}
		}
	}
}

// A page that is not in UTF-8 is read in its charset. The path is sent in UTF-8, and the query in the charset (URL
// Standard §5.1).
func TestReferenceInCharset(t *testing.T) {
	for _, test := range []struct{ charset, text, want string }{
		{"windows-1251", "\xef\xf0\xe8\xe2?\xe5\xf2#\xef", "http://h/%D0%BF%D1%80%D0%B8%D0%B2?%E5%F2#%D0%BF"},
		{"Shift_JIS", "\x93\xfa\x96{?\x93\xfa", "http://h/%E6%97%A5%E6%9C%AC?%93%FA"},
		{"iso-8859-1", "caf\xe9?\x80", "http://h/caf%C3%A9?%80"}, // windows-1252 in browsers: the euro sign
		{"utf-8", "caf\xc3\xa9?\xc3\xa9", "http://h/caf%C3%A9?%C3%A9"},
		{"unknown", "caf\xe9?\xe9", "http://h/caf%C3%A9?%E9"},
		{"", "caf\xe9?\xe9", "http://h/caf%C3%A9?%E9"},
		{"", "caf\xc3\xa9", "http://h/caf%C3%A9"},
		{"windows-1251", "a?b", "http://h/a?b"},
		{"windows-1251", "\xc3\xa9?\xd0\xb5", "http://h/%C3%A9?%E5"}, // from &eacute; and &#1077;
		{"windows-1251", "?\xc3\xa9", "http://h/?%26%23233%3B"},      // a character that the charset lacks
		{"utf-16le", "caf\xc3\xa9?\xc3\xa9", "http://h/caf%C3%A9?%C3%A9"},
	} {
		m := Match{Text: test.text, Kind: Reference, Base: "http://h/", Charset: test.charset}
		if u, err := m.URL(); u.String() != test.want {
			t.Errorf("%q in %s leads to %v, %v, want %s", test.text, test.charset, u, err, test.want)
		}
	}
}
