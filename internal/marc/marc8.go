package marc

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const escape = 0x1b

// A decoder decodes text of 8-bit sets, which escape sequences select: MARC-8 (the Library of
// Congress's "Character Sets and Encoding Options", part 2) and ISO 5426 with ISO 2022.
//
// A combining mark precedes its letter. The decoder moves it behind the letter, as in Unicode,
// and composes both if Unicode has one character for them (NFC).
type decoder struct {
	charset         // for the start of each text
	g0, g1  byte    // the selected sets
	out     []byte  // UTF-8
	marks   []rune  // marks that wait for their letter
	problem string  // the first problem
	tables  *tables // nil until needed
}

// maxMarks is the maximum number of combining marks of a letter.
const maxMarks = 8

// decode returns the text of a field or subfield as UTF-8. problem is the first problem in the
// text, or "".
func (d *decoder) decode(text []byte) (value, problem string) {
	if d.charset.g0 == 'B' && !hasHigh(text) && bytes.IndexByte(text, escape) < 0 && !bytes.Contains(text, []byte("&#x")) {
		return string(text), ""
	}
	if d.tables == nil {
		d.tables = loadTables.Get()
	}
	d.g0, d.g1 = d.charset.g0, d.charset.g1
	d.out, d.marks, d.problem = d.out[:0], d.marks[:0], ""
	for len(text) > 0 {
		text = text[d.step(text):]
	}
	if len(d.marks) > 0 {
		d.fail("a combining mark has no letter")
		d.letter('\u00a0')
	}
	return string(d.out), d.problem
}

// step decodes the character or the escape sequence at the start of text, writes the result to
// d.out, and returns how many bytes of text it has decoded.
func (d *decoder) step(text []byte) int {
	c := text[0]
	switch {
	case c == escape:
		return d.escape(text)
	case c <= ' ' || c == 0x7f:
		d.letter(rune(c))
		return 1
	case c >= 0x80 && c <= 0xa0:
		return d.control(c)
	case c == '&':
		if r, n := reference(text); n > 0 {
			d.letter(r)
			return n
		}
	}
	letter := d.g0
	if c >= 0x80 {
		letter = d.g1
	}
	if letter == eacc {
		return d.wide(text)
	}
	x := d.tables.single[letter][c&0x7f]
	switch {
	case !x.isKnown:
		d.bad(text[:1], letter)
	case x.isMark:
		d.mark(x.r)
	case x.r != 0: // 0 is the second half of a mark over two letters, which the first half represents
		d.letter(x.r)
	}
	return 1
}

// wide decodes the character of the three-byte set at the start of text, and returns how many
// bytes of text it has decoded: 3, or fewer if the character is incomplete.
func (d *decoder) wide(text []byte) int {
	if len(text) < 3 {
		d.bad(text, eacc)
		return len(text)
	}
	code := uint32(text[0]&0x7f)<<16 | uint32(text[1]&0x7f)<<8 | uint32(text[2]&0x7f)
	if r, ok := d.tables.eacc[code]; ok {
		d.letter(r)
		return 3
	}
	n := 3
	for i, c := range text[:3] {
		if c <= ' ' { // an escape sequence or a space interrupts the character
			n = i
			break
		}
	}
	d.bad(text[:n], eacc)
	return n
}

// control decodes a control of MARC-8 or ISO 6630, and returns 1, its length. Such controls
// mark words that sorting ignores, or join letters.
func (d *decoder) control(c byte) int {
	switch c {
	case 0x88:
		d.letter('\u0098')
	case 0x89:
		d.letter('\u009c')
	case 0x8d:
		d.letter('\u200d')
	case 0x8e:
		d.letter('\u200c')
	default:
		d.bad([]byte{c}, 0)
	}
	return 1
}

// escape selects the set that the escape sequence at the start of text names, and returns the
// length of the sequence. For an unknown sequence it reports a problem and returns 1.
//
//	ESC g, b, p, s       Greek symbols, subscripts, superscripts, ASCII for bytes below 80
//	ESC ( F  or  ESC , F the set F for bytes below 80
//	ESC ) F  or  ESC - F the set F for bytes above 80
//	ESC $ …              the same for a set of several bytes
//	ESC ( ! E            ANSEL, whose letter is "!E"
func (d *decoder) escape(text []byte) int {
	i := 1
	at := func() byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	switch c := at(); c {
	case 's':
		d.g0 = 'B'
		return 2
	case 'g', 'b', 'p':
		d.g0 = c
		return 2
	}
	isWide := at() == '$'
	if isWide {
		i++
	}
	target := &d.g0
	switch at() {
	case '(', ',':
		i++
	case ')', '-':
		target = &d.g1
		i++
	default:
		if !isWide {
			return d.badEscape()
		}
	}
	if at() == '!' {
		i++
	}
	set := at()
	if isWide && set != eacc || !isWide && (set >= 0x80 || d.tables.single[set] == nil) {
		return d.badEscape()
	}
	*target = set
	return i + 1
}

// badEscape reports an unknown escape sequence, writes U+FFFD, and returns 1, the number of
// bytes that it replaces.
func (d *decoder) badEscape() int {
	d.fail("an escape sequence is not known")
	d.letter(utf8.RuneError)
	return 1
}

// bad reports bytes that are undefined in a set, and writes one U+FFFD for them.
func (d *decoder) bad(b []byte, set byte) {
	d.fail(fmt.Sprintf("byte %X means nothing in %s", b, setName(set)))
	d.letter(utf8.RuneError)
}

// fail sets d.problem, unless the text already has a problem.
func (d *decoder) fail(problem string) {
	if d.problem == "" {
		d.problem = problem
	}
}

// mark keeps a combining mark for the letter that follows it. If too many marks wait, it writes
// them with a no-break space first.
func (d *decoder) mark(r rune) {
	if len(d.marks) == maxMarks {
		d.fail("a letter has too many combining marks")
		d.letter('\u00a0')
	}
	d.marks = append(d.marks, r)
}

// letter writes a letter, followed by the marks that waited for it, in the form NFC.
func (d *decoder) letter(r rune) {
	if len(d.marks) == 0 {
		d.out = utf8.AppendRune(d.out, r)
		return
	}
	cluster := utf8.AppendRune(nil, r)
	for _, m := range d.marks {
		cluster = utf8.AppendRune(cluster, m)
	}
	d.out = append(d.out, norm.NFC.Bytes(cluster)...)
	d.marks = d.marks[:0]
}

// reference decodes a reference to a character that the set lacks at the start of text:
// "&#x4E8C;", with four to six digits. n is the length of the reference. It is 0 if text does
// not begin with a valid reference.
func reference(text []byte) (r rune, n int) {
	digits, _, ok := bytes.Cut(bytes.TrimPrefix(text[:min(len(text), len("&#x10FFFF;"))], []byte("&#x")), []byte(";"))
	if !ok || !bytes.HasPrefix(text, []byte("&#x")) || len(digits) < 4 {
		return 0, 0
	}
	x, err := strconv.ParseUint(string(digits), 16, 21)
	if err != nil || x < 0xa0 || !utf8.ValidRune(rune(x)) {
		return 0, 0
	}
	return rune(x), len("&#x") + len(digits) + len(";")
}
