package markup

import (
	"strings"
	"sync"
)

// Names is a set of short names. It is quicker than a map where most names are of the set, or
// begin and end otherwise. It does not change, so several goroutines may use it.
type Names struct{ slots [256][]string }

// NewNames returns the set of the names in a text, with white space between them.
func NewNames(text string) *Names {
	n := new(Names)
	for name := range strings.FieldsSeq(text) {
		at := slotOf(name)
		n.slots[at] = append(n.slots[at], name)
	}
	return n
}

// Has reports whether a name is in the set.
func (n *Names) Has(name string) bool {
	_, ok := find(n, name)
	return ok
}

// find returns the name of the set that is equal to a text.
func find[T string | []byte](n *Names, text T) (string, bool) {
	if len(text) == 0 {
		return "", false
	}
	for _, name := range n.slots[slotOf(text)] {
		if name == string(text) { // without an allocation
			return name, true
		}
	}
	return "", false
}

// slotOf returns the slot for a name, which is not empty.
func slotOf[T string | []byte](name T) byte {
	return name[0]*37 ^ name[len(name)-1]*11 ^ name[len(name)/2]*3 ^ byte(len(name))*101
}

// rawNames are the elements that hold no tags: their content ends at their end tag
// (HTML §13.1.2).
const rawNames = "iframe noembed noframes noscript plaintext script style textarea title xmp"

var rawElements = sync.OnceValue(func() *Names { return NewNames(rawNames) })

// knownNames are the names that are often asked for. To return one costs no allocation.
var knownNames = sync.OnceValue(func() *Names {
	return NewNames(rawNames + " a area audio b base body br button code dd div dl dt em form h1 h2 h3 h4 h5 h6 head hr html i img input li link main meta nav object ol option p pre section small source" +
		" span strong sub sup svg table tbody td th thead tr tt u ul use var video" +
		" align alt aria-hidden aria-label border cellpadding cellspacing charset checked class colspan content data-title disabled for height http-equiv id lang media name property rel role rowspan" +
		" summary tabindex target type valign value width" +
		" href src poster data action formaction cite background longdesc manifest profile classid codebase usemap lowsrc dynsrc xlink:href icon itemid" +
		" itemtype data-src data-href ping archive srcset imagesrcset data-srcset")
})

// Lower returns a name as a Tokenizer of HTML has it: in lower case, without NUL.
func Lower(name []byte) string { return lower(knownNames(), name) }

// lower returns what Lower does. It allocates nothing for a known name.
func lower(known *Names, name []byte) string {
	if text, ok := find(known, name); ok {
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
