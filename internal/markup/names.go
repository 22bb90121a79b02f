package markup

import (
	"encoding/binary"
	"strings"
)

// Names is a set of names. It is quicker than a map if most of the names looked up are short and in the set. Several
// goroutines may use it at once, because it never changes.
type Names struct {
	short [shortNames]shortName
	long  map[string]string // the names that are not short, each mapped to itself
}

// A shortName is a name of at most 8 bytes, with these bytes as a number. The number is 0 in an unused entry.
type shortName struct {
	bytes uint64
	name  string
}

// shortNames is the size of the hash table of short names. It is several times the number of names, so that most
// names are in their own slot.
const shortNames = 512

// NewNames returns the set of the names in text, which are separated by white space.
func NewNames(text string) *Names {
	n := &Names{long: map[string]string{}}
	for name := range strings.FieldsSeq(text) {
		word, isShort := wordOf([]byte(name))
		if !isShort {
			n.long[name] = name
			continue
		}
		at := slotOf(word)
		for n.short[at].bytes != 0 && n.short[at].bytes != word {
			at = (at + 1) % shortNames
		}
		n.short[at] = shortName{word, name}
	}
	return n
}

// Has reports whether the set contains name.
func (n *Names) Has(name string) bool {
	_, ok := n.find([]byte(name))
	return ok
}

// find returns the name in the set that equals text. ok is false if the set has no such name. It does not allocate.
func (n *Names) find(text []byte) (name string, ok bool) {
	word, isShort := wordOf(text)
	if !isShort {
		name, ok := n.long[string(text)]
		return name, ok
	}
	for at := slotOf(word); n.short[at].bytes != 0; at = (at + 1) % shortNames {
		if n.short[at].bytes == word {
			return n.short[at].name, true
		}
	}
	return "", false
}

// findLower returns the name in the set that equals text in lower case. ok is false if the set has no such name.
func (n *Names) findLower(text []byte) (name string, ok bool) {
	if name, ok := n.find(text); ok {
		return name, true
	}
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			return n.find([]byte(lower(n, text)))
		}
	}
	return "", false
}

// wordOf returns the bytes of a short text as a number. isShort is false if text does not have 1 to 8 bytes, or if
// its last byte is NUL, because a shorter text would have the same number.
func wordOf(text []byte) (word uint64, isShort bool) {
	size := len(text)
	if size == 0 || size > 8 || text[size-1] == 0 {
		return 0, false
	}
	if cap(text) >= 8 { // read 8 bytes and mask the bytes after text
		return binary.LittleEndian.Uint64(text[:8]) & (1<<(8*size) - 1), true
	}
	for i, c := range text {
		word |= uint64(c) << (8 * i)
	}
	return word, true
}

// slotOf returns the hash of a short name: the index in short from which to look for it.
func slotOf(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 >> (64 - 9) }

// isRaw reports whether the content of an element is raw text, which has no tags and ends at the element's end tag
// (HTML §13.1.2).
func isRaw(name string) bool {
	switch name {
	case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}

// knownNames are common names of elements and attributes. lower returns them without an allocation.
var knownNames = NewNames("iframe noembed noframes noscript plaintext script style textarea title xmp" +
	" a area audio b base blockquote body br button code dd details dfn div dl dt em footer form h1 h2 h3 h4 h5 h6 head header hr html i img input label li link main meta nav object ol option p pre section small source" +
	" span strong sub sup svg table tbody td th thead tr tt u ul use var video wbr" +
	" align alt as aria-hidden aria-label border cellpadding cellspacing charset checked class colspan content crossorigin data-title defer disabled for height http-equiv id lang media name onclick open placeholder property rel role rowspan" +
	" summary tabindex target type valign value width" +
	" href src poster data action formaction cite background longdesc manifest profile classid codebase usemap lowsrc dynsrc xlink:href icon itemid" +
	" itemtype data-src data-href ping archive srcset imagesrcset data-srcset")

// Lower returns a name in the form of Token.Name: in lower case, and with NUL replaced by U+FFFD.
func Lower(name []byte) string { return lower(knownNames, name) }

// lower returns a name with its ASCII letters in lower case, and with U+FFFD for each NUL. It does not allocate if
// known has the name in this case.
func lower(known *Names, name []byte) string {
	if text, ok := known.find(name); ok {
		return text
	}
	text := strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c | 0x20
		}
		return c
	}, string(name))
	return strings.ReplaceAll(text, "\x00", "\ufffd")
}
