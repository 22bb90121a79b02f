//go:build !purego

package url

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// needWide skips the test if the processor cannot run find.
func needWide(t testing.TB) {
	t.Helper()
	if !wide {
		t.Skip("this processor has no AVX2")
	}
}

// findEach is find, written byte by byte.
func findEach(s string) (m masks) {
	for i := range len(s) {
		bit := uint64(1) << i
		switch c := s[i]; {
		case c == ':':
			m.colon |= bit
		case c == '/':
			m.slash |= bit
		case c == '?':
			m.question |= bit
		case c == '#':
			m.hash |= bit
		case c == '@':
			m.at |= bit
		case c == '%':
			m.percent |= bit
		case classes[c]&c3986Path == 0:
			m.bad |= bit
		}
	}
	return m
}

// find classifies every byte at every position of a text of every length, and ignores the memory around the text.
func TestFind(t *testing.T) {
	needWide(t)
	for n := leastWide; n <= mostWide; n++ {
		for c := range 256 {
			for at := range n {
				around := []byte(strings.Repeat("\x00", 8) + strings.Repeat("a", n) + strings.Repeat(":", 40))
				around[8+at] = byte(c)
				s := string(around)[8 : 8+n]
				var got masks
				if find(s, &got); got != findEach(s) {
					t.Fatalf("find(%q) = %+v, want %+v", s, got, findEach(s))
				}
			}
		}
	}
}

// checkWide compares parseWide with parseSlowly. parseWide may return false for a valid URL only if isRare is true.
func checkWide(t *testing.T, s string) {
	t.Helper()
	if len(s) < leastWide {
		return
	}
	got := URL{text: s}
	good := got.parseWide()
	want, err := RFC3986.parseSlowly(s)
	switch {
	case good && (err != nil || got != want):
		t.Errorf("parseWide(%q) = %+v, want %+v, %v", s, got, want, err)
	case err == nil && !good && !isRare(want):
		t.Errorf("parseWide(%q) = false, want true because the URL is not rare", s)
	}
}

// isRare reports whether parseWide may leave u to the slower parser.
func isRare(u URL) bool {
	if strings.Contains(u.text, "[") {
		return true
	}
	start := int(max(u.scheme, u.auth))
	return len(u.text) > mostWide && (start > mostWide || u.scheme == mostWide-1 || !strings.ContainsAny(u.text[start:mostWide], "/?#"))
}

// Every delimiter may stand on either side of the end of a block.
func TestParseWide(t *testing.T) {
	needWide(t)
	for pad := range 2*mostWide + leastWide {
		for _, texts := range accepted {
			for _, s := range texts {
				checkWide(t, s+strings.Repeat("x", pad))
				checkWide(t, strings.Repeat("x", pad)+s)
			}
		}
		for _, test := range refused {
			checkWide(t, test.in+strings.Repeat("x", pad))
			checkWide(t, strings.Repeat("x", pad)+test.in)
		}
	}
}

// Random texts, put together from pieces that matter to a parser.
func TestParseWideAtRandom(t *testing.T) {
	needWide(t)
	random := rand.New(rand.NewPCG(3986, 3))
	pieces := []string{
		"http", "https:", "//", "/", ":", "?", "#", "@", "%41", "%4", "[::1]", "host.example", "80", "a", "x+y", "~!$&'()*+,;=", "path/to/it",
		"\x00", "\xff", " ", "|", strings.Repeat("y", 31), "user:pass@", "q=1&r=2",
	}
	for range 200_000 {
		var b strings.Builder
		b.WriteString(pieces[random.IntN(4)])
		for range random.IntN(12) {
			b.WriteString(pieces[min(random.IntN(len(pieces)), random.IntN(len(pieces)))])
		}
		checkWide(t, b.String())
	}
}

func FuzzWide(f *testing.F) {
	if !wide {
		f.Skip("this processor has no AVX2")
	}
	seeds(f)
	f.Add("http://user:password@host.example:8080/a/path%20that/is/long?query=1#" + strings.Repeat("f", 64))
	f.Fuzz(func(t *testing.T, s string) { checkWide(t, s) })
}

func TestHasAtMostOneBit(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 1 << 63, 1<<63 | 1, ^uint64(0)} {
		if got, want := hasAtMostOneBit(n), bits.OnesCount64(n) <= 1; got != want {
			t.Errorf("hasAtMostOneBit(%b) = %v, want %v", n, got, want)
		}
	}
}
