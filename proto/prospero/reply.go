package prospero

import (
	"fmt"
	"strings"

	"locus/access"
)

// A Link is an entry of a directory.
type Link struct {
	Type        string      // "L", "U" (its target's links belong here, too), "I" (not shown), "FP"
	Target      string      // a hint: FILE, DIRECTORY, DIRECTORY+FILE, OBJECT, EXTERNAL, SYMBOLIC, NULL
	Name        string      // of the link
	HostType    string      // INTERNET-D is a name of DNS or an address
	Host        string      // as it came, with "(port)" if it has one
	HsonameType string      // ASCII
	Hsoname     string      // opaque
	Version     string      // "0" is the current one
	Expires     string      // the time after DEST-EXP; "" if there is none
	Attributes  []Attribute // in the order of the server
}

// An Attribute is what a server says about an object or a link.
type Attribute struct {
	Applies string   // OBJECT, LINK, CACHED, REPLACEMENT or ADDITIONAL
	Space   string   // FIELD, INTRINSIC or APPLICATION
	Name    string   // "SIZE"
	Type    string   // SEQUENCE (once called ASCII), LINK or FILTER
	Values  []string // what follows
	Depth   int      // 0; 1 for an attribute of the link that is the attribute before, and so on
}

// An Object is all that a server says about an object. It is the Sys of what
// [Client] opens and stats.
type Object struct {
	Attributes []Attribute
	Warnings   []string // what the server says besides
}

// A reply is a message from a server.
type reply struct {
	Object
	links      []Link
	forwarded  *Link    // where FORWARDED leads
	unresolved []string // UNRESOLVED
	none       bool     // NONE-FOUND
	version    string   // what the server says it is
	others     int      // lines that are none of these
	err        error    // the failure that ended it
}

const maxLinks = 1 << 17

// parseReply reads a message. Lines that are not known, or not well-formed, are
// left out.
func parseReply(text []byte) (reply, error) {
	var r reply
	for l := (lexer{text: text}); ; {
		tokens, more, err := l.next()
		if err != nil {
			return reply{}, err
		}
		if !more {
			return r, nil
		}
		if len(tokens) == 0 {
			continue
		}
		r.line(tokens)
		if len(r.links) > maxLinks {
			return reply{}, fmt.Errorf("%w: more than %d links", access.ErrTooLong, maxLinks)
		}
	}
}

func (r *reply) line(tokens []string) {
	word, rest := tokens[0], tokens[1:]
	if reason, ok := reasonOf(tokens); ok {
		if r.err == nil {
			r.err = refusal(strings.Join(tokens, " "), reason)
		}
		return
	}
	switch word {
	case "LINK":
		if l, ok := parseLink(rest); ok {
			r.links = append(r.links, l)
		}
	case "ID":
		r.attribute(Attribute{Applies: "LINK", Space: "FIELD", Name: "ID", Type: "SEQUENCE", Values: clone(rest)})
	case "FORWARDED":
		r.forward(rest)
	case "NONE-FOUND":
		r.none = true
	case "UNRESOLVED":
		r.unresolved = components(rest)
	case "WARNING":
		r.Warnings = append(r.Warnings, strings.Join(rest, " "))
	case "VERSION":
		r.version = strings.Join(rest, " ")
	default:
		a, ok := parseAttribute(word, rest)
		if !ok {
			r.others++
			return
		}
		r.attribute(a)
	}
}

// components reads the two forms of UNRESOLVED: tokens, or one with slashes.
func components(tokens []string) []string {
	if len(tokens) == 1 {
		return strings.Split(tokens[0], "/")
	}
	return clone(tokens)
}

// attribute adds to the link before, or to the object if there is none.
func (r *reply) attribute(a Attribute) {
	if n := len(r.links); n > 0 {
		r.links[n-1].Attributes = append(r.links[n-1].Attributes, a)
		return
	}
	r.Attributes = append(r.Attributes, a)
}

// forward reads host-type host hsoname-type hsoname version.
func (r *reply) forward(tokens []string) {
	if l, ok := parseLink(append([]string{"FP", "OBJECT", ""}, tokens...)); ok {
		r.forwarded = &l
	}
}

// parseLink reads the tokens after LINK:
//
//	L FILE with-id INTERNET-D host1.example.org ASCII '/pub/x' 7 DEST-EXP 20301231235959Z
//
// What follows that is left out, as is the number at the end of a
// FORWARDING-POINTER.
func parseLink(tokens []string) (Link, bool) {
	if len(tokens) < 8 {
		return Link{}, false
	}
	l := Link{
		Type: tokens[0], Target: tokens[1], Name: tokens[2], HostType: tokens[3],
		Host: tokens[4], HsonameType: tokens[5], Hsoname: tokens[6], Version: tokens[7],
	}
	if len(tokens) > 9 && tokens[8] == "DEST-EXP" {
		l.Expires = tokens[9]
	}
	return l, true
}

// parseAttribute reads a line whose first word is ATTRIBUTE, with a ">" for each
// level of nesting, and then
//
//	applies-to namespace name [ SEQUENCE | LINK | FILTER ] values
//
// QUIRK: the server of 1994 leaves the type out for the fields that it knows.
func parseAttribute(word string, tokens []string) (Attribute, bool) {
	depth, ok := strings.CutPrefix(word, "ATTRIBUTE")
	if !ok || strings.Trim(depth, ">") != "" || len(tokens) < 3 {
		return Attribute{}, false
	}
	a := Attribute{Applies: tokens[0], Space: tokens[1], Name: tokens[2], Type: "SEQUENCE", Depth: len(depth)}
	values := tokens[3:]
	if a.Space == "FIELD" {
		a.Type = fieldType(a.Name)
	}
	if len(values) > 0 && (values[0] == a.Type || a.Space != "FIELD") {
		a.Type, values = values[0], values[1:]
	}
	a.Values = clone(values)
	return a, true
}

// fieldType gives the type that the field of a name has.
func fieldType(name string) string {
	switch name {
	case "FILTER":
		return "FILTER"
	case "FORWARDING-POINTER":
		return "LINK"
	}
	return "SEQUENCE"
}

func clone(tokens []string) []string { return append([]string(nil), tokens...) }

// values gives the values of each attribute of the name, whatever its space.
func values(attributes []Attribute, name string) [][]string {
	var found [][]string
	for _, a := range attributes {
		if a.Name == name && a.Depth == 0 {
			found = append(found, a.Values)
		}
	}
	return found
}

// value gives the first value of the first attribute of the name.
func value(attributes []Attribute, name string) string {
	for _, v := range values(attributes, name) {
		if len(v) > 0 {
			return v[0]
		}
	}
	return ""
}
