package iri

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"locus/internal/ascii"
	"locus/url"
	"locus/url/whatwg"
)

// hostToIRI returns the host of p with each "xn--" label decoded that show accepts in its decoded form. It returns the
// host unchanged if the scheme does not use domain names, or if [ToURI] would not restore the host.
func hostToIRI(p url.Parts, show func(label string) bool) string {
	host := p.Host.Text
	if !usesDomains(p.Scheme.Text) {
		return host
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if name, ok := labelToUnicode(label); ok && show(name) {
			labels[i] = name
		}
	}
	shown := p
	shown.Host.Text = strings.Join(labels, ".")
	if back, ok := hostToURI(shown); !ok || back != host {
		return host
	}
	return shown.Host.Text
}

// labelToUnicode decodes an "xn--" label. It returns false for any other label. It also returns false if the decoded
// label contains an invisible character, or if IDNA would not encode it as the same label again.
func labelToUnicode(label string) (string, bool) {
	if !strings.HasPrefix(label, "xn--") {
		return "", false
	}
	name, err := idna.Punycode.ToUnicode(label)
	if err != nil || ascii.IsASCII(name) || !utf8.ValidString(name) || strings.ContainsFunc(name, isHidden) {
		return "", false
	}
	back, ok := whatwg.ToASCII(name, false)
	return name, ok && back == label
}

// isHidden reports whether r is a character beyond ASCII that an IRI must not contain or that is invisible.
func isHidden(r rune) bool {
	return r >= utf8.RuneSelf && (!isUcschar(r) || isBidiControl(r) || !isVisible(r))
}

// isHonest reports whether [Display] may show label, which is decoded, because it does not look like another name.
func isHonest(label string) bool {
	var scripts []string
	digits, alike := -1, true
	for _, r := range label {
		if !isUsual(r) {
			return false
		}
		if system := digitSystem(r); system >= 0 {
			if digits >= 0 && system != digits {
				return false
			}
			digits = system
		}
		if r >= utf8.RuneSelf {
			alike = alike && strings.ContainsRune(lookalikes, r)
		}
		if name := scriptOf(r); name != "" && !slices.Contains(scripts, name) {
			scripts = append(scripts, name)
		}
	}
	return !alike && isUsualMixture(scripts) && (!hasRTL(label) || isRTLThroughout(label))
}

// isUsual reports whether r is a letter, mark or digit with which names are written. It excludes marks without a
// script, because they can be put over any letter. It also excludes phonetic letters, and click letters, which look
// like "|" and "!".
func isUsual(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == 0x30fc:
		return r == '-' || r == 0x30fc || unicode.IsLetter(r) || unicode.IsDigit(r)
	case 0x1c0 <= r && r <= 0x1c3, 0x250 <= r && r < 0x370, 0x1d00 <= r && r < 0x1e00, 0x2c60 <= r && r < 0x2c80, 0xa720 <= r && r < 0xa800, 0xab30 <= r && r < 0xab70:
		return false
	}
	return scriptOf(r) != "" && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// usualScripts are the scripts in wide use (UAX 31, table 5).
var usualScripts = []string{
	"Latin", "Han", "Cyrillic", "Greek", "Arabic", "Hiragana", "Katakana", "Hangul", "Hebrew", "Devanagari", "Thai",
	"Armenian", "Bengali", "Bopomofo", "Ethiopic", "Georgian", "Gujarati", "Gurmukhi", "Kannada", "Khmer", "Lao",
	"Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Tibetan",
}

// scriptOf returns the name of r's script, such as "Latin", or "" if the script is not one of usualScripts.
func scriptOf(r rune) string {
	for _, name := range usualScripts {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return ""
}

// isUsualMixture reports whether one label may mix the scripts (UTS 39 §5.2, highly restrictive).
func isUsualMixture(scripts []string) bool {
	within := func(usual ...string) bool {
		return !slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(usual, s) })
	}
	return len(scripts) <= 1 || within("Latin", "Han", "Hiragana", "Katakana") ||
		within("Latin", "Han", "Bopomofo") || within("Latin", "Han", "Hangul")
}

// digitSystem returns a number that is the same for the ten digits of one system, such as Arabic-Indic, and differs
// between systems. It returns -1 if r is not a digit.
func digitSystem(r rune) int {
	if !unicode.IsDigit(r) {
		return -1
	}
	for i, r16 := range unicode.Nd.R16 {
		if rune(r16.Lo) <= r && r <= rune(r16.Hi) {
			return i
		}
	}
	for i, r32 := range unicode.Nd.R32 {
		if rune(r32.Lo) <= r && r <= rune(r32.Hi) {
			return len(unicode.Nd.R16) + i
		}
	}
	return -1
}

// lookalikes are letters and digits that look like ASCII letters, or like strokes or circles.
const lookalikes = "ıȷƅɑɡƨƽƴƿȝſƒ" +
	"асԁеһіјӏорԛѕԝхуѵьъпгҽѡү" +
	"αγηικνορστυχωϲϳ" +
	"օսոհյցգզքլ" +
	"სოიყძხჽჿ" + "סוחןיװײ" + "اه٥٧" +
	"ノンソゾ丶丿一ー〇ロ口エ工ニ二トハ八へヘ" +
	"०൦೦໐๐ဝ၀৪੪૦௦౦๒"

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

// isPrivate reports whether r is an iprivate character, which may stand in a query.
func isPrivate(r rune) bool {
	return 0xe000 <= r && r <= 0xf8ff || 0xf0000 <= r && r <= 0x10fffd && r&0xffff < 0xfffe
}

// isBidiControl reports whether r is a bidirectional formatting character: one of RFC 3987 §4.1, U+061C or an isolate.
func isBidiControl(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// isVisible reports whether a reader can see r and can tell it from other characters. Spaces and unassigned, format
// and private characters are not visible.
func isVisible(r rune) bool {
	const brailleBlank = 0x2800
	return unicode.IsPrint(r) && r != ' ' && r != brailleBlank && r != utf8.RuneError &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && !unicode.Is(unicode.Variation_Selector, r)
}

// isRTL reports whether r is in a block of a script that is written from right to left. This includes the digits of
// such a script.
func isRTL(r rune) bool {
	return 0x590 <= r && r < 0x900 || 0xfb1d <= r && r < 0xfe00 || 0xfe70 <= r && r < 0xff00 ||
		0x10800 <= r && r < 0x11000 || 0x1e800 <= r && r < 0x1f000
}

// delimiters are characters that look like one of ":/?#[]@!$&'()*+,;=.%\", or that IDNA maps to one.
const delimiters = "؟\u037e։׃܃܄∶꞉ː˸︓⁚᛬᠃᠉ꓽ⁄∕⧸⟋╱㇓〳Ⳇ⁁𝈺⼃丿ノ᜵⫽⫻⁒⧵∖⧹⟍╲﹨丶⼂ʔɁॽꛫ⁈⁇⁉❓❔∙·‧・･․‥…。｡ꓸ꘎𐩐𝅭٠۰܁܂•‚٫，؍、､；;⁏؛＝꓿᐀⹀゠﹦♯⋕﹟﹫﹪٪⁒﹠﹡﹢﹕﹖﹗﹐﹒﹔﹙﹚ǃⵑ‼ʹʼˈ′‘’❛❜"

// imitates reports whether r looks like a delimiter of URLs.
func imitates(r rune) bool {
	fullwidth := 0xff01 <= r && r <= 0xff5e && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	return fullwidth || strings.ContainsRune(delimiters, r)
}
