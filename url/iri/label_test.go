package iri

import (
	"testing"
	"unicode/utf8"
)

func TestLabelToUnicode(t *testing.T) {
	for _, test := range []struct {
		in, want string // want is "" if the label is not decoded
	}{
		{"xn--bcher-kva", "bücher"},
		{"xn--fa-hia", "faß"},
		{"xn--ls8h", "💩"},
		{"bcher", ""},
		{"XN--BCHER-KVA", ""}, // would not come back as it is
		{"xn--", ""},
		{"xn--a", ""},
		{"xn--abc-", ""},    // decodes to "abc"
		{"xn--999999b", ""}, // no code point
		{"xn--72b", ""},     // a mark alone
		{"xn--z1g", ""},     // IDNA maps characters like ℀
		{"xn--ab-m1t", ""},  // a zero width joiner out of place
	} {
		got, ok := labelToUnicode(test.in)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("labelToUnicode(%q) = %q, %v, want %q", test.in, got, ok, test.want)
		}
	}
}

func TestIsHonest(t *testing.T) {
	for _, test := range []struct {
		label string
		want  bool
	}{
		{"bücher", true},
		{"größe-1", true},
		{"việtnam", true},
		{"þing", true},
		{"москва", true},
		{"москва1", true},
		{"αθήνα", true},
		{"中国", true},
		{"ひらがなカタカナ漢字abc", true},
		{"漢字ㄅabc", true},
		{"漢字한글abc", true},
		{"漢字한글ㄅ", false},
		{"ひらがな한글", false},
		{"αбв", false},
		{"aб", false},
		{"бa", false},
		{"aא", false},
		{"א", true},
		{"א1", false},
		{"1א", false},
		{"א1א", true},
		{"مصر", true},
		{"भारत", true},
		{"भारत१२", true},
		{"भारत१2", false}, // digits of two systems
		{"సత్యం", true},
		{"аеорсух", false},
		{"сссс", false},
		{"ѕсоре", false},
		{"ο", false},
		{"օ", false},
		{"ο1", false},
		{"ノー", false},
		{"ǃkung", false}, // a click, like "!"
		{"ʼn", false},
		{"ɑpple", false},
		{"ı", false},
		{"a\u0338", false},
		{"a\u200db", false},
		{"☃", false},
		{"😀", false},
		{"a·b", false},
		{"ⲁ", false}, // Coptic: not in wide use
		{"𝐚", false},
		{"a_é", false},
	} {
		if got := isHonest(test.label); got != test.want {
			t.Errorf("isHonest(%q) = %v, want %v", test.label, got, test.want)
		}
	}
}

func TestUsesDomains(t *testing.T) {
	for _, name := range []string{"http", "HTTPS", "ws", "wss", "ftp", "gopher", "file", "news", "wais", "telnet", "prospero", "SSH", "irc"} {
		if !usesDomains(name) {
			t.Errorf("usesDomains(%q) = false, want true", name)
		}
	}
	for _, name := range []string{"", "x", "urn", "mailto", "x-http"} {
		if usesDomains(name) {
			t.Errorf("usesDomains(%q) = true, want false", name)
		}
	}
}

// The ranges of RFC 3987 §2.2, with their first and last characters.
func TestUcschar(t *testing.T) {
	for _, test := range []struct {
		from, to rune
		ucschar  bool
		private  bool
	}{
		{0, 0x9f, false, false},
		{0xa0, 0xd7ff, true, false},
		{0xd800, 0xdfff, false, false},
		{0xe000, 0xf8ff, false, true},
		{0xf900, 0xfdcf, true, false},
		{0xfdd0, 0xfdef, false, false},
		{0xfdf0, 0xffef, true, false},
		{0xfff0, 0xffff, false, false},
		{0x10000, 0x1fffd, true, false},
		{0x1fffe, 0x1ffff, false, false},
		{0x20000, 0x2fffd, true, false},
		{0xd0000, 0xdfffd, true, false},
		{0xdfffe, 0xe0fff, false, false},
		{0xe1000, 0xefffd, true, false},
		{0xefffe, 0xeffff, false, false},
		{0xf0000, 0xffffd, false, true},
		{0xffffe, 0xfffff, false, false},
		{0x100000, 0x10fffd, false, true},
		{0x10fffe, utf8.MaxRune, false, false},
	} {
		for _, r := range []rune{test.from, (test.from + test.to) / 2, test.to} {
			if isUcschar(r) != test.ucschar || isPrivate(r) != test.private {
				t.Errorf("isUcschar, isPrivate(%U) = %v, %v, want %v, %v", r, isUcschar(r), isPrivate(r), test.ucschar, test.private)
			}
		}
	}
}

func TestIsVisible(t *testing.T) {
	for _, r := range "aé例😀-/%²" {
		if !isVisible(r) {
			t.Errorf("isVisible(%U) = false, want true", r)
		}
	}
	for _, r := range []rune{
		0, '\n', 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x2028, 0x202e, 0x2060,
		0x2066, 0x2800, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfffd, 0xe0001, 0xe0100, 0xe000, 0x378,
	} {
		if isVisible(r) {
			t.Errorf("isVisible(%U) = true, want false", r)
		}
	}
}

// imitates is true for the fullwidth form of every delimiter of URLs, and for other characters that look like a
// delimiter.
func TestImitates(t *testing.T) {
	for _, r := range "：／？＃［］＠！＄＆＇（）＊＋，；＝．％＼∕⁄։‐․。｡؟٪\u037e᠃᠉ꓽⳆ⁁𝈺ॽꛫꓸ꘎𐩐𝅭" {
		if r != '‐' && !imitates(r) {
			t.Errorf("imitates(%U) = false, want true", r)
		}
	}
	for _, r := range "éａ１例א–😀" {
		if imitates(r) {
			t.Errorf("imitates(%U) = true, want false", r)
		}
	}
}
