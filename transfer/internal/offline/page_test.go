package offline

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"locus/internal/autoindex"
)

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
		if got := IsListing(r); got != want {
			t.Errorf("IsListing(%q) = %v, want %v", in, got, want)
		}
		if rest, err := io.ReadAll(r); string(rest) != in || err != nil {
			t.Errorf("after IsListing(%q) %q is left, %v", in, rest, err)
		}
	}
}

// utf16Text encodes a text in UTF-16 with a byte order mark.
func utf16Text(text string) string {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// A page in UTF-16 becomes UTF-8, and says so. Any other page keeps its bytes.
func TestReadText(t *testing.T) {
	for _, test := range []struct{ mime, in, want string }{
		{"text/html", "<p>caf\xe9", "<p>caf\xe9"},
		{"text/html; charset=utf-8", "<p>é", "<p>é"},
		{"text/html", utf16Text("<p>é"), "\ufeff<p>é"},
		{"application/xhtml+xml", utf16Text(`<?xml version="1.0" encoding="UTF-16"?><p/>`), "\ufeff" + `<?xml version="1.0" encoding="UTF-8"?><p/>`},
		{"application/xhtml+xml", utf16Text(`<?xml version="1.0" encoding='utf-16' standalone="yes"?><p/>`), "\ufeff" + `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><p/>`},
		{"application/xhtml+xml", utf16Text(`<?xml version="1.0" encoding="UTF-16?><p/>`), "\ufeff" + `<?xml version="1.0" encoding="UTF-16?><p/>`},
		{"application/xhtml+xml", utf16Text(`<?xml encoding=`), "\ufeff<?xml encoding="},
		{"application/xhtml+xml", utf16Text(`<?xml encoding=?>`), "\ufeff<?xml encoding=?>"},
	} {
		got, err := ReadText(strings.NewReader(test.in), test.mime)
		if string(got) != test.want || err != nil {
			t.Errorf("ReadText(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
}
