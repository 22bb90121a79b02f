package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// spanEach is a simple implementation of span that examines each byte.
func spanEach(w []byte, i int) (name, end int) {
	for name = i; name < len(w) && isNameByte(w[name]); {
		name++
	}
	for end = name; end < len(w) && classes[w[end]] == plain; {
		end++
	}
	return name, end
}

// holdSpan compares span with spanEach.
func holdSpan(t *testing.T, w []byte, i int) {
	t.Helper()
	name, end := span(w, i)
	wantName, wantEnd := spanEach(w, i)
	exact := wide && len(w)-i >= 2*wideSize && wantEnd-i < wideSize
	if name != wantName && (name > wantName || name-i < wideSize) || end > wantEnd || end < name || exact && end != wantEnd {
		t.Fatalf("span(%q, %d) = %d, %d, want %d, %d", w, i, name, end, wantName, wantEnd)
	}
	if at := skipPlain(w, i); at < i || at > wantEnd && classes[w[i]] == plain {
		t.Fatalf("skipPlain(%q, %d) = %d, want at most %d", w, i, at, wantEnd)
	}
}

// span gives the same result for every byte at every offset.
func TestSpan(t *testing.T) {
	for _, around := range []string{"a", "/", "a/"} {
		for c := range 256 {
			for at := range wideSize {
				w := []byte(strings.Repeat(around, 2*wideSize))
				w[at] = byte(c)
				holdSpan(t, w, 0)
				holdSpan(t, w[:at+1], 0)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		w := make([]byte, 3*wideSize)
		for i := range w {
			if w[i] = 'a' + byte(random.IntN(26)); random.IntN(40) == 0 {
				w[i] = byte(random.IntN(256))
			}
		}
		holdSpan(t, w, random.IntN(len(w)))
	}
}

// colonEach is a simple implementation of colon that examines each byte.
func colonEach(f *finder, w []byte, at int) int {
	for i := at; i < len(w); i++ {
		if w[i] == ':' && (i == 0 || i+1 == len(w) || f.beforeColon[w[i-1]]&f.afterColon[w[i+1]] != 0) {
			return i
		}
	}
	return -1
}

func TestColon(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, f := range []*finder{newFinder(Options{}), newFinder(everything(t))} {
		for range 20_000 {
			w := make([]byte, random.IntN(4*wideSize))
			often := 1 + random.IntN(100)
			for i := range w {
				if w[i] = 'x'; random.IntN(often) == 0 {
					w[i] = "::::/p=l o"[random.IntN(10)]
				}
			}
			for at := 0; at <= len(w); at += 1 + random.IntN(50) {
				if got, want := f.nextColon(w, at), colonEach(f, w, at); got != want {
					t.Fatalf("colon(%q, %d) = %d, want %d", w, at, got, want)
				}
			}
		}
	}
}
