// Package charset finds character sets by name.
//
// Names come from two lists. The web uses the list of the WHATWG's Encoding standard
// (§4.2), in which "iso-8859-1" and "us-ascii" are windows-1252. Elsewhere names have the
// meaning that IANA has registered. This package does not use the lists in
// golang.org/x/text, because they need the tables of x/text/language and 1500 names,
// most of them for character sets that x/text lacks.
package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"locus/internal/lazy"
)

// Web returns the character set for a label of the Encoding standard. It ignores case and space
// around the label. ok is false for an unknown label.
func Web(label string) (e encoding.Encoding, ok bool) {
	e, ok = web.Get()[normal(label)]
	return e, ok
}

// Legacy returns the character set in which browsers send the queries of a page. label is the label
// of the page's character set in the Encoding standard. It returns nil for UTF-8 and UTF-16, whose
// pages send UTF-8, and for an unknown label.
func Legacy(label string) encoding.Encoding {
	e, ok := Web(label)
	switch e {
	case unicode.UTF8, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), encoding.Replacement:
		return nil
	}
	if !ok {
		return nil
	}
	return e
}

// Registered returns the character set with a name that IANA has registered. For other names it
// returns the character set with this label in the Encoding standard. It ignores case and space
// around the name. ok is false for an unknown name.
func Registered(name string) (e encoding.Encoding, ok bool) {
	if e, ok = registered.Get()[normal(name)]; ok {
		return e, true
	}
	e, ok = Web(name)
	return e, ok && e != encoding.Replacement
}

// normal returns name in lower case, without space around it.
func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// A row is a character set with its names, between blanks.
type row struct {
	encoding encoding.Encoding
	names    string
}

var (
	web        = lazy.Value[map[string]encoding.Encoding]{Make: func() map[string]encoding.Encoding { return byName(webRows()) }}
	registered = lazy.Value[map[string]encoding.Encoding]{Make: func() map[string]encoding.Encoding { return byName(registeredRows()) }}
)

// byName returns a map from each name in rows to its encoding.
func byName(rows []row) map[string]encoding.Encoding {
	all := make(map[string]encoding.Encoding)
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.names) {
			all[name] = r.encoding
		}
	}
	return all
}
