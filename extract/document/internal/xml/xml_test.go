package xml

import "testing"

// The bytes at which a reader of XML would stop are replaced one by one, and the others are kept.
func TestLegible(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"<a b='c'>d</a>", "<a b='c'>d</a>"},
		{"&amp;", "?amp;"},
		{"&", "?"},
		{"a&&b", "a??b"},
		{" \t\r\n", " \t\r\n"},
		{"\x00\x01\x08\x0b\x0c\x0e\x1f\x20", "??????? "},
		{"\x7f\u0080\u009f", "\x7f\u0080\u009f"},
		{"\xff\xc3\xe3\x81é", "????é"},
		{"\xed\xa0\x80", "???"},
		{"\ufffd", "???"},
		{"\ufffe\uffff", "??????"},
		{"\ufffc\U00010000\U0010ffff", "\ufffc\U00010000\U0010ffff"},
		{"\ufdd0", "\ufdd0"},
		{"<!-- a--b -->-", "<!-- a??b -->-"},
		{"<!-- & -->", "<!-- ? -->"},
		{"<![CDATA[&--]]>", "<![CDATA[?--]]>"},
	} {
		in := []byte(test.in)
		if got := sanitized(in); string(got) != test.want || len(got) != len(in) || string(in) != test.in {
			t.Errorf("sanitized(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// Hyphens in comments are replaced, and CDATA sections are kept. Neither begins inside the other (XML §2.5, §2.7).
func TestCalm(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"<", "<"},
		{"<!", "<!"},
		{"<!-", "<!-"},
		{"<!--", "<!--"},
		{"<!-->", "<!-->"},
		{"<!--->", "<!--->"},
		{"<!---->", "<!---->"},
		{"<!----->", "<!--?-->"},
		{"<!-- - -->", "<!-- ? -->"},
		{"<!----a--->--", "<!--??a?-->--"},
		{"<!-- -- ", "<!-- -- "},
		{"<!--a-b--><!--c-d-->", "<!--a?b--><!--c?d-->"},
		{"<!--a-<!--b-->-", "<!--a?<!??b-->-"},
		{"<![CDATA[--]]>", "<![CDATA[--]]>"},
		{"<![CDATA[<!-- - -->]]><!-- - -->", "<![CDATA[<!-- - -->]]><!-- ? -->"},
		{"<![CDATA[<!-- - -->", "<![CDATA[<!-- - -->"},
		{"<!-- <![CDATA[ - --> - <!-- - -->", "<!-- <![CDATA[ ? --> - <!-- ? -->"},
		{"<![CDATA[]]><!-- - -->", "<![CDATA[]]><!-- ? -->"},
		{"<!DOCTYPE a [<!-- - -->]><!-- - -->", "<!DOCTYPE a [<!-- ? -->]><!-- ? -->"},
		{"<![cdata[<!-- - -->", "<![cdata[<!-- ? -->"},
		{"<!<!-- - -->", "<!<!-- ? -->"},
	} {
		got := []byte(test.in)
		if replaceHyphens(got); string(got) != test.want {
			t.Errorf("replaceHyphens(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestIsKnown(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, ":": false, "http": false, "http:": true, "HTTP:x": true, "urn:x": true, "group:name": false, "com.example": false, "z39.50s": false, "http/x:y": false,
	} {
		if got := hasKnownScheme([]byte(in)); got != want {
			t.Errorf("hasKnownScheme(%q) = %v", in, got)
		}
	}
}
