// Package compare reads one URL as five parsers do, and says whether they agree
// on where it goes.
//
//	http://good.example\@evil.example/
//
//	WHATWG   http good.example 80      a browser takes "\" for "/"
//	RFC 3986 refuses it; who divides it all the same comes to evil.example
//	net/url  refuses it
//
// A program that checks a URL by one parser and opens it by another can be led
// where it must not go. [Agree] answers the one question that it has to ask;
// [Read] shows all readings, where they part, and why.
//
// Notable divergences:
//   - RFC 1738 and RFC 1630 knew fewer octets and hosts than are in use. What
//     they refuse and the others agree on is agreed.
//   - A text that RFC 3986 refuses from the path on is agreed on: whoever lets
//     it through comes to the same place.
package compare

import (
	"slices"
	"strings"

	"locus/url"
)

// A Parser is one of those that read a URL.
type Parser uint8

// The parsers, in the order in which [Read] gives their readings.
const (
	RFC1738 Parser = iota
	RFC1630
	RFC3986
	WHATWG // the URL Standard of the browsers
	Go     // net/url
)

// String returns the name: "RFC 1738", "WHATWG", "net/url".
func (p Parser) String() string {
	return [...]string{"RFC 1738", "RFC 1630", "RFC 3986", "WHATWG", "net/url"}[p]
}

// A Reading is what one parser makes of a text.
type Reading struct {
	Parser Parser

	// Parts are as the parser gives them: of the RFCs, how the text divides even
	// if they refuse it; of the others, zero if they refuse it.
	Parts url.Parts

	// Err says why the parser refuses the text; nil if it does not. It shows no
	// password.
	Err error

	// Place is where the text leads by this reading, even if the parser refuses
	// it for what stands beside the scheme, the host and the port. It is zero if
	// it leads nowhere.
	Place Place

	// Sure reports whether the parser objects to nothing before the path.
	Sure bool
}

// A Comparison is a text and its readings.
type Comparison struct {
	Text     string
	Readings [5]Reading // by Parser
	Findings []Finding  // in the order of their offsets
}

// Read reads text as every parser does. It never fails.
func Read(text string) Comparison {
	c := Comparison{Text: text, Readings: [...]Reading{
		readRFC(RFC1738, url.RFC1738, text),
		readRFC(RFC1630, url.RFC1630, text),
		readRFC(RFC3986, url.RFC3986, text),
		readWHATWG(text),
		readGo(text),
	}}
	c.Findings = findings(&c)
	return c
}

// Agree returns the place where text leads by every parser. The error is a
// [*Disagreement] if they do not agree: if two readings lead to different
// places, or if RFC 3986, WHATWG or net/url objects to something before the
// path. It speaks for these five: what other parsers are known to trip over,
// such as a "#" that ends the host, is in the Findings of [Read].
func Agree(text string) (Place, error) {
	c := Read(text)
	if p, ok := c.Agree(); ok {
		return p, nil
	}
	return Place{}, &Disagreement{Comparison: c}
}

// Agree returns the place that all readings lead to, and whether they do. See
// [Agree].
func (c *Comparison) Agree() (Place, bool) {
	place := c.Readings[WHATWG].Place
	for _, r := range c.Readings {
		if r.Parser >= RFC3986 && !r.Sure || r.Place != (Place{}) && r.Place != place {
			return Place{}, false
		}
	}
	return place, true
}

// Differ reports whether the parsers that accept the text give different values
// for a part, folded as [Place] says: the case of scheme and host, the default
// port, escapes that need not be.
func (c *Comparison) Differ(n url.PartName) bool {
	var first *url.Part
	for i := range c.Readings {
		r := &c.Readings[i]
		if r.Err != nil {
			continue
		}
		value := r.folded(n)
		if first != nil && *first != value {
			return true
		}
		first = &value
	}
	return false
}

// Classes returns the classes of the findings over which the readings part,
// each once.
func (c *Comparison) Classes() []Class {
	var classes []Class
	for _, f := range c.Findings {
		if f.Parted && !slices.Contains(classes, f.Class) {
			classes = append(classes, f.Class)
		}
	}
	return classes
}

// A Disagreement says that the parsers do not agree on where a text leads.
type Disagreement struct{ Comparison Comparison }

// Error names the classes of what they part over. It shows nothing of the text.
func (d *Disagreement) Error() string {
	var names []string
	for _, class := range d.Comparison.Classes() {
		names = append(names, string(class))
	}
	return "parsers disagree on where the URL leads: " + strings.Join(names, ", ")
}
