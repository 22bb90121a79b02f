package cells_test

import (
	"testing"

	"locus/internal/cells"
)

// Characters are counted as people see them.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a b", 3},
		{"é", 1},
		{"e\u0301", 1},
		{"漢字", 4},
		{"ﾊﾛｰ", 3},
		{"\u1112\u1161\u11ab", 2}, // Hangul, in three jamo
		{"👨‍👩‍👧", 2},
		{"👍🏽", 2},
		{"🇩🇪", 2},
		{"☎\ufe0f", 2}, // shown as an emoji
		{"☎", 1},
		{"नि", 1},
		{"a\u200bb", 2},
		{"a\xff\xfeb", 4},
		{"…", 1},
	} {
		if got := cells.Of(test.text); got != test.want {
			t.Errorf("Of(%q) = %d, want %d", test.text, got, test.want)
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
		{"👨‍👩‍👧 abc", 4, "👨‍👩‍👧 …"},
		{"👨‍👩‍👧 abc", 2, "…"},
	} {
		got := cells.Cut(test.text, test.most)
		if got != test.want || cells.Of(got) > max(test.most, 0) {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.text, test.most, got, test.want)
		}
	}
}
