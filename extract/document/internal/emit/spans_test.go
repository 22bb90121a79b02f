package emit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spansOf returns all spans of a part.
func spansOf(p Part) (all []span) {
	for c := p.spans.find(0); ; c.advance() {
		if all = append(all, c.span); c.end == math.MaxInt {
			return all
		}
	}
}

// A part finds the span of each of its bytes, whatever the lengths of the spans and the order of their sources.
func TestSpans(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 2))
	for range 200 {
		var p Part
		var want []span // the span of each byte
		var added []span
		source := random.IntN(1 << 20)
		for range random.IntN(400) {
			size, length := 1+random.IntN(12), 1+random.IntN(6)
			switch random.IntN(20) {
			case 0:
				source = random.IntN(1 << 30)
			case 1:
				size, length = 1+random.IntN(1<<16), 1+random.IntN(200)
			}
			s := span{len(p.Text), source, size}
			text := strings.Repeat("x", length)
			if random.IntN(2) == 0 {
				s.SrcLen, size = 0, length
				source++ // so that a literal copy does not continue the last one
				s.SrcStart++
				p.Append([]byte(text), source)
			} else {
				p.Replace(text, source, size)
			}
			source += size
			added = append(added, s)
			for range length {
				want = append(want, s)
			}
		}
		if len(added) > 0 && !slices.Equal(spansOf(p), added) {
			t.Fatalf("the spans are %v, want %v", spansOf(p), added)
		}
		for i, want := range want {
			if got := p.spans.find(i); got.span != want {
				t.Fatalf("of %v, find(%d) = %v, want %v", added, i, got.span, want)
			}
		}
	}
}

// The spans of escapes take little more memory than the escapes.
func TestSpansSize(t *testing.T) {
	for _, unit := range []string{`\"`, `a\"`, `\u0041`} {
		text := strings.Repeat(unit, 10_000)
		p := ReplaceEscapes([]byte(text), 0, '\\', func([]byte) (int, string) { return len(unit) - strings.IndexByte(unit, '\\'), "x" })
		if got := len(p.spans.codes) + 32*len(p.spans.marks); got > len(text)*5/4 {
			t.Errorf("the spans of %d times %q take %d bytes, want at most %d", 10_000, unit, got, len(text)*5/4)
		}
	}
}
