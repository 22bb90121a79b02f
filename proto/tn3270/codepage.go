package tn3270

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"locus/access"
)

// A codePage maps the 256 codes of an EBCDIC variant to characters.
type codePage struct {
	number uint16
	runes  [256]rune
	codes  map[rune]byte
}

// A variant describes a code page. It has the characters of base, except for the characters of
// nationalCodes if national is set.
type variant struct {
	number   uint16
	base     **charmap.Charmap
	national string // the characters of nationalCodes, or ""
}

// nationalCodes are the codes whose characters differ between the code pages that package
// charmap lacks.
const nationalCodes = "\x43\x44\x47\x48\x49\x4A\x4F\x51\x54\x58\x59\x5A\x5B\x5F\x63\x67\x69\x6A\x70\x79\x7B\x7C\x80\x8C\x8E" +
	"\x90\x9C\x9E\x9F\xA0\xA1\xAC\xAE\xB0\xB1\xB5\xBA\xBB\xBC\xBD\xBE\xC0\xCC\xCD\xD0\xDC\xDD\xE0\xEC\xFC"

// variants are the supported code pages. The first is the default. Each has the 256
// characters of ISO 8859-1 in its own order. 1140 has the euro sign in place of the
// currency sign.
var variants = []variant{
	{37, &charmap.CodePage037, ""},
	{1047, &charmap.CodePage1047, ""},
	{1140, &charmap.CodePage1140, ""},
	{273, &charmap.CodePage037, "{àåçñÄ!éèì~Ü$^[ÅÑöø`#§Øðþ°æÆ¤µßÐÞ¢£@¬|¯¨´ä¦òü}ùÖ\\]"},
	{277, &charmap.CodePage037, "äà}çñ#!éèìß¤Å^Ä$Ñø¦`ÆØ@ðþ°{[]µüÐÞ¢£§¬|¯¨´æöòå~ù\\ÖÜ"},
	{278, &charmap.CodePage037, "{à}çñ§!`èìß¤Å^#$ÑöøéÄÖØðþ°æÆ]µüÐÞ¢£[¬|¯¨´ä¦òå~ù\\@Ü"},
	{280, &charmap.CodePage037, "ä{å\\ñ°!]}~ßé$^ÄÅÑòøù£§Øðþ[æÆ¤µìÐÞ¢#@¬|¯¨´àö¦èü`çÖÜ"},
	{284, &charmap.CodePage037, "äàåç¦[|éèìß]$¬ÄÅ#ñø`Ñ@Øðþ°æÆ¤µ¨ÐÞ¢£§^!¯~´{öò}üù\\ÖÜ"},
	{285, &charmap.CodePage037, "äàåçñ$|éèìß!£¬ÄÅÑ¦ø`#@Øðþ°æÆ¤µ¯ÐÞ¢[§^]~¨´{öò}üù\\ÖÜ"},
	{297, &charmap.CodePage037, "ä@å\\ñ°!{}ìß§$^ÄÅÑùøµ£àØðþ[æÆ¤`¨ÐÞ¢#]¬|¯~´éöòèü¦çÖÜ"},
	{500, &charmap.CodePage037, "äàåçñ[!éèìß]$^ÄÅÑ¦ø`#@Øðþ°æÆ¤µ~ÐÞ¢£§¬|¯¨´{öò}üù\\ÖÜ"},
	{871, &charmap.CodePage037, "äàåçñþ!éèìßÆ$ÖÄÅÑ¦øð#ÐØ`{°}]¤µö@[¢£§¬|¯¨\\Þ~òæüù´^Ü"},
}

// name returns the number of the code page, with three digits at least.
func (v variant) name() string { return fmt.Sprintf("%03d", v.number) }

// CodePages returns the names of the EBCDIC code pages for [Client.CodePage]. The
// default is first.
func CodePages() []string {
	var names []string
	for _, v := range variants {
		names = append(names, v.name())
	}
	return names
}

// newCodePage returns the named code page; "" means the default. An unknown name is an error
// whose remedy lists the known names.
func newCodePage(name string) (*codePage, error) {
	i := slices.IndexFunc(variants, func(v variant) bool { return v.name() == name || name == "" })
	if i < 0 {
		return nil, &access.Error{
			Op: "code page", Err: fmt.Errorf("%q is unknown", name),
			Remedy: access.Advice("known code pages are " + strings.Join(CodePages(), ", ")),
		}
	}
	v := variants[i]
	p := &codePage{number: v.number, codes: make(map[rune]byte, 256)}
	for code := range p.runes {
		p.runes[code] = (*v.base).DecodeByte(byte(code))
	}
	for i, r := range []rune(v.national) {
		p.runes[nationalCodes[i]] = r
	}
	for code, r := range p.runes {
		p.codes[r] = byte(code)
	}
	return p, nil
}

// set returns the number by which a query reply names the characters of the code page: 695
// with the euro sign, else 697.
func (p *codePage) set() int {
	const latin1, euro = 697, 695
	if _, ok := p.codes['€']; ok {
		return euro
	}
	return latin1
}

// Control codes and other codes that take a position on the screen.
const (
	null       = 0x00
	formFeed   = 0x0C
	return_    = 0x0D
	newLine    = 0x15
	endMedium  = 0x19
	duplicate  = 0x1C
	fieldMark  = 0x1E
	substitute = 0x3F
	space      = 0x40
	eightOnes  = 0xFF
)

// show returns the visible character for an EBCDIC code; ' ' for most control codes. It is
// never a control character, and its width is one.
func (p *codePage) show(code byte) rune {
	switch {
	case code == duplicate:
		return '*'
	case code == fieldMark:
		return ';'
	case code < space || code == eightOnes:
		return ' '
	}
	switch r := p.runes[code]; r {
	case 0xA0: // no-break space
		return ' '
	case 0xAD: // soft hyphen
		return '-'
	default:
		return r
	}
}

// code returns the EBCDIC code of r. ok is false if the code page lacks the character, or
// has it only as a control code.
func (p *codePage) code(r rune) (code byte, ok bool) {
	code, ok = p.codes[r]
	return code, ok && code >= space && code != eightOnes
}

// graphics are the supported codes of the graphic escape character set (code page
// 310): lines and mathematical symbols.
var graphics = [256]rune{
	0x85: '│', 0xA2: '─', 0xC4: '└', 0xC5: '┌', 0xC6: '├', 0xC7: '┴', 0xD3: '┼', 0xD4: '┘', 0xD5: '┐', 0xD6: '┤', 0xD7: '┬',
	0x8C: '≤', 0xAE: '≥', 0xBE: '≠', 0xA3: '•',
}

// showGraphic returns the visible character for a code of the graphic escape set; U+FFFD
// for a code that is not supported.
func showGraphic(code byte) rune {
	if r := graphics[code]; r != 0 {
		return r
	}
	if code < space || code == space || code == eightOnes {
		return ' '
	}
	return '�'
}
