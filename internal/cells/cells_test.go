package cells_test

import (
	"testing"

	"locus/internal/cells"
)

// The width is 2 for W and F of UAX 11, and 0 for combining characters.
func TestWidth(t *testing.T) {
	for r, want := range map[rune]int{
		' ': 1, '~': 1, 0xA0: 1, 0xAD: 1, 'é': 1, 0x2FF: 1,
		0x300: 0, 0x36F: 0, 0x370: 1, 0x483: 0, 0x488: 0, 0x5D0: 1, 0x64B: 0, 0x903: 1,
		0x200B: 0, 0x200D: 0, 0x202E: 0, 0x20DD: 0, 0xFE0F: 0, 0xFEFF: 0, 0x302A: 0, 0xE0100: 0,
		0x10FF: 1, 0x1100: 2, 0x115F: 2, 0x1160: 1,
		0x2319: 1, 0x231A: 2, 0x231B: 2, 0x231C: 1, 0x26A0: 1, 0x26A1: 2, 0x2705: 2, 0x2713: 1, 0x274C: 2, 0x2B50: 2,
		0x2500: 1, 0x2E80: 2, 0x3000: 2, 0x303E: 2, 0x303F: 1, 0x3041: 2, 0x3042: 2, 0x3248: 1, 0x4E00: 2, 0x9FFF: 2,
		0xA4C6: 2, 0xA4D0: 1, 0xAC00: 2, 0xD7A3: 2, 0xE000: 1, 0xF900: 2, 0xFE10: 2, 0xFE30: 2,
		0xFF00: 1, 0xFF01: 2, 0xFF60: 2, 0xFF61: 1, 0xFFE0: 2, 0xFFE6: 2, 0xFFE8: 1, 0xFFFD: 1,
		0x10348: 1, 0x1F004: 2, 0x1F005: 1, 0x1F321: 1, 0x1F600: 2, 0x1F64F: 2, 0x1F680: 2, 0x1F6CF: 1, 0x1F90C: 2, 0x1FA70: 2,
		0x20000: 2, 0x2FFFD: 2, 0x3FFFD: 2, 0x10FFFD: 1,
	} {
		if got := cells.Width(r); got != want {
			t.Errorf("Width(%U) = %d, want %d", r, got, want)
		}
	}
}

// A text is cut between characters. Combining characters stay with the last character.
func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 0, ""},
		{"", 1, ""},
		{"abc", 3, "abc"},
		{"abc", 2, "a…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"漢字", 4, "漢字"},
		{"漢字", 3, "漢…"},
		{"漢字", 2, "…"},
		{"a漢字", 4, "a漢…"},
		{"a漢字", 3, "a…"},
		{"e\u0301a", 2, "e\u0301a"},
		{"e\u0301ab", 2, "e\u0301…"},
		{"a\xff\xffb", 3, "a\xff…"},
	} {
		got := cells.Cut(test.text, test.most)
		if got != test.want || cells.Of(got) > max(test.most, 0) {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.text, test.most, got, test.want)
		}
	}
}
