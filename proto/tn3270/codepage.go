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

// A variant describes a code page by another one and the differences.
type variant struct {
	name   string
	number uint16
	base   *charmap.Charmap
	codes  string // the codes that differ
	runes  string // the character of each of codes
}

// variants are the supported code pages. The first is the default. Each has the 256
// characters of ISO 8859-1 in its own order. 1140 has the euro sign in place of the
// currency sign.
var variants = []variant{
	{"037", 37, charmap.CodePage037, "", ""},
	{"1047", 1047, charmap.CodePage1047, "", ""},
	{"1140", 1140, charmap.CodePage1140, "", ""},
	{
		"273", 273, charmap.CodePage037,
		"\x43\x4a\x4f\x59\x5a\x5f\x63\x6a\x7c\xa1\xb0\xb5\xba\xbb\xc0\xcc\xd0\xdc\xe0\xec\xfc", "{Ä!~Ü^[ö§ß¢@¬|ä¦ü}Ö\\]",
	},
	{
		"277", 277, charmap.CodePage037,
		"\x47\x4a\x4f\x5a\x5b\x5f\x67\x6a\x70\x7b\x7c\x80\x9c\x9e\x9f\xa1\xb0\xba\xbb\xc0\xd0\xdc", "}#!¤Å^$ø¦ÆØ@{[]ü¢¬|æå~",
	},
	{
		"278", 278, charmap.CodePage037,
		"\x43\x47\x4a\x4f\x51\x5a\x5b\x5f\x63\x67\x6a\x79\x7b\x7c\x9f\xa1\xb0\xb5\xba\xbb\xc0\xcc\xd0\xdc\xec", "{}§!`¤Å^#$öéÄÖ]ü¢[¬|ä¦å~@",
	},
	{
		"280", 280, charmap.CodePage037,
		"\x44\x48\x4a\x4f\x51\x54\x58\x5a\x5f\x6a\x79\x7b\x7c\x90\xa1\xb0\xb1\xb5\xba\xbb\xc0\xcd\xd0\xdd\xe0", "{\\°!]}~é^òù£§[ì¢#@¬|à¦è`ç",
	},
	{
		"284", 284, charmap.CodePage037,
		"\x49\x4a\x5a\x69\x6a\x7b\xa1\xb0\xba\xbb\xbd", "¦[]#ñÑ¨¢^!~",
	},
	{
		"285", 285, charmap.CodePage037,
		"\x4a\x5b\xa1\xb0\xb1\xba\xbc", "$£¯¢[^~",
	},
	{
		"297", 297, charmap.CodePage037,
		"\x44\x48\x4a\x4f\x51\x54\x5a\x5f\x6a\x79\x7b\x7c\x90\xa0\xa1\xb0\xb1\xb5\xba\xbb\xbd\xc0\xd0\xdd\xe0", "@\\°!{}§^ùµ£à[`¨¢#]¬|~éè¦ç",
	},
	{
		"500", 500, charmap.CodePage037,
		"\x4a\x4f\x5a\x5f\xb0\xba\xbb", "[!]^¢¬|",
	},
	{
		"871", 871, charmap.CodePage037,
		"\x4a\x4f\x5a\x5f\x79\x7c\x8c\x8e\x9c\x9e\xa1\xac\xae\xb0\xba\xbb\xbe\xc0\xcc\xd0\xe0\xec", "þ!ÆÖðÐ`{}]ö@[¢¬|\\Þ~æ´^",
	},
}

// CodePages returns the names of the EBCDIC code pages for [Client.CodePage]. The
// default is first.
func CodePages() []string {
	var names []string
	for _, v := range variants {
		names = append(names, v.name)
	}
	return names
}

// newCodePage returns the code page with a name. "" means the default.
func newCodePage(name string) (*codePage, error) {
	i := slices.IndexFunc(variants, func(v variant) bool { return v.name == name || name == "" })
	if i < 0 {
		return nil, &access.Error{
			Op: "code page", Err: fmt.Errorf("%q is unknown", name),
			Remedy: access.Advice("known code pages are " + strings.Join(CodePages(), ", ")),
		}
	}
	v := variants[i]
	p := &codePage{number: v.number, codes: make(map[rune]byte, 256)}
	for code := range p.runes {
		p.runes[code] = v.base.DecodeByte(byte(code))
	}
	for i, r := range []rune(v.runes) {
		p.runes[v.codes[i]] = r
	}
	for code, r := range p.runes {
		p.codes[r] = byte(code)
	}
	return p, nil
}

// set returns the number of the code page's character set.
func (p *codePage) set() int {
	const latin1, euro = 697, 695
	if _, ok := p.codes['€']; ok {
		return euro
	}
	return latin1
}

// Codes that are no characters but take a position on the screen.
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

// show returns the visible character for a code. It has a width of one and is no
// control character.
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

// code returns the code of a typed character. ok is false if there is none.
func (p *codePage) code(r rune) (code byte, ok bool) {
	code, ok = p.codes[r]
	return code, ok && code >= space && code != eightOnes
}

// graphics are the supported codes of the graphic escape character set (code page
// 310): lines and mathematical symbols.
var graphics = map[byte]rune{
	0x85: '│', 0xA2: '─', 0xC4: '└', 0xC5: '┌', 0xC6: '├', 0xC7: '┴', 0xD3: '┼', 0xD4: '┘', 0xD5: '┐', 0xD6: '┤', 0xD7: '┬',
	0x8C: '≤', 0xAE: '≥', 0xBE: '≠', 0xA3: '•',
}

// showGraphic returns the visible character for a code of the graphic escape set.
func showGraphic(code byte) rune {
	if r, ok := graphics[code]; ok {
		return r
	}
	if code < space || code == space || code == eightOnes {
		return ' '
	}
	return '�'
}
