package prospero

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// A Link is a link in a directory. It is the Sys of an entry.
type Link struct {
	Type        string      // "L", "U" (a union link), "I" (invisible), "FP" (a forwarding pointer)
	Target      string      // a hint: FILE, DIRECTORY, DIRECTORY+FILE, OBJECT, EXTERNAL, SYMBOLIC, NULL
	Name        string      // the name of the link
	HostType    string      // INTERNET-D is a DNS name or an IP address
	Host        string      // as received, with "(port)" if it has one
	HsonameType string      // ASCII
	Hsoname     string      // opaque
	Version     string      // "0" is the current version
	Expires     string      // the time after DEST-EXP; "" if there is none
	Attributes  []Attribute // in the server's order
}

// An Attribute is an attribute of an object or a link.
type Attribute struct {
	Applies string // OBJECT, LINK, CACHED, REPLACEMENT or ADDITIONAL
	Space   string // FIELD, INTRINSIC or APPLICATION
	Name    string // "SIZE"
	Type    string // SEQUENCE (formerly ASCII), LINK or FILTER
	Values  []string
	Depth   int // 0; n+1 for an attribute of the link in the preceding attribute of depth n
}

// An Object holds the attributes of an object, as its server sends them. A pointer to it is
// the Sys of every Resource that [Client.Do] returns.
type Object struct {
	Attributes []Attribute
	Warnings   []string // warnings about the request, for people to read
}

// A reply is a parsed message from a server.
type reply struct {
	Object
	links     []Link
	forwarded *Link // the target of FORWARDED; nil if the request was not forwarded
	err       error // the first failure that the server reports; nil if there was no failure
}

const maxLinks = 1 << 17 // links in one reply

// parseReply parses a message. It skips unknown and malformed lines. It returns an error if
// the message ends inside quotes, or has too many links or tokens.
func parseReply(text []byte) (reply, error) {
	var r reply
	l := lexer{line: r.addLine}
	err := l.write(text)
	if err == nil {
		err = l.end()
	}
	if err != nil {
		return reply{}, err
	}
	return r, nil
}

// addLine adds a line, split into tokens, to the reply. It ignores a line without tokens, and
// an unknown or malformed line. The error wraps access.ErrTooLong if there are too many links.
func (r *reply) addLine(tokens []string) error {
	if len(tokens) == 0 {
		return nil
	}
	r.addWords(tokens[0], tokens[1:])
	if len(r.links) > maxLinks {
		return fmt.Errorf("%w: more than %d links", access.ErrTooLong, maxLinks)
	}
	return nil
}

// addWords adds a line to the reply. word is its first token, and rest the other tokens. The
// first line that reports a failure sets r.err. addWords ignores an unknown or malformed line.
func (r *reply) addWords(word string, rest []string) {
	if reason, ok := failureOf(word, rest); ok {
		if r.err == nil {
			r.err = refusal(strings.Join(append([]string{word}, rest...), " "), reason)
		}
		return
	}
	switch word {
	case "LINK":
		if l, ok := parseLink(rest); ok {
			r.links = append(r.links, l)
		}
	case "ID":
		r.addAttribute(Attribute{Applies: "LINK", Space: "FIELD", Name: "ID", Type: "SEQUENCE", Values: append([]string(nil), rest...)})
	case "FORWARDED": // host-type host hsoname-type hsoname version
		if l, ok := parseLink(append([]string{"FP", "OBJECT", ""}, rest...)); ok {
			r.forwarded = &l
		}
	case "WARNING":
		r.Warnings = append(r.Warnings, strings.Join(rest, " "))
	default:
		if a, ok := parseAttribute(word, rest); ok {
			r.addAttribute(a)
		}
	}
}

// addAttribute adds a to the attributes of the last link, or of the object if there are no
// links yet.
func (r *reply) addAttribute(a Attribute) {
	if n := len(r.links); n > 0 {
		r.links[n-1].Attributes = append(r.links[n-1].Attributes, a)
		return
	}
	r.Attributes = append(r.Attributes, a)
}

// parseLink parses the tokens after LINK:
//
//	L FILE with-id INTERNET-D host1.example.org ASCII '/pub/x' 7 DEST-EXP 20301231235959Z
//
// It ignores further tokens, such as the number at the end of a FORWARDING-POINTER. ok is
// false if there are fewer than eight tokens.
func parseLink(tokens []string) (l Link, ok bool) {
	if len(tokens) < 8 {
		return Link{}, false
	}
	l = Link{
		Type: tokens[0], Target: tokens[1], Name: tokens[2], HostType: tokens[3],
		Host: tokens[4], HsonameType: tokens[5], Hsoname: tokens[6], Version: tokens[7],
	}
	if len(tokens) > 9 && tokens[8] == "DEST-EXP" {
		l.Expires = tokens[9]
	}
	return l, true
}

// parseAttribute parses a line. word is its first token: ATTRIBUTE with a ">" for each level
// of nesting. tokens are the other tokens:
//
//	applies-to namespace name [ SEQUENCE | LINK | FILTER ] values
//
// The result is false for another line, or if a token is missing.
//
// QUIRK: the server of 1994 omits the type of a field that it knows.
func parseAttribute(word string, tokens []string) (Attribute, bool) {
	depth, ok := strings.CutPrefix(word, "ATTRIBUTE")
	if !ok || strings.Trim(depth, ">") != "" || len(tokens) < 3 {
		return Attribute{}, false
	}
	a := Attribute{Applies: tokens[0], Space: tokens[1], Name: tokens[2], Type: "SEQUENCE", Depth: len(depth)}
	values := tokens[3:]
	switch {
	case a.Space != "FIELD":
	case a.Name == "FILTER":
		a.Type = "FILTER"
	case a.Name == "FORWARDING-POINTER":
		a.Type = "LINK"
	}
	if len(values) > 0 && (values[0] == a.Type || a.Space != "FIELD") {
		a.Type, values = values[0], values[1:]
	}
	a.Values = append([]string(nil), values...)
	return a, true
}

// values returns the values of each attribute with this name, in any namespace. It ignores the
// attributes of nested links.
func values(attributes []Attribute, name string) [][]string {
	var found [][]string
	for _, a := range attributes {
		if a.Name == name && a.Depth == 0 {
			found = append(found, a.Values)
		}
	}
	return found
}

// value returns the first value of the first attribute with this name that has values. It
// returns "" if there is none.
func value(attributes []Attribute, name string) string {
	for _, v := range values(attributes, name) {
		if len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

const maxError = 8 << 10 // bytes of a datagram that become the text of an error

var (
	errSilence    = errors.New("no reply")
	errConnection = errors.New("the server refuses the connection")
	errRefused    = errors.New("the server refuses the request")
	errNotDir     = errors.New("not a directory")
	errLogin      = sentinel.New("the server requires a login, which a URL cannot give", fs.ErrPermission)
	errVersion    = sentinel.New("the server does not support version 5 of Prospero", errors.ErrUnsupported)
	errNoMethod   = sentinel.New("no supported access method", errors.ErrUnsupported)
	errNothing    = sentinel.New("an empty reply: the server broke the protocol", access.ErrProtocol)
)

// refusal returns the error for a failure that the server reports as text. It wraps means.
func refusal(text string, means error) error {
	return &engine.Refusal{Reply: access.Reply{Text: text}, Means: means}
}

// reasons maps the reason in a FAILURE line to its error.
func reasons() map[string]error {
	return map[string]error{
		"NOT-FOUND":               fs.ErrNotExist,
		"NOT-A-DIRECTORY":         errNotDir,
		"NOT-AUTHORIZED":          fs.ErrPermission,
		"AUTHENTICATION-REQUIRED": errLogin,
		"AUTHENTICATION-DATA":     errLogin,
		"UNIMPLEMENTED":           errors.ErrUnsupported,
		"ALREADY-EXISTS":          fs.ErrExist,
	}
}

// failureOf returns the error that a line reports. word is the first token of the line, and
// rest the other tokens. ok is false for a line that does not report a failure.
func failureOf(word string, rest []string) (reason error, ok bool) {
	switch word {
	case "FAILURE":
		if len(rest) > 0 && reasons()[rest[0]] != nil {
			return reasons()[rest[0]], true
		}
		return errRefused, true
	case "ERROR":
		return errRefused, true
	case "VERSION-NOT-SUPPORTED":
		return errVersion, true
	}
	return nil, false
}
