package iri

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isUcschar reports whether r is ucschar (RFC 3987 §2.2).
func isUcschar(r rune) bool {
	switch {
	case r < 0xa0 || 0xd800 <= r && r < 0xf900 || 0xfdd0 <= r && r < 0xfdf0:
		return false
	case r < 0xfff0:
		return true
	}
	return 0x10000 <= r && r < 0xf0000 && r&0xffff < 0xfffe && (r < 0xe0000 || r >= 0xe1000)
}

// isPrivate reports whether r is iprivate, which may stand in a query.
func isPrivate(r rune) bool {
	return 0xe000 <= r && r <= 0xf8ff || 0xf0000 <= r && r <= 0x10fffd && r&0xffff < 0xfffe
}

// isBidiControl reports whether r is a bidirectional formatting character:
// those of RFC 3987 §4.1, U+061C and the isolates.
func isBidiControl(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// isVisible reports whether a reader can see r and tell it from others. Spaces and
// unassigned, format and private characters are not visible.
func isVisible(r rune) bool {
	const brailleBlank = 0x2800
	return unicode.IsPrint(r) && r != ' ' && r != brailleBlank && r != utf8.RuneError &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// isRTL reports whether r is in a block of a script that is written from right to
// left. The digits of such a script count.
func isRTL(r rune) bool {
	return 0x590 <= r && r < 0x900 || 0xfb1d <= r && r < 0xfe00 || 0xfe70 <= r && r < 0xff00 ||
		0x10800 <= r && r < 0x11000 || 0x1e800 <= r && r < 0x1f000
}

// delimiters are characters that look like one of ":/?#[]@!$&'()*+,;=.%\", or are
// mapped to one.
const delimiters = "؟\u037e։׃܃܄∶꞉ː˸︓⁚᛬᠃᠉ꓽ⁄∕⧸⟋╱㇓〳Ⳇ⁁𝈺⼃丿ノ᜵⫽⫻⁒⧵∖⧹⟍╲﹨丶⼂ʔɁॽꛫ⁈⁇⁉❓❔∙·‧・･․‥…。｡ꓸ꘎𐩐𝅭٠۰܁܂•‚٫，؍、､；;⁏؛＝꓿᐀⹀゠﹦♯⋕﹟﹫﹪٪⁒﹠﹡﹢﹕﹖﹗﹐﹒﹔﹙﹚ǃⵑ‼ʹʼˈ′‘’❛❜"

// imitates reports whether r looks like a delimiter of URLs.
func imitates(r rune) bool {
	fullwidth := 0xff01 <= r && r <= 0xff5e && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	return fullwidth || strings.ContainsRune(delimiters, r)
}
