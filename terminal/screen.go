package terminal

// A Screen is what a terminal shows. It does not change.
type Screen struct {
	Lines  []string // one for each row, from the top, without the blanks at its end
	Row    int      // of the cursor; 0 is the topmost
	Column int      // of the cursor; 0 is the leftmost

	// Cells are the same rows as they look: as many of as many cells as the
	// screen has columns.
	Cells [][]Cell

	Hidden    bool // the cursor is not to be seen
	Alternate bool // a full-screen program has a screen of its own in front
	AppKeys   bool // the cursor keys are wanted as ESC O A …, not as ESC [ A … (DECCKM)
	Paste     bool // pasted text is wanted between ESC [ 200 ~ and ESC [ 201 ~

	// Status is what the terminal says of itself beside the screen: that it
	// waits, or why it takes no keys; "" for nothing.
	Status string
}

// A Cell is one place of a [Screen].
type Cell struct {
	// Text is a character with its marks, never a control: " " for none, and ""
	// where the wide character to the left goes on.
	Text  string
	Style Style
}

// A Style is how a character looks. The zero value is how most do.
type Style struct {
	Foreground, Background Colour // before Reverse exchanges them

	Bold, Faint, Italic, Underline, Blink, Reverse, Strike bool

	Conceal bool // the character is there but not to be seen
}

// A Colour is the terminal's own, which is the zero value, one of the 256 of
// xterm's palette, or a mixture of red, green and blue.
type Colour uint32

const (
	palette Colour = 1 << 24
	mixture Colour = 2 << 24
)

// Palette returns a colour of the palette: 0 to 7 are those of ECMA-48, black,
// red, green, yellow, blue, magenta, cyan and white; 8 to 15 are brighter.
func Palette(n uint8) Colour { return palette | Colour(n) }

// RGB returns a mixture.
func RGB(red, green, blue uint8) Colour {
	return mixture | Colour(red)<<16 | Colour(green)<<8 | Colour(blue)
}

// Palette returns which colour of the palette c is; ok is false if it is none.
func (c Colour) Palette() (n uint8, ok bool) { return uint8(c), c&^0xFF == palette } //nolint:gosec // its octet

// RGB returns what c is mixed of, as xterm has it; ok is false for the colour
// that is the terminal's own.
func (c Colour) RGB() (red, green, blue uint8, ok bool) {
	if n, is := c.Palette(); is {
		c = mixed(n)
	}
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&mixture != 0 //nolint:gosec // its octets
}

// mixed returns a colour of the palette as a mixture: 16 of them by name, then a
// cube of six steps of each, then greys.
func mixed(n uint8) Colour {
	named := [...]Colour{
		0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
		0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
	}
	switch {
	case n < 16:
		return mixture | named[n]
	case n < 232:
		steps := [...]uint8{0, 95, 135, 175, 215, 255}
		return RGB(steps[(n-16)/36], steps[(n-16)/6%6], steps[(n-16)%6])
	}
	grey := 8 + 10*(n-232)
	return RGB(grey, grey, grey)
}
