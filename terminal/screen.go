// Package terminal describes interactive sessions: their screens, and the keys that they take.
package terminal

// A Screen is a snapshot of a terminal's screen.
type Screen struct {
	Lines  []string // one for each row, from the top, without trailing blanks
	Row    int      // of the cursor; 0 is at the top
	Column int      // of the cursor; 0 is at the left

	// Cells are the same rows with styles. Each row has one cell for each column.
	Cells [][]Cell

	Hidden    bool // the cursor is hidden
	Alternate bool // the alternate screen is shown, which full-screen programs use
	AppKeys   bool // cursor keys must be sent as ESC O A …, not as ESC [ A … (DECCKM)
	Paste     bool // pasted text must be sent between ESC [ 200 ~ and ESC [ 201 ~

	// Status is the status line of the terminal, such as the reason for which the keyboard is
	// locked. It may be "".
	Status string
}

// IsEmpty reports whether the screen shows no text.
func (s Screen) IsEmpty() bool {
	for _, line := range s.Lines {
		if line != "" {
			return false
		}
	}
	return true
}

// A Cell is one position of a [Screen].
type Cell struct {
	// Text is a character with its combining marks, never a control character. It
	// is " " if the cell is empty, and "" in the second cell of a wide character.
	Text  string
	Style Style
}

// A Style is the appearance of a character. The zero value is the default style.
type Style struct {
	Foreground, Background Colour // before Reverse swaps them

	Bold, Faint, Italic, Underline, Blink, Reverse, Strike bool

	Conceal bool // the character is not visible
}

// A Colour is the terminal's default (the zero value), one of the 256 colours of
// xterm's palette, or an RGB colour.
type Colour uint32

const (
	palette Colour = 1 << 24
	rgb     Colour = 2 << 24
)

// Palette returns colour n of the palette. 0 to 7 are the colours of ECMA-48: black, red,
// green, yellow, blue, magenta, cyan and white. 8 to 15 are brighter.
func Palette(n uint8) Colour { return palette | Colour(n) }

// RGB returns the colour with these components.
func RGB(red, green, blue uint8) Colour {
	return rgb | Colour(red)<<16 | Colour(green)<<8 | Colour(blue)
}

// Palette returns the index of c in the palette. If c is not a palette colour, ok is false and
// n has no meaning.
func (c Colour) Palette() (n uint8, ok bool) { return uint8(c), c&^0xFF == palette } //nolint:gosec // the low byte

// RGB returns the components of c. A palette colour has the components of xterm's palette. For
// the terminal's default colour, ok is false and the components are 0.
func (c Colour) RGB() (red, green, blue uint8, ok bool) {
	if n, ok := c.Palette(); ok {
		c = paletteRGB(n)
	}
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&rgb != 0 //nolint:gosec // one byte each
}

// paletteRGB returns colour n of xterm's palette as an RGB colour. The palette has 16 named
// colours, then a cube with six steps for each component, then greys.
func paletteRGB(n uint8) Colour {
	named := [...]Colour{
		0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
		0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
	}
	switch {
	case n < 16:
		return rgb | named[n]
	case n < 232:
		steps := [...]uint8{0, 95, 135, 175, 215, 255}
		return RGB(steps[(n-16)/36], steps[(n-16)/6%6], steps[(n-16)%6])
	}
	grey := 8 + 10*(n-232)
	return RGB(grey, grey, grey)
}
