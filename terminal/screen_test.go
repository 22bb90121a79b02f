package terminal_test

import (
	"fmt"
	"testing"

	"locus/terminal"
)

func TestIsEmpty(t *testing.T) {
	for _, test := range []struct {
		lines []string
		want  bool
	}{{nil, true}, {[]string{"", ""}, true}, {[]string{"", "x"}, false}} {
		if got := (terminal.Screen{Lines: test.lines}).IsEmpty(); got != test.want {
			t.Errorf("IsEmpty of %q = %v, want %v", test.lines, got, test.want)
		}
	}
}

func TestColour(t *testing.T) {
	for _, test := range []struct {
		colour  terminal.Colour
		palette string
		rgb     string
	}{
		{terminal.Colour(0), "0 false", "000000 false"},
		{terminal.Palette(0), "0 true", "000000 true"},
		{terminal.Palette(1), "1 true", "cd0000 true"},
		{terminal.Palette(15), "15 true", "ffffff true"},
		{terminal.Palette(16), "16 true", "000000 true"},
		{terminal.Palette(17), "17 true", "00005f true"},
		{terminal.Palette(208), "208 true", "ff8700 true"},
		{terminal.Palette(231), "231 true", "ffffff true"},
		{terminal.Palette(232), "232 true", "080808 true"},
		{terminal.Palette(255), "255 true", "eeeeee true"},
		{terminal.RGB(0, 0, 0), "0 false", "000000 true"},
		{terminal.RGB(1, 2, 255), "255 false", "0102ff true"},
	} {
		n, ok := test.colour.Palette()
		if got := fmt.Sprint(n, ok); got != test.palette {
			t.Errorf("Colour(%#x).Palette() = %s, want %s", uint32(test.colour), got, test.palette)
		}
		r, g, b, ok := test.colour.RGB()
		if got := fmt.Sprintf("%02x%02x%02x %v", r, g, b, ok); got != test.rgb {
			t.Errorf("Colour(%#x).RGB() = %s, want %s", uint32(test.colour), got, test.rgb)
		}
	}
}
