package markup

import (
	"encoding/binary"
	"strings"
)

// Names is a set of names. It is quicker than a map where most names are of the set and short.
// It does not change, so several goroutines may use it.
type Names struct {
	short [shortNames]shortName
	long  map[string]string // each name by itself
}

// A shortName is a name of at most 8 bytes, and those bytes as a number; 0: there is none.
type shortName struct {
	bytes uint64
	name  string
}

// shortNames is how many short names a set can have. Most of them are free, so that a name is
// at its own place.
const shortNames = 512

// NewNames returns the set of the names in a text, with white space between them.
func NewNames(text string) *Names {
	n := &Names{long: map[string]string{}}
	for name := range strings.FieldsSeq(text) {
		word, isShort := wordOf([]byte(name))
		if !isShort {
			n.long[name] = name
			continue
		}
		at := placeOf(word)
		for n.short[at].bytes != 0 && n.short[at].bytes != word {
			at = (at + 1) % shortNames
		}
		n.short[at] = shortName{word, name}
	}
	return n
}

// Has reports whether a name is in the set.
func (n *Names) Has(name string) bool {
	_, ok := n.find([]byte(name))
	return ok
}

// find returns the name of the set that is equal to a text.
func (n *Names) find(text []byte) (string, bool) {
	word, isShort := wordOf(text)
	if !isShort {
		name, ok := n.long[string(text)]
		return name, ok
	}
	for at := placeOf(word); n.short[at].bytes != 0; at = (at + 1) % shortNames {
		if n.short[at].bytes == word {
			return n.short[at].name, true
		}
	}
	return "", false
}

// findLower returns the name of the set that is equal to the lower case of a text.
func (n *Names) findLower(text []byte) (string, bool) {
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

// wordOf returns the bytes of a text as a number. isShort is false if they are not 1 to 8, or if
// the last one is NUL: a shorter text has the same number.
func wordOf(text []byte) (word uint64, isShort bool) {
	size := len(text)
	if size == 0 || size > 8 || text[size-1] == 0 {
		return 0, false
	}
	if cap(text) >= 8 { // the bytes after it do not count
		return binary.LittleEndian.Uint64(text[:8]) & (1<<(8*size) - 1), true
	}
	for i, c := range text {
		word |= uint64(c) << (8 * i)
	}
	return word, true
}

// placeOf returns the place of a short name.
func placeOf(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 >> (64 - 9) }

// isRaw reports whether an element holds no tags: its content ends at its end tag
// (HTML §13.1.2).
func isRaw(name string) bool {
	switch name {
	case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}

// knownNames are the names that are often asked for. To return one costs no allocation.
var knownNames = NewNames("iframe noembed noframes noscript plaintext script style textarea title xmp" +
	" a area audio b base blockquote body br button code dd details dfn div dl dt em footer form h1 h2 h3 h4 h5 h6 head header hr html i img input label li link main meta nav object ol option p pre section small source" +
	" span strong sub sup svg table tbody td th thead tr tt u ul use var video wbr" +
	" align alt as aria-hidden aria-label border cellpadding cellspacing charset checked class colspan content crossorigin data-title defer disabled for height http-equiv id lang media name onclick open placeholder property rel role rowspan" +
	" summary tabindex target type valign value width" +
	" href src poster data action formaction cite background longdesc manifest profile classid codebase usemap lowsrc dynsrc xlink:href icon itemid" +
	" itemtype data-src data-href ping archive srcset imagesrcset data-srcset")

// Lower returns a name as a Tokenizer of HTML has it: in lower case, without NUL.
func Lower(name []byte) string { return lower(knownNames, name) }

// lower returns what Lower does. It allocates nothing for a known name.
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
