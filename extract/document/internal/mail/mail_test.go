package mail

import (
	"bytes"
	"encoding/base64"
	"maps"
	"math/rand/v2"
	"mime/quotedprintable"
	"strings"
	"testing"

	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/soup"
)

// Comments are in parentheses, and may be nested (RFC 2045 §5.1, RFC 822 §3.4.3). A quoted string contains no comments.
// A backslash quotes the character after it in both.
func TestUncommented(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"a/b":                    "a/b",
		"a/b (c)":                "a/b",
		"(c) a/b":                "a/b",
		"a(b)c(d)e":              "ace",
		"a (b (c) d) e":          "a  e",
		"a; x=\"(b)\"; y":        "a; x=\"(b)\"; y",
		"a (\") b (\") c":        "a  b  c",
		"a) b":                   "a) b",
		"a (b":                   "a (b",
		"a (b) (c":               "a (b) (c",
		"a ((b)":                 "a ((b)",
		"a (b))":                 "a )",
		"()":                     "",
		" \ta \t":                "a",
		`a; x="\""; y (c)`:       `a; x="\""; y`,
		`a; x="b\\"; y (c)`:      `a; x="b\\"; y`,
		`a (b \) c) d`:           "a  d",
		`a (b \( c) d`:           "a  d",
		`a (b \\) d`:             "a  d",
		`a \(b) c`:               `a \ c`,
		`a (b) \`:                `a  \`,
		`a "b\`:                  `a "b\`,
		`a (b\)`:                 `a (b\)`,
		`a "b\"`:                 `a "b\"`,
		"text/html; (x) q=\"(\"": "text/html;  q=\"(\"",
	} {
		if got := uncommented(in); got != want {
			t.Errorf("uncommented(%q) = %q, want %q", in, got, want)
		}
	}
}

// Media types and parameters in valid and in invalid fields.
func TestContentType(t *testing.T) {
	type parameters = map[string]string
	for _, test := range []struct {
		in, kind string
		params   parameters
	}{
		{"text/html", "text/html", nil},
		{"Text/HTML; Charset=UTF-8", "text/html", parameters{"charset": "UTF-8"}},
		{"text/plain; format=flowed; delsp=\"yes\"", "text/plain", parameters{"format": "flowed", "delsp": "yes"}},
		{"multipart/mixed; boundary=\"a b\"", "multipart/mixed", parameters{"boundary": "a b"}},
		{"multipart/mixed; boundary*0=a; boundary*1=b", "multipart/mixed", parameters{"boundary": "ab"}}, // RFC 2231 §3
		// the boundary is found even if the rest is invalid
		{"multipart/mixed; boundary==a=", "multipart/mixed", parameters{"boundary": "=a="}},
		{"Multipart/Mixed ; Boundary= \"a b\" ; ;x", "multipart/mixed", parameters{"boundary": "a b"}},
		{"multipart/mixed; x; BOUNDARY=\"a", "multipart/mixed", parameters{"boundary": "a"}},
		{"text/html; x y", "text/html", parameters{"boundary": ""}},
		// texts that are not a type, and a multipart type without a boundary
		{"", "text/plain", parameters{"boundary": ""}},
		{"text", "text/plain", parameters{}},
		{"multipart/mixed", "text/plain", parameters{}},
		{"multipart/mixed; boundary=", "text/plain", parameters{"boundary": ""}},
		{"multipart/mixed; boundary=\"\"", "text/plain", parameters{"boundary": ""}},
		{"multipart/mixed; x=; y", "text/plain", parameters{"boundary": ""}},
		{"multipartx/mixed; boundary=b", "multipartx/mixed", parameters{"boundary": "b"}},
	} {
		kind, params := contentType(test.in)
		if kind != test.kind || !maps.Equal(params, test.params) {
			t.Errorf("contentType(%q) = %q, %q, want %q, %q", test.in, kind, params, test.kind, test.params)
		}
	}
}

// isField distinguishes a field of a header from a line of text with a colon.
func TestIsField(t *testing.T) {
	for line, want := range map[string]bool{
		"A: b": true, "A:": true, "A:b:c": true, "A : b": true, "A-b\t: c": true, "": false, "A": false, ":": false, ": a": false, "a b: c": false,
		"http://h/": false, "http:/h": true, "http:": true, "a b://c": false, "x:// y": false, "subject:see http://h/": true,
	} {
		if got := isField([]byte(line), strings.IndexByte(line, ':')); got != want {
			t.Errorf("isField(%q) = %v, want %v", line, got, want)
		}
	}
}

// lineEnd looks at a limited number of spaces after a "=", because a line of quoted-printable has at most 76 bytes (RFC
// 2045 §6.7).
func TestLineEnd(t *testing.T) {
	blanks := strings.Repeat(" ", 75)
	for in, want := range map[string]int{
		"": 0, "\n": 1, "\nx": 1, "\r\n": 2, " \t\r\n": 4, "x\n": 0, " x\n": 0, "\r": 0, "  ": 0, "\v\n": 0, "\n\n": 1, "\r\r\n": 3,
		blanks[1:] + "\n": 75, blanks + "\n": 76, blanks + " \n": 0, blanks: 0, blanks + "  ": 0,
	} {
		if got := lineEnd([]byte(in)[:len(in):len(in)]); got != want {
			t.Errorf("lineEnd(%q) = %d, want %d", in, got, want)
		}
	}
}

// Bodies are decoded, and each byte keeps its offset in the document. Omitted and replaced bytes are counted at their
// offsets.
func TestTransferred(t *testing.T) {
	for _, test := range []struct {
		encoding, in, want string
	}{
		{"quoted-printable", "", ""},
		{"quoted-printable", "a", "a"},
		{"quoted-printable", "=41=4a=4A=6F=C3=A9", "AJJoé"},
		{"quoted-printable", "a=\nb=\r\nc= \t\nd", "abcd"},
		{"quoted-printable", "a=", "a="},
		{"quoted-printable", "a=4", "a=4"},
		{"quoted-printable", "a==41", "a=A"},
		{"quoted-printable", "=4G=G4=:4", "=4G=G4=:4"},
		{"quoted-printable", "a= b", "a= b"},
		{"quoted-printable", "a= ", "a= "},
		{"quoted-printable", "=\n=\n=41", "A"},
		{"quoted-printable", "=3D41", "=41"},
		{"quoted-printable", "=00=FF", "\x00\xff"},
		{"base64", "", ""},
		{"base64", "YWJj", "abc"},
		{"base64", "YWI=", "ab"},
		{"base64", "YQ==", "a"},
		{"base64", "YWJjZGVm", "abcdef"},
		{"base64", "Y W\nJ\r\nj", "abc"},
		{"base64", "YQ==YWJj", "aabc"},
		{"base64", "-_.!YWJj", "abc"},
		{"base64", "YWJ", "ab"}, // without the padding of the last group
		{"base64", "YWJjYQ", "abca"},
		{"base64", "YQ=", "a"},
		{"base64", "Y Q\n", "a"},
		{"base64", "YWJjY", "abc"},
		{"base64", "Y", ""},
		{"base64", "Y=", ""},
		{"base64", "=", ""},
		{"base64", "====YWJj", "abc"},
		{"base64", "Y=WJYWJj", "abc"},
		{"base64", "+/+/", "\xfb\xff\xbf"},
		{"7bit", "a=41", "a=41"},
		{"", "a=41", "a=41"},
		{"x-uuencode", "YWJj", "YWJj"},
	} {
		const before = "=41YWJj\n"
		p := decodeTransfer([]byte(before+test.in), len(before), test.encoding)
		if string(p.Text) != test.want {
			t.Errorf("decoding %[2]q from %[1]s gives %[3]q, want %[4]q", test.encoding, test.in, p.Text, test.want)
		}
		last := len(before)
		for i := range p.Text {
			from, to := p.Place(i, i+1)
			if from < last || from < len(before) || to <= from || to > len(before)+len(test.in) {
				t.Errorf("decoding %[2]q from %[1]s: byte %[3]d is from %[4]d to %[5]d, after %[6]d", test.encoding, test.in, i, from, to, last)
			}
			last = from
		}
	}
}

// The lines of a paragraph in format=flowed are joined, and fixed lines are not (RFC 3676 §4).
func TestFlowedLines(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"a", "a"},
		{"a\nb\n", "a\nb\n"},
		{"a \nb\n", "ab\n"},
		{"a \r\nb\r\n", "ab\r\n"},
		{"a  \nb", "a b"},
		{"a \nb \nc", "abc"},
		{"a \n", "a"},
		{"a ", "a"},
		{"a \n\nb", "a\nb"}, // an empty line is fixed and ends the paragraph
		// stuffed lines (§4.4), even before quotation marks
		{" a\n  b", " a\n  b"},
		{" \nb", " \nb"}, // an empty stuffed line
		{"a \n b", "ab"},
		{"a \n  b", "a b"},
		{"a \n >b", "a>b"},
		// quoted lines (§4.5)
		{">a \n>b", ">ab"},
		{"> a \n> b", "> ab"},
		{">>a \n>> b\n", ">>ab\n"},
		{">a \n>>b", ">a \n>>b"},
		{">a \nb", ">a \nb"},
		{"a \n>b", "a \n>b"},
		{"> \n> a", "> \n> a"},
		{">  \n> a", "> a"},
		// the separator line before a signature (§4.3)
		{"a \n-- \nb", "a \n-- \nb"},
		{"-- \n b", "-- \n b"},
		{">-- \n>b", ">-- \n>b"},
		{"> a \n> -- \n> b", "> a \n> -- \n> b"},
		{"--  \nb", "-- b"},
		{"a \n--\nb", "a--\nb"},
	} {
		in := []byte("x" + test.in)
		p := flowed(emit.Slice(in, 1, len(in)))
		if string(p.Text) != test.want {
			t.Errorf("flowed(%q) = %q, want %q", test.in, p.Text, test.want)
		}
		for i, c := range p.Text {
			if from, to := p.Place(i, i+1); to != from+1 || in[from] != c {
				t.Errorf("flowed(%q): %q is said to be from %d to %d, where %q is", test.in, c, from, to, in[from:to])
			}
		}
	}
}

// Decoding inverts the encodings of the standard library.
func TestTransferOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 4))
	for range 300 {
		body := soup.Of(random, append([]string{"\n", "http://h/", strings.Repeat("x", 80), "=", "  \n"}, soup.Words()...), 20)
		var quoted bytes.Buffer
		w := quotedprintable.NewWriter(&quoted)
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p := decodeTransfer(quoted.Bytes(), 0, "quoted-printable")
		if got := strings.ReplaceAll(string(p.Text), "\r\n", "\n"); got != body {
			t.Errorf("decoding quoted-printable gives %q, want %q", got, body)
		}
		lines := ""
		for rest := base64.StdEncoding.EncodeToString([]byte(body)); rest != ""; {
			n := min(len(rest), 76)
			lines, rest = lines+rest[:n]+"\r\n", rest[n:]
		}
		for _, text := range []string{lines, strings.TrimRight(lines, "=\r\n")} {
			if p := decodeTransfer([]byte(text), 0, "base64"); string(p.Text) != body {
				t.Errorf("decoding %q as base64 gives %q, want %q", text, p.Text, body)
			}
		}
	}
}
