package access_test

import (
	"fmt"
	"testing"

	"locus/access"
)

func TestColour(t *testing.T) {
	for _, tt := range []struct {
		colour  access.Colour
		palette string
		rgb     string
	}{
		{access.Colour(0), "0 false", "000000 false"},
		{access.Palette(0), "0 true", "000000 true"},
		{access.Palette(1), "1 true", "cd0000 true"},
		{access.Palette(15), "15 true", "ffffff true"},
		{access.Palette(16), "16 true", "000000 true"},
		{access.Palette(17), "17 true", "00005f true"},
		{access.Palette(208), "208 true", "ff8700 true"},
		{access.Palette(231), "231 true", "ffffff true"},
		{access.Palette(232), "232 true", "080808 true"},
		{access.Palette(255), "255 true", "eeeeee true"},
		{access.RGB(0, 0, 0), "0 false", "000000 true"},
		{access.RGB(1, 2, 255), "255 false", "0102ff true"},
	} {
		n, ok := tt.colour.Palette()
		if got := fmt.Sprint(n, ok); got != tt.palette {
			t.Errorf("Colour(%#x).Palette() = %s, want %s", uint32(tt.colour), got, tt.palette)
		}
		r, g, b, ok := tt.colour.RGB()
		if got := fmt.Sprintf("%02x%02x%02x %v", r, g, b, ok); got != tt.rgb {
			t.Errorf("Colour(%#x).RGB() = %s, want %s", uint32(tt.colour), got, tt.rgb)
		}
	}
}
