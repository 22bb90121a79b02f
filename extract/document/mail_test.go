package document

import (
	"maps"
	"strings"
	"testing"
)

func TestMailHeader(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"Subject: see ⟦http://h/a⟧\n and ⟦http://h/b⟧.\nX:⟦http://h/c⟧\nList-Unsubscribe: <⟦http://h/?d=1⟧>,\n\t<⟦mailto:l@h?subject=x⟧>\n\n", []string{
			"url subject: http://h/a", "url subject: http://h/b", "url x: http://h/c", "url list-unsubscribe: http://h/?d=1", "url list-unsubscribe: mailto:l@h?subject=x",
		}},
		{"Archived-At: <⟦http://h/⟧>\r\nX: y\r\n\r\n⟦http://i/⟧\r\n", []string{"url archived-at: http://h/", "url text/plain: http://i/"}},
		{"no field\n see ⟦http://h/⟧\na line, as ⟦http://i/⟧\n: ⟦http://j/⟧\n\n⟦http://k/⟧", []string{"url http://h/", "url http://i/", "url http://j/", "url text/plain: http://k/"}},
		{"⟦http://h/⟧", []string{"url http://h/"}},
		{"A: b\nno field\n ⟦http://h/⟧\nsee also: ⟦http://i/⟧\nSubject : ⟦http://j/⟧\n\n", []string{"url http://h/", "url http://i/", "url subject: http://j/"}},
		{"\n⟦http://h/⟧", []string{"url text/plain: http://h/"}},
		{"", nil},
		// encoded words; bytes that are not ASCII are what they are
		{"A:⟦ =?UTF-8?Q?http://h/a=5Fb?= =?utf-8?b?Yw==?=⟧\nB:⟦ =?windows-1252?Q?=93http://h/=94?=⟧\nC:⟦ =?koi8-r?B?aHR0cDovL2gvwQ==?=⟧\nD: =?x ⟦http://h/⟧\nE: =?utf-8?q?none?=\n\n", []string{
			"url a: http://h/a_bc", "url b: http://h/", "url c: http://h/", "url d: http://h/",
		}},
		// the blank between two of them is none, also where the line is folded (RFC 2047 §6.2)
		{"A:⟦ =?utf-8?q?=3Chttp://h/b?=\r\n =?utf-8?q?c=3E?=⟧\r\nB:⟦ =?utf-8?q?http://h/?= \t\n\t=?utf-8?q?d?=\n =?utf-8?q?e?=⟧\n\n", []string{"url a: http://h/bc", "url b: http://h/de"}},
		{"A:⟦ =?utf-8?q?http://h/?=⟧\n ⟦http://i/⟧\n⟦ =?utf-8?q?http://j/?=⟧\nB: ⟦http://k/⟧\n =?utf-8?q?c?=\nD: =?utf-8?q?e?=\nF:⟦ =?utf-8?q?http://l/?=⟧", []string{
			"url a: http://h/", "url a: http://i/", "url a: http://j/", "url b: http://k/", "url f: http://l/",
		}},
		{"A:⟦ =?utf-8?q?http://h/?=⟧\n⟦=?utf-8?q?http://i/?=⟧\n\n", []string{"url a: http://h/", "url http://i/"}},
		{"A:⟦⟦ =?utf-8?q?http://h/_http://i/?=⟧⟧\n\n", []string{"url a: http://h/", "url a: http://i/"}},
	})
}

func TestMailParts(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"Content-Type: multipart/mixed; boundary=\"a b\"\n\nhttp://no/\n--a b\n\n⟦http://h/⟧\n--a b  \nSubject: ⟦http://i/⟧\n\n--a bc\n⟦http://j/⟧\n--a b--\nhttp://no/\n--a b\n\nhttp://no/", []string{
			"url text/plain: http://h/", "url subject: http://i/", "url text/plain: http://j/",
		}},
		{"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n⟦http://h/⟧\r\n--b\r\n\r\n⟦http://i/⟧", []string{"url text/plain: http://h/", "url text/plain: http://i/"}},
		{"Content-Type: multipart/a; boundary=b\n\n--b\nContent-Type: multipart/c; boundary=bb\n\n--bb\n\n⟦http://h/⟧\n--bb--\n--b\nContent-Type: text/html\n\n<a href=⟦d⟧>\n--b--", []string{"url text/plain: http://h/", "a href: d"}},
		{"Content-Type: MULTIPART/mixed; BOUNDARY=b\n\n--b\nContent-Type: image/svg+xml\n\n<a href='⟦b⟧'/>\n--b\nContent-Type: text/css\n\na{b:url(⟦c⟧)}\n--b\nContent-Type: application/json\n\n\"⟦http://h/⟧\"\n--b\nContent-Type: text/markdown\n\n[a](⟦d⟧)\n--b\nContent-Type: text/x-unheard\n\n⟦http://i/⟧\n--b\nContent-Type: image/png\n\nhttp://no/\n--b\nContent-Type: application/octet-stream\n\nhttp://no/\n--b--", []string{
			"a href: b", "url(): c", "url application/json: http://h/", "link: d", "url text/x-unheard: http://i/",
		}},
		{"Content-Type: multipart/mixed;\n\tboundary=\"b\"\n\n--b\nContent-Type: text/html\n\n<a href=⟦c⟧>", []string{"a href: c"}},
		{"Content-Type: message/rfc822\n\nSubject: ⟦http://h/⟧\n\n⟦http://i/⟧", []string{"url subject: http://h/", "url text/plain: http://i/"}},
		{"Content-Type: message/global\n\nA: b\n\n⟦http://i/⟧", []string{"url text/plain: http://i/"}},
		{"Content-Type: message/news\n\nA: b\n\n⟦http://i/⟧", []string{"url text/plain: http://i/"}},
		{"Content-Type: text/html;\n charset=utf-8\n\n<a href=⟦a⟧>", []string{"a href: a"}},
		{"Content-Type: multipart/mixed; boundary=\n\n--\n⟦http://h/⟧", []string{"url text/plain: http://h/"}},
		{"Content-Type: multipart/mixed; x=; boundary=\"a=b\" ; y\n\n--a=b\n\n⟦http://h/⟧", []string{"url text/plain: http://h/"}},
		// what the type of a part is that has none (RFC 2046 §5.1.5)
		{"Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: ⟦http://h/⟧\nContent-Transfer-Encoding: quoted-printable\n\n⟦http://h/a=3Db⟧\n--b\nContent-Type: text/plain\n\n⟦http://i/=3D⟧\n--b\n\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n⟦http://j/=3D⟧\n--c--\n--b--", []string{
			"url subject: http://h/", "url text/plain: http://h/a=b", "url text/plain: http://i/=3D", "url text/plain: http://j/=3D",
		}},
		// comments (RFC 2045 §5.1)
		{"Content-Type: text/html (no; text/plain); charset=utf-8\nContent-Transfer-Encoding: quoted-printable (as ever)\n\n<a href=3D⟦b⟧>", []string{"a href: b"}},
		{"Content-Type: multipart/mixed (x); boundary=\"b\"\n\n--b\nContent-Type: text/plain(x)\nContent-Transfer-Encoding: base64;\n\n⟦aHR0cDovL2gv⟧\n--b--", []string{"url text/plain: http://h/"}},
		{"Content-Type: (a (\") b) multipart/mixed; boundary=\"(b)\" (c)\n\n--(b)\nContent-Type: text/html; x=\"(\"\n\n<a href=⟦b⟧>\n--(b)--", []string{"a href: b"}},
		{"Content-Type: multipart/mixed;boundary==_x\n\n--=_x\nContent-Type: text/html\n\n<a href=⟦b⟧>\n--=_x--", []string{"a href: b"}},
		{"Content-Type: multipart/mixed; boundary=(b\n\n--(b\nContent-Type: text/html); x\n\n⟦http://h/⟧", []string{"url text/html): http://h/"}},
		// the base of each part is its own
		{"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-Location: ⟦http://x/y/⟧\n\n<a href=⟦a⟧>\n--b\nContent-Type: text/html\n\n<a href=⟦b⟧>", []string{"url content-location: http://x/y/", "a href: a", "a href: b"}},
	})
}

func TestMailEncodings(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"Content-Transfer-Encoding: Quoted-Printable\n\n⟦http://h/a=3Db=\n&c=C3=A9⟧ ⟦http://h/?y=3D⟧=20z=20\n⟦http://h/b= \t\r\nc⟧ =E2=80=9C⟦http://h/q⟧=E2=80=9D ⟦http://h/=zz⟧ ⟦http://h/d=⟧", []string{
			"url text/plain: http://h/a=b&cé", "url text/plain: http://h/?y=", "url text/plain: http://h/bc", "url text/plain: http://h/q", "url text/plain: http://h/=zz", "url text/plain: http://h/d=",
		}},
		{"Content-Transfer-Encoding: quoted-printable\nContent-Type: text/html\n\n<a href=3D\"⟦a=\nb⟧\"><a href=3D'⟦?c=3D1&amp;d⟧'></a> =3d=3D ⟦http://h/=3d⟧", []string{"a href: ab", "a href: ?c=1&d", "url text/html: http://h/="}},
		{"Content-Transfer-Encoding: base64\nContent-Type: text/html\n\nPGEgaHJlZj0i⟦aHR0\r\ncDovL2gv⟧Ij4=\nhttp", []string{"a href: http://h/"}},
		{"Content-Transfer-Encoding:  BASE64 \n\nIGFi⟦aHR0cDovL2gv⟧IHg=!IGFi⟦aHR0cDovL2kv⟧", []string{"url text/plain: http://h/", "url text/plain: http://i/"}},
		{"Content-Transfer-Encoding: base64\n\n=a==⟦aHR0cDovL2gv⟧", []string{"url text/plain: http://h/"}},
		{"Content-Transfer-Encoding: base64\n\n⟦aHR0cDovL2gvw6k/fnh+fi/DvsK/⟧", []string{"url text/plain: http://h/é?~x~~/þ¿"}},
		{"Content-Transfer-Encoding: quoted-printable\n\n⟦http://h/a⟧=09b ⟦http://h/=4g⟧ ⟦http://h/=g4⟧ ⟦http://h/=4⟧", []string{"url text/plain: http://h/a", "url text/plain: http://h/=4g", "url text/plain: http://h/=g4", "url text/plain: http://h/=4"}},
		{"Content-Transfer-Encoding: 8bit\n\n⟦http://h/=3D⟧", []string{"url text/plain: http://h/=3D"}},
	})
}

// Lines that flow into one (RFC 3676).
func TestFlowed(t *testing.T) {
	const flowed = "Content-Type: text/plain; format=flowed; delsp=yes\n\n"
	hold(t, Mail, Options{}, []marked{
		{flowed + "see ⟦http://h/long/ \npath/ \nx⟧ y\n⟦http://i/⟧\n⟦http://j/⟧  \nz\n", []string{"url text/plain: http://h/long/path/x", "url text/plain: http://i/", "url text/plain: http://j/"}},
		{flowed + "> ⟦http://h/a \n> b⟧\n>> ⟦http://h/c⟧ \n> d\n>>⟦http://h/e \n>>f⟧\n ⟦http://h/g \n h⟧\n", []string{"url text/plain: http://h/ab", "url text/plain: http://h/c", "url text/plain: http://h/ef", "url text/plain: http://h/gh"}},
		{flowed + "⟦http://h/⟧ \n-- \n⟦http://i/⟧\n>⟦http://j/⟧ \nx\n-- \n⟦mailto:a@b⟧", []string{"url text/plain: http://h/", "url text/plain: http://i/", "url text/plain: http://j/", "url text/plain: mailto:a@b"}},
		{flowed + "⟦http://h/⟧\n-- \n⟦http://i/⟧ \n\n⟦http://j/⟧ ", []string{"url text/plain: http://h/", "url text/plain: http://i/", "url text/plain: http://j/"}},
		{"Content-Type: text/plain; FORMAT=Flowed; DelSp=Yes\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n⟦http://h/=3D =\r\n\r\nb⟧=20\r\n", []string{"url text/plain: http://h/=b"}},
		// a blank that stays ends the URL
		{"Content-Type: text/plain; format=flowed\n\n⟦http://h/⟧ \nx", []string{"url text/plain: http://h/"}},
		{"Content-Type: text/plain; delsp=yes\n\n⟦http://h/⟧ \nx", []string{"url text/plain: http://h/"}},
	})
}

func TestMailbox(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"From a\nA: ⟦http://h/⟧\n\n⟦http://i/⟧\nFrom b\n\nFrom c\nB: ⟦http://j/⟧\n\n>From ⟦http://k/⟧\n\nFrom d\n\n⟦http://l/⟧", []string{
			"url a: http://h/", "url text/plain: http://i/", "url b: http://j/", "url text/plain: http://k/", "url text/plain: http://l/",
		}},
		{"From a\r\n\r\n⟦http://h/⟧\r\n\r\nFrom b\r\nContent-Type: text/html\r\n\r\n<a href=⟦c⟧>\r\n", []string{"url text/plain: http://h/", "a href: c"}},
		{"From a", nil},
		{"From: ⟦http://h/⟧\n\nFrom ⟦http://i/⟧", []string{"url from: http://h/", "url text/plain: http://i/"}},
	})
}

// Comments (RFC 2045 §5.1, RFC 822 §3.4.3) are in brackets, also in one another,
// and none are between quotation marks. A backslash takes the meaning from what
// follows it in both.
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

// Media types and parameters, as written by the book and not.
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
		// of what does not read, the boundary
		{"multipart/mixed; boundary==a=", "multipart/mixed", parameters{"boundary": "=a="}},
		{"Multipart/Mixed ; Boundary= \"a b\" ; ;x", "multipart/mixed", parameters{"boundary": "a b"}},
		{"multipart/mixed; x; BOUNDARY=\"a", "multipart/mixed", parameters{"boundary": "a"}},
		{"text/html; x y", "text/html", parameters{"boundary": ""}},
		// what is no type, or a multipart one that has no parts
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

// What is a field of a header, and what a line of text with a colon in it.
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

// A line of quoted-printable is no longer than 76 bytes (RFC 2045 §6.7), so no
// more blanks are looked at after a "=" at its end.
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

// Bodies with their encoding taken off, and that all that is left out or
// replaced is so where it stood.
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
		{"base64", "YWJ", "ab"}, // without what fills the last group
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
		if string(p.text) != test.want {
			t.Errorf("%s of %q = %q, want %q", test.encoding, test.in, p.text, test.want)
		}
		last := len(before)
		for i := range p.text {
			from, to := p.place(i, i+1)
			if from < last && p.span(i).srcLen == 0 || from < len(before) || to <= from || to > len(before)+len(test.in) {
				t.Errorf("%s of %q: byte %d is from %d to %d, after %d", test.encoding, test.in, i, from, to, last)
			}
			last = from
		}
	}
}

// Lines that flow into one, and those that do not (RFC 3676 §4).
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
		{"a \n\nb", "a\nb"}, // an empty line is fixed, and the paragraph's last
		// stuffed (§4.4), before quotation marks too
		{" a\n  b", " a\n  b"},
		{" \nb", " \nb"}, // a stuffed line that is empty
		{"a \n b", "ab"},
		{"a \n  b", "a b"},
		{"a \n >b", "a>b"},
		// quoted (§4.5)
		{">a \n>b", ">ab"},
		{"> a \n> b", "> ab"},
		{">>a \n>> b\n", ">>ab\n"},
		{">a \n>>b", ">a \n>>b"},
		{">a \nb", ">a \nb"},
		{"a \n>b", "a \n>b"},
		{"> \n> a", "> \n> a"},
		{">  \n> a", "> a"},
		// the line before a signature (§4.3)
		{"a \n-- \nb", "a \n-- \nb"},
		{"-- \n b", "-- \n b"},
		{">-- \n>b", ">-- \n>b"},
		{"> a \n> -- \n> b", "> a \n> -- \n> b"},
		{"--  \nb", "-- b"},
		{"a \n--\nb", "a--\nb"},
	} {
		in := []byte("x" + test.in)
		p := flowed(slice(in, 1, len(in)))
		if string(p.text) != test.want {
			t.Errorf("flowed(%q) = %q, want %q", test.in, p.text, test.want)
		}
		for i, c := range p.text {
			if from, to := p.place(i, i+1); to != from+1 || in[from] != c {
				t.Errorf("flowed(%q): %q is from %d to %d, where %q stands", test.in, c, from, to, in[from:to])
			}
		}
	}
}

// Messages are read so deep in one another, and no deeper.
func TestDeepMail(t *testing.T) {
	const message = "Content-Type: message/rfc822\n\n"
	for n, want := range map[int]int{0: 1, maxDepth - 1: 1, maxDepth: 0, maxDepth + 1: 0, 1000: 0} {
		if all := gather(t, Mail, strings.NewReader(strings.Repeat(message, n)+"\nhttp://h/\n"), Options{}); len(all) != want {
			t.Errorf("in %d messages: %d matches, want %d", n, len(all), want)
		}
	}
	// A part that is too deep does not keep the next one from being read.
	deep := "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Repeat(message, maxDepth) + "\nhttp://no/\n--b\n\nhttp://h/\n--b--\n"
	if all := gather(t, Mail, strings.NewReader(deep), Options{}); len(all) != 1 || all[0].Text != "http://h/" {
		t.Errorf("beside what is too deep: %v", all)
	}
}

// A field is put together of its lines until it is long; what follows in it is
// text all the same.
func TestLongField(t *testing.T) {
	const body = "\n\nhttp://no/\n--b\n\nhttp://h/\n--b--\n"
	for n, want := range map[int]int{100: 1, maxField - 1: 1, maxField: 2, 2 * maxField: 2} {
		field := "multipart/mixed; x=" + strings.Repeat("a", n-len("multipart/mixed; x="))
		if all := gather(t, Mail, strings.NewReader("Content-Type: "+field+"\n ; boundary=b"+body), Options{}); len(all) != want {
			t.Errorf("a boundary after %d bytes of a field: %d matches, want %d", n, len(all), want)
		}
	}
	long := "X: " + strings.Repeat("a", 2*maxField) + "\n http://h/\n http://i/\n\nhttp://j/"
	if all := gather(t, Mail, strings.NewReader(long), Options{}); len(all) != 3 || all[0].Place != "x" || all[1].Place != "x" {
		t.Errorf("after a long line of a field: %v, want three", all)
	}
}
