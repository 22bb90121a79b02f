package tn3270

// An attribute describes the field after it.
//
//	x x U A D D r M
//	    | | \_/   |
//	    | |  |    modified since the host last reset it (MDT)
//	    | |  00, 01 normal; 10 intense; 11 hidden
//	    | numeric; if also protected, the cursor skips the field
//	    protected
type attribute byte

const modified attribute = 0x01

// isProtected reports whether the field accepts no input.
func (a attribute) isProtected() bool { return a&0x20 != 0 }

// isNumeric reports whether the field is numeric.
func (a attribute) isNumeric() bool { return a&0x10 != 0 }

// isSkipped reports whether the cursor skips the field after the field before it is full.
func (a attribute) isSkipped() bool { return a&0x30 == 0x30 }

// isIntense reports whether the field is shown intense.
func (a attribute) isIntense() bool { return a&0x0C == 0x08 }

// isHidden reports whether the characters of the field are not shown, as in a password.
func (a attribute) isHidden() bool { return a&0x0C == 0x0C }

// isModified reports whether the field was modified since the host last reset it.
func (a attribute) isModified() bool { return a&modified != 0 }

// A Colour is a colour of the extended attributes.
type Colour uint8

const (
	DefaultColour Colour = iota // the terminal's default
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

// A Highlight is a way to highlight characters.
type Highlight uint8

// The ways to highlight characters. They are bits: several can be set.
const (
	Normal     Highlight = 0
	Blink      Highlight = 1
	Reverse    Highlight = 2
	Underscore Highlight = 4
	Intensify  Highlight = 8
)

// A look has the extended attributes of a field or a character. A zero value means that the
// attribute of the field, or the default, applies.
type look struct {
	colour     Colour
	background Colour
	highlight  Highlight
	isGraphic  bool // the character belongs to the graphic escape set
}

// The types of attributes in orders with pairs of a type and a value.
const (
	typeAll        = 0x00
	typeHighlight  = 0x41
	typeForeground = 0x42
	typeSet        = 0x43
	typeBackground = 0x45
	typeField      = 0xC0
)

// set sets the attribute of the type kind to value, as the data stream encodes them. It
// ignores validation, outlining and transparency, which are not supported.
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
		l.isGraphic = value == 0xF1
	}
}

// withoutColours returns l without colours.
func (l look) withoutColours() look {
	l.colour, l.background = DefaultColour, DefaultColour
	return l
}

// over returns l, with each zero value replaced by the value of base.
func (l look) over(base look) look {
	if l.colour == DefaultColour {
		l.colour = base.colour
	}
	if l.background == DefaultColour {
		l.background = base.background
	}
	if l.highlight == Normal {
		l.highlight = base.highlight
	}
	l.isGraphic = l.isGraphic || base.isGraphic
	return l
}
