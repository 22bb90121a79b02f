package render

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var cleanTests = []struct {
	in, want string // an empty want means the same as in
}{
	{in: ""},
	{in: "plain ~!"},
	{in: "é, 漢字, 😀, \uFFFD"},
	{"\x00\t\n\r\x1b\x1f", "␀␉␊␍␛␟"},
	{"\x7f", "␡"},
	{"\u0080\u009b2J\u009f", "��2J�"},
	{"\x9b2J", "�2J"},
	{"caf\xe9!", "caf�!"},
	{"\xc2", "�"},
	{"a\xe6\xbcb", "a�b"},
	{"ab\u202ecd\u202c", "ab�cd�"},
	{"\u2066x\u2069\u200e\u200f\u061c", "�x����"},
	{"a\u2028b\u2029c\u0085", "a�b�c�"},
}

func TestClean(t *testing.T) {
	// attack: Text of a server contains control characters that steer the terminal | they are replaced before the
	// text is shown
	for _, test := range cleanTests {
		want := test.want
		if want == "" {
			want = test.in
		}
		if got := Clean(test.in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", test.in, got, want)
		}
	}
}

func TestCleanAllocates(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Clean("nothing to replace: é, 漢字") }); n != 0 {
		t.Errorf("Clean allocates %v times, want 0", n)
	}
}

// isSafe reports whether s has no control characters except those in also.
func isSafe(s, also string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune(also, r) && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	})
}

func FuzzClean(f *testing.F) {
	for _, test := range cleanTests {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !isSafe(got, "") {
			t.Errorf("Clean(%q) = %q, which is not safe", s, got)
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, want it unchanged", got, again)
		}
		if isSafe(s, "") && !strings.ContainsAny(s, "\u2028\u2029") && got != s {
			t.Errorf("Clean(%q) = %q, want it unchanged", s, got)
		}
	})
}

var cleanWriterTests = []struct {
	in, want string
}{
	{"", ""},
	{"one\ntwo\r\nthree", "one\ntwo\nthree"},
	{"tab\tbell\x07\x1b[2J", "tab\tbell␇␛[2J"},
	{"bare\rreturn\r", "bare␍return␍"},
	{"\r\r\n", "␍\n"},
	{"é漢😀", "é漢😀"},
	{"caf\xe9\n\x9b", "caf�\n�"},
	{"cut \xe6\xbc", "cut ��"},
}

func TestCleanWriter(t *testing.T) {
	for _, test := range cleanWriterTests {
		for size := 1; size <= len(test.in)+1; size++ {
			got, err := cleaned([]byte(test.in), size)
			if err != nil || got != test.want {
				t.Errorf("CleanWriter, %q in pieces of %d = %q, %v, want %q", test.in, size, got, err, test.want)
			}
		}
	}
}

func cleaned(text []byte, size int) (string, error) {
	var b bytes.Buffer
	w := CleanWriter(&b)
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := w.Write(text[:n]); err != nil {
			return b.String(), err
		}
		text = text[n:]
	}
	err := w.Close()
	return b.String(), err
}

func FuzzCleanWriter(f *testing.F) {
	for i, test := range cleanWriterTests {
		f.Add([]byte(test.in), uint(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint) {
		whole, err := cleaned(text, len(text)+1)
		if err != nil || !isSafe(whole, "\n\t") {
			t.Errorf("CleanWriter, %q = %q, %v, want safe text", text, whole, err)
		}
		if pieces, _ := cleaned(text, int(size%9)+1); pieces != whole {
			t.Errorf("CleanWriter, %q in pieces of %d = %q, want %q", text, size%9+1, pieces, whole)
		}
	})
}

func TestCleanWriterError(t *testing.T) {
	w := CleanWriter(failing{})
	if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, errFull) {
		t.Errorf("Write = %d, %v, want 0, %v", n, err, errFull)
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
