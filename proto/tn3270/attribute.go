package tn3270

// An attribute is what a field attribute says of the field after it.
//
//	x x U A D D r M
//	    | | \_/   |
//	    | |  |    changed since the host last reset it (MDT)
//	    | |  00, 01 normal; 10 intense; 11 hidden
//	    | numeric; protected too, the cursor skips the field
//	    protected
type attribute byte

const modified attribute = 0x01

func (a attribute) protected() bool { return a&0x20 != 0 }
func (a attribute) numeric() bool   { return a&0x10 != 0 }
func (a attribute) skipped() bool   { return a&0x30 == 0x30 }
func (a attribute) intense() bool   { return a&0x0C == 0x08 }
func (a attribute) hidden() bool    { return a&0x0C == 0x0C }
func (a attribute) modified() bool  { return a&modified != 0 }

// A Colour is one of those of the extended attributes.
type Colour uint8

const (
	DefaultColour Colour = iota // whatever the terminal has
	Blue
	Red
	Pink
	Green
	Turquoise
	Yellow
	White
	Black
	DeepBlue
	Orange
	Purple
	PaleGreen
	PaleTurquoise
	Grey
	PaleWhite
)

// A Highlight is how characters stand out.
type Highlight uint8

const (
	Normal     Highlight = 0
	Blink      Highlight = 1
	Reverse    Highlight = 2
	Underscore Highlight = 4
	Intensify  Highlight = 8
)

// A look is the extended attributes of a field, or of a character. Zero values
// are those of what is around.
type look struct {
	colour     Colour
	background Colour
	highlight  Highlight
	graphic    bool // the character is one of the graphic escape set
}

// Types of attributes, in orders that have pairs of a type and a value.
const (
	typeAll        = 0x00
	typeHighlight  = 0x41
	typeForeground = 0x42
	typeSet        = 0x43
	typeBackground = 0x45
	typeField      = 0xC0
)

// set changes the attribute of one type. Types that have no effect here
// (validation, outlining, transparency) change nothing.
func (l *look) set(kind, value byte) {
	switch kind {
	case typeAll:
		*l = look{}
	case typeHighlight:
		l.highlight = Highlight(value & 0x0F)
	case typeForeground:
		l.colour = Colour(value & 0x0F)
	case typeBackground:
		l.background = Colour(value & 0x0F)
	case typeSet:
		l.graphic = value == 0xF1
	}
}

// plain returns l without colours.
func (l look) plain() look {
	l.colour, l.background = DefaultColour, DefaultColour
	return l
}

// over returns l where it says something, and below where not.
func (l look) over(below look) look {
	if l.colour == DefaultColour {
		l.colour = below.colour
	}
	if l.background == DefaultColour {
		l.background = below.background
	}
	if l.highlight == Normal {
		l.highlight = below.highlight
	}
	l.graphic = l.graphic || below.graphic
	return l
}
