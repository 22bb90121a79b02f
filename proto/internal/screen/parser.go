package screen

import "unicode/utf8"

const (
	maxParameters = 32 // a bit of joined for each
	maxParameter  = 9999
)

// A parser finds control sequences in octets, however these are cut.
type parser struct {
	state        state
	private      byte              // of a control sequence: "?" or another; 0 if there is none
	intermediate byte              // the last one, or what is out of its place; 0 if there is none
	parameters   []int             // a missing one is 0
	joined       uint32            // a bit for each that comes after ":", part of the one before
	rune         [utf8.UTFMax]byte // the begin of a character
	partial      int               // octets of it
}

// A state is what the parser is in the middle of.
type state uint8

const (
	inText     state = iota
	inEscape         // after ESC
	inSequence       // after ESC [
	inString         // after ESC ] and others, to the next ESC or BEL: nothing is done with it
)

// octet takes one octet of what a terminal is sent.
func (s *Screen) octet(b byte) {
	if s.partial > 0 && utf8.RuneStart(b) {
		s.partial = 0
		s.put(utf8.RuneError)
	}
	switch {
	case b == 0x1B:
		s.state, s.intermediate = inEscape, 0
	case b == 0x18 || b == 0x1A: // CAN and SUB give up
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

// character takes an octet of a character outside ASCII.
func (s *Screen) character(b byte) {
	s.rune[s.partial] = b
	s.partial++
	whole := s.rune[:s.partial]
	if !utf8.FullRune(whole) {
		return
	}
	r, size := utf8.DecodeRune(whole)
	s.partial = 0
	if r >= 0xA0 {
		s.put(r)
	}
	if size < len(whole) { // the first octet was none of a character
		s.character(b)
	}
}

// escaped takes what follows ESC.
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
	case b >= 0x80: // no sequence has it
		s.state = inText
		s.character(b)
	}
}

// parameterOrFinal takes what follows ESC [.
func (s *Screen) parameterOrFinal(b byte) {
	switch {
	case b < 0x20:
		s.control(b)
	case b >= '0' && b <= '9':
		s.digit(b)
	case b == ';' || b == ':':
		s.separate(b == ':')
	case b >= '<' && b <= '?' && s.private == 0 && len(s.parameters) == 0: // the first octet alone
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

func (p *parser) digit(b byte) {
	if len(p.parameters) == 0 {
		p.parameters = append(p.parameters, 0)
	}
	last := &p.parameters[len(p.parameters)-1]
	*last = min(*last*10+int(b-'0'), maxParameter)
}

func (p *parser) separate(joined bool) {
	if len(p.parameters) == 0 {
		p.parameters = append(p.parameters, 0)
	}
	if len(p.parameters) > maxParameters { // the last one stands for all that are too many
		return
	}
	if joined {
		p.joined |= 1 << len(p.parameters)
	}
	p.parameters = append(p.parameters, 0)
}

// parameter returns a parameter of a control sequence, 0 if it is not there.
func (p *parser) parameter(i int) int {
	if i < len(p.parameters) {
		return p.parameters[i]
	}
	return 0
}

// count returns a parameter for which 0 is 1.
func (p *parser) count(i int) int { return max(1, p.parameter(i)) }

func (p *parser) eachParameter(do func(int)) {
	for _, n := range p.parameters {
		do(n)
	}
}
