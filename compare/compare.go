// Package compare reads one URL as nine parsers do, and says whether they agree
// on where it leads.
//
//	http://good.example\@evil.example/
//
//	WHATWG         http good.example:80      a browser reads "\" as "/"
//	PHP parse_url  http evil.example:80
//	net/url        refuses it
//
// A program that checks a URL with one parser and opens it with another can be
// led to a host that it did not check. [Agree] tells whether that can happen.
// [Read] shows every reading, where the readings differ, and why.
//
// RFC 1738 and RFC 1630 are read too, but no parser in wide use keeps to them.
// Where only they read a URL differently, that is a note and not a
// disagreement.
//
// Notable divergences:
//   - The models of curl, Python, Java and PHP are of one version each. They
//     are held to what the real program answered, in testdata.
//   - A parser that refuses a URL does not disagree, unless it is WHATWG or
//     net/url and refuses it for something before the path.
package compare

import (
	"io/fs"
	"slices"
	"strings"

	"locus/url"
)

// A Parser is one of the parsers that read a URL.
type Parser uint8

// The parsers, in the order in which [Read] gives their readings.
const (
	RFC1738 Parser = iota
	RFC1630
	RFC3986
	WHATWG // the URL Standard of the browsers
	Go     // net/url
	Curl
	Python // urllib.parse
	Java   // java.net.URI
	PHP    // parse_url

	parserCount = iota
)

// A Reading is what one parser makes of a text.
type Reading struct {
	Parser Parser

	// Parts are as the parser returns them. If the parser refuses the text they
	// are zero, but for an RFC they are how the text divides by its grammar.
	Parts url.Parts

	// Err says why the parser refuses the text; nil if it does not. It shows no
	// password.
	Err error

	// Place is where the text leads by this reading; zero if it leads nowhere.
	// It is set for a refused text too if the scheme, the host and the port are
	// not the reason.
	Place Place

	// Sure reports whether the parser objects to nothing before the path.
	Sure bool
}

// A Comparison is a text and its readings.
type Comparison struct {
	Text     string
	Readings [parserCount]Reading // by Parser
	Findings []Finding            // in the order of their offsets
}

// Read reads text as every parser does. It never fails.
func Read(text string) Comparison {
	c := Comparison{Text: text, Readings: [...]Reading{
		readRFC(RFC1738, url.RFC1738, text),
		readRFC(RFC1630, url.RFC1630, text),
		readRFC(RFC3986, url.RFC3986, text),
		readAs(WHATWG, whatwgParts, text),
		readGo(text),
		readAs(Curl, curlParts, text),
		readAs(Python, pythonParts, text),
		readAs(Java, javaParts, text),
		readAs(PHP, phpParts, text),
	}}
	c.Findings = findings(&c)
	return c
}

// Agree returns the place where text leads. The error is a [*Disagreement] if
// two parsers in use lead to different places, or if WHATWG or net/url objects to
// something before the path. Do not open a URL from a stranger then: what checked
// it may have checked another host.
//
// Agree speaks for the parsers of this package. What other parsers are known to
// read differently, such as a "#" that ends the host, is in the Findings of
// [Read].
func Agree(text string) (Place, error) {
	c := Read(text)
	if p, ok := c.Agree(); ok {
		return p, nil
	}
	return Place{}, &Disagreement{Comparison: c}
}

// Agree returns the place where the text leads, and whether the parsers agree on
// it. See [Agree].
func (c *Comparison) Agree() (Place, bool) {
	if !c.Readings[WHATWG].Sure || !c.Readings[Go].Sure {
		return Place{}, false
	}
	place := c.Readings[WHATWG].Place
	for i := range c.Readings {
		r := &c.Readings[i]
		if r.inUse() && r.Place != place && r.Place != (Place{}) {
			return Place{}, false
		}
	}
	return place, true
}

// inUse reports whether there is software that goes by the reading. How the
// older RFCs divide a text, and how RFC 3986 divides one that it refuses, is of
// interest only.
func (r *Reading) inUse() bool {
	return r.Parser > RFC3986 || r.Parser == RFC3986 && r.Err == nil
}

// isNoted reports whether any reading leads elsewhere, or is refused by RFC 3986
// for something before the path.
func (c *Comparison) isNoted() bool {
	place := c.Readings[WHATWG].Place
	return !c.Readings[RFC3986].Sure || slices.ContainsFunc(c.Readings[:], func(r Reading) bool {
		return r.Place != place && r.Place != (Place{})
	})
}

// Differ reports whether the parsers in use that accept the text give different
// values for a part. Values are folded as [Place] says: the case of scheme and
// host, the default port, and escapes that are not needed do not count.
func (c *Comparison) Differ(n url.PartName) bool { return differ(c.Readings[RFC3986:], n) }

func differ(readings []Reading, n url.PartName) bool {
	var first *url.Part
	for i := range readings {
		r := &readings[i]
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

// Classes returns the classes of the findings over which parsers in use differ,
// each once. Notes are not among them.
func (c *Comparison) Classes() []Class {
	var classes []Class
	for _, f := range c.Findings {
		if f.Parted && !slices.Contains(classes, f.Class) {
			classes = append(classes, f.Class)
		}
	}
	return classes
}

// A Disagreement is the error for a text that leads to different places.
type Disagreement struct{ Comparison Comparison }

// Error names the classes of the reasons. It shows nothing of the text.
func (d *Disagreement) Error() string {
	var names []string
	for _, class := range d.Comparison.Classes() {
		names = append(names, string(class))
	}
	return "parsers disagree on where the URL leads: " + strings.Join(names, ", ")
}

// Unwrap returns fs.ErrPermission: whoever acts on the error refuses the URL.
func (d *Disagreement) Unwrap() error { return fs.ErrPermission }
