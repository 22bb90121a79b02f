package extract

import (
	"slices"
	"testing"
)

// joinLines removes the white space from the text of a wrapper, and returns the hyphens at line ends, which a
// typesetter may have added.
//
// req: 1738-A-2
func TestJoinLines(t *testing.T) {
	for _, test := range []struct {
		in, want string
		hyphens  []int
	}{
		{"", "", nil},
		{"a", "a", nil},
		{" \t\r\n\v\f", "", nil},
		{" a b\tc\rd\ne\vf\fg ", "abcdefg", nil},
		{"a\r\n  b", "ab", nil},
		{"a\u0085b\u00a0c\u1680d\u2003e\u2028f\u2029g\u202fh\u205fi\u3000j", "abcdefghij", nil}, // Unicode, White_Space
		{"\u00a0 a\n\u00a0\u00a0b \u00a0", "ab", nil},
		{"a\u200bb\u2060c\ufeffd\u180ee", "a\u200bb\u2060c\ufeffd\u180ee", nil}, // not white space
		{"a\x85b\xa0c\xc2", "a\x85b\xa0c\xc2", nil},                             // not UTF-8
		{"a-\u00a0\n\u00a0b", "a-b", []int{1}},
		{"a-\u0085b-\u2028c-\u2029d-\u00a0e", "a-b-c-d-e", []int{1, 3, 5}},
		{"a-\nb", "a-b", []int{1}},
		{"a-\rb", "a-b", []int{1}},
		{"a-\r\nb", "a-b", []int{1}},
		{"a- \t\n b", "a-b", []int{1}},
		{"a-\n\nb", "a-b", []int{1}},
		{"a- b", "a-b", nil},
		{"a-\tb", "a-b", nil},
		{"a-\vb", "a-b", nil},
		{"a -\nb", "a-b", []int{1}},
		{"-\na", "-a", []int{0}},
		{"\n-a", "-a", nil},
		{"a\n-\nb", "a-b", []int{1}},
		{"a--\nb", "a--b", []int{2}},
		{"a-\n-\nb", "a--b", []int{1, 2}},
		{"a-\nb-\nc", "a-b-c", []int{1, 3}},
		{"a-", "a-", nil},
		{"a-\n", "a-", nil},
		{"a-\n ", "a-", nil},
		{"a\u2010\nb", "a\u2010b", nil},
	} {
		text, hyphens := joinLines([]byte("x"), []int{7}, []byte(test.in))
		if string(text) != "x"+test.want {
			t.Errorf("joinLines(%q) = %q, want %q", test.in, text[1:], test.want)
		}
		want := []int{7}
		for _, at := range test.hyphens {
			want = append(want, at+1)
		}
		if !slices.Equal(hyphens, want) {
			t.Errorf("joinLines(%q) returns the hyphens %d, want %d", test.in, hyphens, want)
		}
	}
}

// isPrefix accepts the prefix "URL:". A prefix after certain characters is the end of another word.
//
// req: 1738-A-3
func TestIsPrefix(t *testing.T) {
	for in, want := range map[string]bool{
		"URL": true, "url": true, "uRl": true, "xurl": true, "<URL": true, "": false, "l": false, "rl": false, "ur": false, "uri": false, "urn": false, "arl": false, "u l": false,
		"\x15rl": false, "u\x12l": false, "ur\x0c": false,
	} {
		if got := isPrefix([]byte(in+":x"), len(in)); got != want {
			t.Errorf("isPrefix(%q) = %v", in, got)
		}
	}
	for c := range 256 {
		c := byte(c)
		want := c >= 0x80 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || slices.Contains([]byte("+-._/:@%?=&#"), c)
		if got := continuesWord(c); got != want {
			t.Errorf("continuesWord(%q) = %v", c, got)
		}
	}
}

// The classes of bytes contain these bytes and no others.
func TestBytes(t *testing.T) {
	for c := range 256 {
		c := byte(c)
		digit := c >= '0' && c <= '9'
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		for _, test := range []struct {
			name string
			is   func(byte) bool
			want bool
		}{
			{"isSpace", isSpace, c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'},
			{"isDigit", isDigit, digit},
			{"isLetter", isLetter, letter},
			{"isUpper", isUpper, c >= 'A' && c <= 'Z'},
			{"isHex", isHex, digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'},
			{"isIPv6Byte", isIPv6Byte, digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == ':' || c == '.'},
			{"isNameByte", isNameByte, digit || letter || c == '-' || c == '.' || c == '_'},
			{"endsAuthority", endsAuthority, c == '/' || c == '?' || c == '#'},
			{"schemeBytes", func(c byte) bool { return schemeBytes[c] }, digit || letter || c == '+' || c == '-' || c == '.'},
			{"hostBytes", func(c byte) bool { return hostBytes[c] }, digit || letter || c == '-' || c >= 0x80},
			{"localBytes", func(c byte) bool { return localBytes[c] }, digit || letter || slices.Contains([]byte("._%+-~"), c)},
			{"pathOpeners", func(c byte) bool { return pathOpeners[c] }, slices.Contains([]byte("\"'`([{=,;"), c)},
			{"pathStarts", func(c byte) bool { return pathStarts[c] }, digit || letter || c >= 0x80 || slices.Contains([]byte("._~%-"), c)},
			{"sentence", func(c byte) bool { return sentenceBytes[c] }, slices.Contains([]byte(".,:;'?!@*|"), c)},
		} {
			if got := test.is(c); got != test.want {
				t.Errorf("%s(%q) = %v", test.name, c, got)
			}
		}
	}
}

// The local part of a mail address consists of the characters of RFC 5321 §4.1.2 that most addresses have. An
// apostrophe is accepted only inside a word.
func TestInLocal(t *testing.T) {
	for _, test := range []struct {
		in      string
		i, past int
		want    bool
	}{
		{"a@", 0, 0, true},
		{"o'b@", 1, 0, true},
		{"o'b@", 1, 1, false}, // the text before belongs to another match
		{"o'1@", 1, 0, false},
		{"1'b@", 1, 0, false},
		{"o''b@", 1, 0, false},
		{"'b@", 0, 0, false},
		{"o'@", 1, 0, false},
		{"a!b@", 1, 0, false},
		{"\"@", 0, 0, false},
		{"é@", 1, 0, false},
		{"a b@", 1, 0, false},
	} {
		if got := isLocalByte([]byte(test.in), test.i, test.past); got != test.want {
			t.Errorf("isLocalByte(%q, %d, %d) = %v", test.in, test.i, test.past, got)
		}
	}
}
