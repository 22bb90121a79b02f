package screen

import "unicode/utf8"

const (
	maxParameters = 32   // limits the parameters, because joined has a bit for each
	maxParameter  = 9999 // limits a parameter
)

// A parser is the state in which the control sequences of a byte stream are found. putByte handles
// each byte of the stream in turn. It calls put for a character, control for a control character,
// escape for an escape sequence, and sequence for a control sequence.
type parser struct {
	state        state
	private      byte              // the private marker of a control sequence, such as "?", or 0
	intermediate byte              // the last intermediate or misplaced byte, or 0
	parameters   []int             // a missing parameter is 0
	joined       uint32            // bit i is set if parameter i follows ":" and belongs to the parameter before it
	rune         [utf8.UTFMax]byte // an incomplete character
	partial      int               // the number of bytes in rune
}

// A state is the state of the parser.
type state uint8

const (
	inText     state = iota
	inEscape         // after ESC
	inSequence       // after ESC [
	inString         // in a string such as ESC ], up to the next ESC or BEL; ignored
)

// putByte interprets the next byte of the host's output. A byte may complete a character or a
// sequence.
func (s *Screen) putByte(b byte) {
	if s.partial > 0 && utf8.RuneStart(b) {
		s.partial = 0
		s.put(utf8.RuneError)
	}
	switch {
	case b == 0x1B:
		s.state, s.intermediate = inEscape, 0
	case b == 0x18 || b == 0x1A: // CAN and SUB abort a sequence
		s.state = inText
	case s.state == inEscape:
		s.escaped(b)
	case s.state == inSequence:
		s.parameterOrFinal(b)
	case s.state == inString:
		if b == '\a' {
			s.state = inText
		}
	case b >= 0x80:
		s.character(b)
	case b < 0x20:
		s.control(b)
	case b < 0x7F:
		s.put(rune(b))
	}
}

// character adds b to the incomplete character outside ASCII, and shows the character once it is
// complete. Invalid bytes become U+FFFD. Control characters (U+0080 to U+009F) are dropped.
func (s *Screen) character(b byte) {
	s.rune[s.partial] = b
	s.partial++
	encoded := s.rune[:s.partial]
	if !utf8.FullRune(encoded) {
		return
	}
	r, size := utf8.DecodeRune(encoded)
	s.partial = 0
	if r >= 0xA0 {
		s.put(r)
	}
	if size < len(encoded) { // the bytes before b were invalid
		s.character(b)
	}
}

// escaped interprets a byte after ESC, which may end an escape sequence or begin a control sequence
// or a string.
func (s *Screen) escaped(b byte) {
	switch {
	case b < 0x20:
		s.control(b)
	case b == '[':
		s.private, s.intermediate, s.parameters, s.joined = 0, 0, s.parameters[:0], 0
		s.state = inSequence
	case b == 'P' || b == 'X' || b == ']' || b == '^' || b == '_':
		s.state = inString
	case b < 0x30:
		s.intermediate = b
	case b < 0x7F:
		s.state = inText
		s.escape(s.intermediate, b)
	case b >= 0x80: // no sequence has such a byte
		s.state = inText
		s.character(b)
	}
}

// parameterOrFinal interprets a byte after ESC [: a parameter, or the final byte, which executes
// the sequence.
func (s *Screen) parameterOrFinal(b byte) {
	switch {
	case b < 0x20:
		s.control(b)
	case b >= '0' && b <= '9':
		s.digit(b)
	case b == ';' || b == ':':
		s.separate(b == ':')
	case b >= '<' && b <= '?' && s.private == 0 && len(s.parameters) == 0: // only as the first byte
		s.private = b
	case b < 0x40:
		s.intermediate = b
	case b < 0x7F:
		s.state = inText
		s.parameters = s.parameters[:min(len(s.parameters), maxParameters)]
		if s.intermediate == 0 {
			s.sequence(s.private, b)
		}
	}
}

// digit appends a decimal digit to the last parameter, up to maxParameter.
func (p *parser) digit(b byte) {
	if len(p.parameters) == 0 {
		p.parameters = append(p.parameters, 0)
	}
	last := &p.parameters[len(p.parameters)-1]
	*last = min(*last*10+int(b-'0'), maxParameter)
}

// separate begins the next parameter. joined says whether it belongs to the parameter before
// it.
func (p *parser) separate(joined bool) {
	if len(p.parameters) == 0 {
		p.parameters = append(p.parameters, 0)
	}
	if len(p.parameters) > maxParameters { // the last parameter collects the digits of all further ones
		return
	}
	if joined {
		p.joined |= 1 << len(p.parameters)
	}
	p.parameters = append(p.parameters, 0)
}

// parameter returns parameter i of a control sequence, or 0 if it is missing.
func (p *parser) parameter(i int) int {
	if i < len(p.parameters) {
		return p.parameters[i]
	}
	return 0
}

// count returns parameter i as a count: 0 means 1.
func (p *parser) count(i int) int { return max(1, p.parameter(i)) }

// eachParameter calls f with each parameter.
func (p *parser) eachParameter(f func(int)) {
	for _, n := range p.parameters {
		f(n)
	}
}
