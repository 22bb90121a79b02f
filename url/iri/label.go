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

// hostToIRI returns the host of p, with those labels in Unicode that show accepts.
// It returns the host unchanged if [ToURI] would not lead back to it.
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

// labelToUnicode decodes an "xn--" label. It returns false if IDNA would not lead
// back to the label, or if a character is invisible.
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

func isHidden(r rune) bool {
	return r >= utf8.RuneSelf && (!isUcschar(r) || isBidiControl(r) || !isVisible(r))
}

// isHonest reports whether [Display] may show a label in Unicode.
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

// isUsual reports whether r is a letter, mark or digit that names are written with.
// Marks of no script are not, as they can be put over any letter. Phonetic letters
// are not; nor are clicks, which look like "|" and "!".
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

// scriptOf returns the name of r's script if it is in wide use, or "".
func scriptOf(r rune) string {
	for _, name := range usualScripts {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return ""
}

// isUsualMixture reports whether one label may mix scripts (UTS 39 §5.2, highly
// restrictive).
func isUsualMixture(scripts []string) bool {
	within := func(usual ...string) bool {
		return !slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(usual, s) })
	}
	return len(scripts) <= 1 || within("Latin", "Han", "Hiragana", "Katakana") ||
		within("Latin", "Han", "Bopomofo") || within("Latin", "Han", "Hangul")
}

// digitSystem returns a number for r's system of digits; -1 if r is no digit.
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

// lookalikes are letters and digits that look like ASCII letters, or like strokes or
// circles.
const lookalikes = "ıȷƅɑɡƨƽƴƿȝſƒ" +
	"асԁеһіјӏорԛѕԝхуѵьъпгҽѡү" +
	"αγηικνορστυχωϲϳ" +
	"օսոհյցգզքլ" +
	"სოიყძხჽჿ" + "סוחןיװײ" + "اه٥٧" +
	"ノンソゾ丶丿一ー〇ロ口エ工ニ二トハ八へヘ" +
	"०൦೦໐๐ဝ၀৪੪૦௦౦๒"
