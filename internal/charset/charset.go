// Package charset finds character sets by name.
//
// There are two lists of names. The web has that of the WHATWG's Encoding standard (§4.2),
// in which "iso-8859-1" and "us-ascii" are windows-1252. Elsewhere names mean what IANA has
// registered. golang.org/x/text has both lists as packages, which bring the tables of
// x/text/language and 1500 names along, most of them of character sets that it does not have.
package charset

import (
	"strings"

	"golang.org/x/text/encoding"
)

// Web returns the character set with a label of the Encoding standard. Case, and space
// around it, do not matter. ok is false if there is none.
func Web(label string) (e encoding.Encoding, ok bool) {
	e, ok = web[normal(label)]
	return e, ok
}

// Registered returns the character set with a name that IANA has registered, or with another
// label of the Encoding standard. Case, and space around it, do not matter. ok is false if
// there is none.
func Registered(name string) (e encoding.Encoding, ok bool) {
	if e, ok = registered[normal(name)]; ok {
		return e, true
	}
	e, ok = Web(name)
	return e, ok && e != encoding.Replacement
}

func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// A row is a character set with its names, between blanks.
type row struct {
	encoding encoding.Encoding
	names    string
}

var (
	web        = byName(webRows())
	registered = byName(registeredRows())
)

func byName(rows []row) map[string]encoding.Encoding {
	all := make(map[string]encoding.Encoding)
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.names) {
			all[name] = r.encoding
		}
	}
	return all
}
