package marc

import (
	_ "embed"
	"strconv"
	"strings"

	"locus/internal/lazy"
)

// tablesText has a line for each run of characters: the letter of the set, the code of
// the first in hex, and the characters, whose codes follow each other. Instead of the
// characters "U+0098" is one that cannot be shown, "C+0301" a combining mark, and "-" a
// code that means nothing alone.
//
//go:embed tables.txt
var tablesText string

// eacc is the letter of the three-byte set for Chinese, Japanese and Korean.
const eacc = '1'

// A character is the meaning of a byte in a set.
type character struct {
	r       rune // 0 if the byte has no meaning alone
	isMark  bool // it combines with the letter after it
	isKnown bool // the byte is defined
}

// tables has all sets.
type tables struct {
	single [128]*[128]character // by the letter of the set and seven bits of the byte
	eacc   map[uint32]rune
}

// loadTables has the tables of tablesText, which it reads when they are first used.
var loadTables = lazy.Value[*tables]{Make: func() *tables {
	t := &tables{eacc: make(map[uint32]rune, 16<<10)}
	for line := range strings.Lines(tablesText) {
		if parts := strings.Fields(line); len(parts) == 3 && parts[0] != "#" {
			t.add(parts[0][0], parts[1], parts[2])
		}
	}
	return t
}}

// add adds a line of tablesText: the characters in text, whose codes follow one another. start is
// the code of the first character in hex. The text "-" is a code without a character. A text of
// "U+" or "C+" and a hex number is a single character, and after "C+" a combining mark.
func (t *tables) add(set byte, start, text string) {
	code64, _ := strconv.ParseUint(start, 16, 24)
	code := uint32(code64)
	chars, isMark := []rune(text), false
	switch {
	case text == "-":
		chars = []rune{0}
	case len(text) > 2 && text[1] == '+':
		x, _ := strconv.ParseUint(text[2:], 16, 21)
		chars, isMark = []rune{rune(x)}, text[0] == 'C'
	}
	for i, r := range chars {
		if set == eacc {
			t.eacc[code+uint32(i)] = r
			continue
		}
		if t.single[set] == nil {
			t.single[set] = new([128]character)
		}
		t.single[set][code+uint32(i)] = character{r, isMark, true}
	}
}

// setName returns the name of the character set that MARC denotes by the letter set, for the text of a
// problem. It returns "any set" for an unknown letter.
func setName(set byte) string {
	switch set {
	case 'B':
		return "ASCII"
	case 'E':
		return "Extended Latin (ANSEL)"
	case 'P':
		return "Extended Latin (ISO 5426)"
	case 'g':
		return "Greek symbols"
	case 'b':
		return "subscripts"
	case 'p':
		return "superscripts"
	case '2':
		return "Hebrew"
	case 'N':
		return "Cyrillic"
	case 'Q':
		return "Extended Cyrillic"
	case '3':
		return "Arabic"
	case '4':
		return "Extended Arabic"
	case 'S':
		return "Greek"
	case eacc:
		return "the East Asian set (EACC)"
	}
	return "any set"
}
