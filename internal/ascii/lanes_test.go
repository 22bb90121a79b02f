package ascii

import (
	"bytes"
	"strings"
	"testing"
)

func TestLanes(t *testing.T) {
	for _, test := range []struct {
		lanes Lanes
		bytes string
	}{
		{NewLanes('0', '9', '-', '.'), Letters + Digits + "-."},
		{NewLanes('&', ';', '_', '_'), Letters + Digits + "&'()*+,-./:;_"},
		{NewLanes('0', '9', '-', '.').WithoutCapitals(), strings.ToLower(Letters) + Digits + "-."},
	} {
		for at := range 8 {
			for c := range 256 {
				text := []byte("az09-.mm")
				text[at] = byte(c)
				want := uint64(0x80) << (8 * at)
				if strings.IndexByte(test.bytes, byte(c)) >= 0 {
					want = 0
				}
				if got := test.lanes.Outside(Word(string(text))); got != want {
					t.Errorf("outside(%q) = %#x, want %#x", text, got, want)
				}
			}
		}
	}
}

func TestExcept(t *testing.T) {
	for at := range 8 {
		for c := range byte(0x80) {
			for other := range byte(0x80) {
				text := bytes.Repeat([]byte{other}, 8)
				text[at] = c
				want := uint64(0)
				for i, b := range text {
					if b != c {
						want |= 0x80 << (8 * i)
					}
				}
				if got := Except(Word(string(text)), c) & Tops; got != want {
					t.Fatalf("Except(%q, %q) = %#x, want %#x", text, c, got, want)
				}
			}
		}
	}
}
