package url

import "testing"

// skip finds the same byte as skipEach, although it does not look up the bytes that its lanes contain.
func TestSkipEqualsSkipEach(t *testing.T) {
	for _, std := range standards {
		for n := range PartName(partCount) {
			set := std.rules().sets[n]
			for c := range 256 {
				text := "0000" + string([]byte{byte(c)}) + "0000"
				if got, want := skip(text, 0, set|noEscapes), skipEach(text, 0, set); got != want {
					t.Errorf("%v, %v: skip(%q) = %d, want %d", std, n, text, got, want)
				}
			}
		}
	}
}

func TestSkip(t *testing.T) {
	for _, test := range []struct {
		in   string
		set  class
		want int
	}{
		{"", c3986Path, 0},
		{"a", c3986Path, 1},
		{"?", c3986Path, 0},
		{"abcdefg", c3986Path, 7},
		{"abcdef?", c3986Path, 6},
		{"abcdefgh", c3986Path, 8},
		{"abcdefg?", c3986Path, 7},
		{"?bcdefgh", c3986Path, 0},
		{"abcdefghi", c3986Path, 9},
		{"abcdefgh?", c3986Path, 8},
		{"abcdefghijklmno?", c3986Path, 15},
		{"abcdefghijklmno~!$=@%41", c3986Path, 23},
		{"abcdefghijklmno%4", c3986Path, 15},
		{"abcdefghijklm%4?1", c3986Path, 13},
		{"abcdefgh%41", cScheme | noEscapes, 8},
		{"abcdefgh+_", cScheme | noEscapes, 9},
		{"example.org/x", c3986User, 11},
		{"exa_mple~.org:80", c3986User, 13},
		{"a\xffcdefgh", c3986Path, 1},
	} {
		if got := skip(test.in, 0, test.set); got != test.want {
			t.Errorf("skip(%q, 0, %#x) = %d, want %d", test.in, test.set, got, test.want)
		}
		in := "????????" + test.in
		if got := skip(in, 8, test.set); got != 8+test.want {
			t.Errorf("skip(%q, 8, %#x) = %d, want %d", in, test.set, got, 8+test.want)
		}
	}
}
