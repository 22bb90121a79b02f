package ascii

import (
	"strings"
	"testing"
)

func TestLanes(t *testing.T) {
	for _, test := range []struct {
		lanes  Lanes
		bytes string
	}{
		{NewLanes('0', '9', '-', '.'), Letters + Digits + "-."},
		{NewLanes('&', ';', '_', '_'), Letters + Digits + "&'()*+,-./:;_"},
	} {
		for at := range 8 {
			for c := range 256 {
				text := []byte("aZ09-.mM")
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
