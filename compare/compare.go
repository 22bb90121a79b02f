// Package compare reads one URL as thirteen parsers do, and reports whether they agree on its scheme, host and port.
//
//	http://good.example\@evil.example/
//
//	WHATWG         http good.example:80      a browser reads "\" as "/"
//	PHP parse_url  http evil.example:80
//	net/url        refuses it
//
// A program that checks a URL with one parser and opens it with another can be led to a host that it did not check.
// [Agree] tells whether that can happen. [Read] returns every reading, and where and why the readings differ.
//
// The package also reads a URL by RFC 1738 and RFC 1630, although no parser in wide use follows them. A difference in
// these two readings is therefore a note and not a disagreement.
//
// # How the pieces work together
//
// [Read] gives the text to each parser in turn. A parser is a function that returns the parts of the text or an error.
// read.go has the parsers of the RFCs, the URL Standard and net/url, which this program can call. The others are
// written in other languages, so each has a model in a file that is named for its program (curl.go, python.go, java.go,
// php.go, phpuri.go, ruby.go, perl.go, node.go). origin.go reduces the parts of each reading to an [Origin] in a
// normalized form, because two spellings of one host lead to the same server.
//
// When all readings are there, a finder looks in the text for the reasons of their differences, from the scheme to the
// fragment (findings.go). It keeps the first place of each [Class] (classes.go), and first looks for reasons over which
// parsers in use differ, so that a note cannot hide one. [Agree] compares only these parsers, and therefore refuses a
// URL only for a difference that a program could meet. All of this runs in the caller's goroutine and keeps no state.
//
// Notable divergences:
//   - Each of the models of curl, Python, Java, PHP, Ruby, Perl and Node.js follows one version. Tests
//     compare them with the answers of the real programs, in testdata.
//   - Node's url.parse reads a host in a URL such as x:h, which has no "//". The reading here has
//     the text after the scheme as the path, because the parsers would disagree about every such
//     URL otherwise. A finding notes the host.
//   - A parser that refuses a URL does not disagree, except that WHATWG and
//     net/url disagree if they refuse it because of an error before the path.
package compare

import (
	"io/fs"
	"slices"
	"strings"

	"locus/url"
)

// A Parser is one of the parsers that read a URL.
type Parser uint8

// The parsers, in the order of the readings of [Read].
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
	Ruby   // URI.parse
	Perl   // URI
	Node   // the legacy url.parse
	PHPURI // Uri\Rfc3986\Uri

	parserCount = iota
)

// A Reading is the result of one parser for a text.
type Reading struct {
	Parser Parser

	// Parts are the parts as the parser returns them. If the parser refuses the text, they are zero, except that an
	// RFC has the parts into which its grammar divides the text.
	Parts url.Parts

	// Err is the error of the parser, or nil if it accepts the text. It does not show a password.
	Err error

	// Origin is the origin of the text in this reading. It is zero if the parser refuses the scheme, the host or the
	// port. It is set for a text that the parser refuses for another reason.
	Origin Origin

	// Sure reports whether the parser has no error before the path.
	Sure bool
}

// A Comparison is a text and its readings.
type Comparison struct {
	Text     string
	Readings [parserCount]Reading // by Parser
	Findings []Finding            // in the order of their offsets
}

// Read reads text with every parser. It never fails.
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
		readAs(Ruby, rubyReading, text),
		readAs(Perl, perlReading, text),
		readAs(Node, nodeReading, text),
		readAs(PHPURI, phpURIParts, text),
	}}
	c.Findings = findings(&c)
	return c
}

// Agree returns the origin of text. The error is a [*Disagreement] if two parsers in use read different origins, or if
// WHATWG or net/url has an error before the path. Do not open a URL from a stranger after an error, because the
// program that checked the URL may have checked another host.
//
// Agree considers only the parsers of this package. The Findings of [Read] also mention text that other parsers are
// known to read differently, such as a "#" that ends the host.
func Agree(text string) (Origin, error) {
	c := Read(text)
	if p, ok := c.Agree(); ok {
		return p, nil
	}
	return Origin{}, &Disagreement{Comparison: c}
}

// Agree returns the origin of the text and true if the parsers agree on it. Otherwise it returns the zero Origin and
// false, in the cases in which the function [Agree] returns an error.
func (c *Comparison) Agree() (Origin, bool) {
	if !c.Readings[WHATWG].Sure || !c.Readings[Go].Sure {
		return Origin{}, false
	}
	origin := c.Readings[WHATWG].Origin
	for i := range c.Readings {
		r := &c.Readings[i]
		if r.inUse() && r.Origin != origin && r.Origin != (Origin{}) {
			return Origin{}, false
		}
	}
	return origin, true
}

// inUse reports whether programs in use read the text as r does. It is false for RFC 1738 and RFC 1630, and for RFC
// 3986 if it refuses the text. Such readings only lead to notes.
func (r *Reading) inUse() bool {
	return r.Parser > RFC3986 || r.Parser == RFC3986 && r.Err == nil
}

// isNoted reports whether any reading, even one that is not in use, has an origin other than WHATWG's, or whether RFC
// 3986 has an error before the path.
func (c *Comparison) isNoted() bool {
	origin := c.Readings[WHATWG].Origin
	return !c.Readings[RFC3986].Sure || slices.ContainsFunc(c.Readings[:], func(r Reading) bool {
		return r.Origin != origin && r.Origin != (Origin{})
	})
}

// Differ reports whether the parsers in use that accept the text return different values for a part. Values are
// normalized as for an [Origin]: the case of scheme and host, a default port, and needless escapes make no difference.
func (c *Comparison) Differ(n url.PartName) bool { return differ(c.Readings[RFC3986:], n) }

// Odd reports whether p returns another value for a part than WHATWG, the parser of the browsers. Values are normalized
// as for [Comparison.Differ]. Odd is false if p or WHATWG refuses the text.
func (c *Comparison) Odd(p Parser, n url.PartName) bool {
	r, browser := &c.Readings[p], &c.Readings[WHATWG]
	return r.Err == nil && browser.Err == nil && r.folded(n) != browser.folded(n)
}

// differ reports whether two of the readings have different normalized values for the part n. It ignores readings that
// refuse the text.
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

// Classes returns the classes of the findings over which parsers in use differ, each once, in the order of the
// findings. It does not return the classes of notes.
func (c *Comparison) Classes() []Class {
	var classes []Class
	for _, f := range c.Findings {
		if f.Disagrees && !slices.Contains(classes, f.Class) {
			classes = append(classes, f.Class)
		}
	}
	return classes
}

// A Disagreement is the error for a text on whose origin parsers do not agree.
type Disagreement struct{ Comparison Comparison }

// Error names the classes that [Comparison.Classes] returns. It does not show the text.
func (d *Disagreement) Error() string {
	var names []string
	for _, class := range d.Comparison.Classes() {
		names = append(names, string(class))
	}
	return "parsers disagree on where the URL leads: " + strings.Join(names, ", ")
}

// Unwrap returns fs.ErrPermission, because a program refuses such a URL.
func (d *Disagreement) Unwrap() error { return fs.ErrPermission }
