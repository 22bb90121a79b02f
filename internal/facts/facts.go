// Package facts has one table with a row for each URL scheme. Other packages look up the
// port of a scheme here, or whether its URLs have a host, so that such facts are written
// only once. Add a scheme, or a fact about a scheme, in table.go.
package facts

import "iter"

// A Scheme is the row of one scheme. The zero Scheme stands for an unknown scheme.
type Scheme struct {
	Name     string // in lower case: "ftp"
	Port     uint16 // the default port; 0 if the protocol has none
	Secure   string // the scheme of the same protocol over TLS: "ftps"; may be ""
	Protocol string // the protocol of the servers: "nntp" for news and nntps; "" for URLs without a server
	Delims   string // the characters of ";/?:@=&" that it reserves (RFC 1738 §2.2)
	Traits   Traits
	Spec     string // where it is defined: "RFC 1738 §3.2"
}

// Has reports whether the scheme has all of the traits.
func (s *Scheme) Has(t Traits) bool { return s.Traits&t == t }

// Traits are facts that are true or false. They are combined with "|".
type Traits uint32

// Where the standards differ, the name or the comment names the standard.
const (
	// Core: RFC 1738 or RFC 1630 names the scheme, or the scheme of the same protocol
	// without TLS, or a later RFC defines it for a name that they reserve. Package scheme
	// lists these.
	Core Traits = 1 << iota
	// Reserved: RFC 1738 §4 or RFC 1630 only reserves the name.
	Reserved

	// Host: after "//" stands a host, which is a domain name or an address.
	Host
	// EmptyHost: the host may be empty, because the URL can be opened without a server. In
	// a file URL it then means this machine.
	EmptyHost
	// Login: "user:password@" may follow the scheme's colon without "//".
	Login
	// AtIsData: an "@" may stand in a URL without ending a login.
	AtIsData
	// Hierarchical: "/" in the path separates levels, and the segments "." and
	// ".." move between them (RFC 1738 §2.3).
	Hierarchical
	// Relative: partial forms work.
	Relative
	// EmptyPathIsRoot: an empty path means the same as "/".
	EmptyPathIsRoot
	// Host1738: by RFC 1738 "//" always announces a host.
	Host1738
	// NoHost1738: by RFC 1738 "//" never announces a host, because "/" is data. In a scheme
	// with neither trait, "//" announces a host if one follows (RFC 1738 §5, schemepart).
	NoHost1738
	// LiteralDots1738: by RFC 1738 the segments "." and ".." are names, which the
	// server is asked for (§3.2.2).
	LiteralDots1738
	// PlusIsSpace: in a query "+" stands for a space, whatever the standard. In queries
	// of [Web] schemes it does so by RFC 1630 only.
	PlusIsSpace
	// Mailboxes: the path is a list of mail addresses with commas.
	Mailboxes
	// Query1738: "?" starts a query by RFC 1738 too. By RFC 3986, RFC 1630 and
	// WHATWG it does so in every scheme.
	Query1738
	// Special: WHATWG calls the scheme special. Its parser takes "\" for "/" and drops the
	// default port. WHATWG does not define default ports of other schemes.
	Special

	// Object: a URL names a resource that can be retrieved.
	Object
	// Upload: a URL names a resource that can only be stored. It is retrieved at a URL of
	// another scheme.
	Upload
	// Fetches: an access retrieves an object over a network, from the host in the URL. News
	// and snews lack this trait, because their articles come from the user's own server
	// (RFC 1738 §3.6).
	Fetches
	// Session: a URL names an interactive service.
	Session
	// Address: a URL names an address, which cannot be retrieved.
	Address
	// Encrypted: the whole protocol runs inside TLS or SSH.
	Encrypted
	// Web: an access is a request of HTTP, and its redirects lead only to other URLs of
	// this kind.
	Web
	// LocalPath: the path of a URL is the path of a file of this machine.
	LocalPath
	// Inline: a URL contains the resource itself, so an access needs neither a server nor a
	// file.
	Inline
	// Message: a URL names a received message, or a part of one, by its id.
	Message
	// Mail: a URL names mail that others have sent to the user.
	Mail
	// Personal: the servers serve people who have an account there. A program that opens
	// URLs for strangers opens these only if it is told to, and redirects do not lead to
	// them.
	Personal
	// Menus: a resource may be a menu in which the server reports errors, so the attributes
	// of a resource do not tell whether it exists.
	Menus
)

// Of returns the row of the scheme with this name, in any case. For an unknown scheme it
// returns a pointer to the zero Scheme, never nil. The caller must not change the row. Of does
// not allocate.
func Of(name string) *Scheme {
	s := slots[slot(name)]
	if s == nil || s.Name != name && (len(s.Name) != len(name) || !equalFold(s.Name, name)) {
		return &none
	}
	return s
}

// All yields every row: the schemes of [Core] in the order of their names, then
// the others.
func All() iter.Seq[*Scheme] {
	return func(yield func(*Scheme) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}

// AtPort returns the first row, in the order of All, whose default port is port. It returns nil
// if the table lacks port, and for 0.
func AtPort(port uint16) *Scheme {
	for s := range All() {
		if s.Port == port && port != 0 {
			return s
		}
	}
	return nil
}

var none Scheme

// slots is a perfect hash table: slots[slot(name)] is the only row that the name can have.
// It may be nil. TestSlots fails if two rows share a slot; choose another factor then.
var slots = newSlots()

// newSlots returns the hash table of all rows, in which Of finds a row at slot(name).
func newSlots() *[256]*Scheme {
	slots := new([256]*Scheme)
	for s := range All() {
		slots[slot(s.Name)] = s
	}
	return slots
}

// slot returns the hash of a name, which ignores case. It depends on the length of the name and
// three of its letters.
func slot(name string) uint8 {
	if name == "" {
		return 0
	}
	first, last := uint32(name[0]|0x20), uint32(name[len(name)-1]|0x20)
	early := uint32(name[len(name)/4] | 0x20) // the second letter of smtp and sftp
	return uint8((first | last<<8 | uint32(len(name))<<16 | early<<24) * 0x1f8ce97b >> 24)
}

// equalFold reports whether lower, a name in lower case, equals name, if the case of ASCII
// letters does not count. Both must have the same length.
func equalFold(lower, name string) bool {
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
