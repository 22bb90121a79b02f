package transfer

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxName is how many octets a name may have on most systems.
const maxName = 255

// A naming says how the names of files are made of names that come from a
// server.
type naming struct {
	portable bool   // for every system, and not just for Unix
	also     string // octets to be escaped besides
}

// file returns the name of a file or directory for a name that came from a
// server: itself, with everything escaped as in a URL that cannot or should not
// be in the name of a file. Different names have different results:
//
//	a/b   a%2Fb      the slash, the backslash, control octets
//	..    %2E%2E     what means another directory
//	      %          nothing
//	a%2F  a%252F     what reads as escaped; "%" is itself otherwise
//	CON   %43ON      if portable: devices of Windows, <>:"|?*, a dot or a space
//	                 at the end, octets that are not UTF-8
func (n naming) file(name string) (string, error) {
	var b strings.Builder
	for i := range len(name) {
		if n.escapes(name, i) {
			fmt.Fprintf(&b, "%%%02X", name[i])
		} else {
			b.WriteByte(name[i])
		}
	}
	if name == "" {
		return "%", nil
	}
	return bounded(b.String())
}

func bounded(name string) (string, error) {
	if len(name) > maxName {
		return "", fmt.Errorf("%.40q… is too long for the name of a file", name)
	}
	return name, nil
}

// page returns the name for a page that has a query. No other name has the mark
// between them, if "?" is escaped in all.
func (n naming) page(name, query string) (string, error) {
	mark := "?"
	if n.portable {
		mark = "%@" // in which "%" would be escaped
	}
	name, err := n.file(name)
	if err != nil {
		return "", err
	}
	plain := naming{portable: n.portable}
	if query, err = plain.file(query); err != nil {
		return "", err
	}
	return bounded(name + mark + query)
}

// escapes reports whether the octet at i of a name is to be escaped.
func (n naming) escapes(name string, i int) bool {
	c := name[i]
	switch {
	case c < ' ' || c == 0x7f || c == '/' || c == '\\' || strings.IndexByte(n.also, c) >= 0:
		return true
	case c == '%':
		return len(name) == 1 || i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2]) ||
			i+1 < len(name) && name[i+1] == '@'
	case name == "." || name == "..":
		return true
	case i == 0 && strings.EqualFold(name, stateDir): // it may be the same here
		return true
	case !n.portable:
		return false
	case strings.IndexByte(`<>:"|?*`, c) >= 0, i == len(name)-1 && (c == '.' || c == ' '):
		return true
	case c >= utf8.RuneSelf:
		return !utf8.ValidString(name)
	}
	return i == 0 && isDevice(name)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isDevice reports whether Windows takes a name for a device, whatever its
// suffix.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem, _, _ = strings.Cut(stem, ":")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, prefix := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(stem, prefix); ok && (len(n) == 1 && '0' <= n[0] && n[0] <= '9' || n == "¹" || n == "²" || n == "³") {
			return true
		}
	}
	return false
}

// A hashed is a text in so many octets that it may be taken for the text.
type hashed [16]byte

func hashOf(text string) hashed {
	sum := sha256.Sum256([]byte(text))
	return hashed(sum[:16])
}

// names are the names of a mirror's files and directories, and whose they are. They
// hold hashes, not texts.
type names struct {
	fold bool // the same names in upper and lower case are the same

	mu      sync.Mutex
	owners  table  // of names; a zero value is that of a name that was given back
	lastDir string // the directory that was taken last
}

var (
	errTaken = errors.New("its name is that of something else here")
	errClash = errors.New("its name is both that of a file and that of a directory")
)

// directory is the owner of a directory.
const directory = "\x00directory"

// file takes a name for the file of a URL, and the directories above it. It is
// an error if the name is taken by another URL.
func (n *names) file(name, url string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.takeDir(path.Dir(name)); err != nil {
		return err
	}
	return n.take(name, url)
}

// dir takes a name for a directory, and those above it.
func (n *names) dir(name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.takeDir(name)
}

func (n *names) takeDir(name string) error {
	if name == n.lastDir { // as it is for most files
		return nil
	}
	last := name
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if err := n.take(name, directory); err != nil {
			return err
		}
	}
	n.lastDir = last
	return nil
}

func (n *names) take(name, owner string) error {
	key, whose := n.key(name), valueOf(owner)
	exact := valueOf(directory + "\x00" + name)
	if owner == directory {
		whose = exact
	}
	before, taken := n.owners.get(key)
	switch {
	case !taken || before == tableValue{}:
		n.owners.put(key, whose)
	case before == whose:
	case before == exact || owner == directory:
		return fmt.Errorf("%q: %w", name, errClash)
	default:
		return fmt.Errorf("%q: %w", name, errTaken)
	}
	return nil
}

func (n *names) key(name string) tableKey {
	if n.fold {
		name = strings.ToLower(strings.ToUpper(name))
	}
	return keyOf(hashOf(name))
}

// valueOf returns a value that stands for a text. It is not zero.
func valueOf(text string) tableValue {
	h := hashOf(text)
	v := tableValue(h[:len(tableValue{})])
	v[len(v)-1] |= 1
	return v
}

// release gives a name back.
func (n *names) release(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owners.put(n.key(name), tableValue{})
}

// has reports whether a name is taken. After the spool has failed all are.
func (n *names) has(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, ok := n.owners.get(n.key(name))
	return ok && v != tableValue{} || n.owners.spool.failure() != nil
}

// seen is a set of texts. It holds their hashes.
type seen struct {
	mu   sync.Mutex
	keys table
}

// newSeen returns an empty set that lets go of memory to a spool.
func newSeen(s *spool) *seen { return &seen{keys: table{spool: s, keysOnly: true}} }

// add reports whether text is new. After the spool has failed nothing is.
func (s *seen) add(text string) bool {
	key := keyOf(hashOf(text))
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, old := s.keys.get(key); old {
		return false
	}
	s.keys.put(key, tableValue{})
	return true
}

// has reports whether text was added. After the spool has failed all were.
func (s *seen) has(text string) bool {
	key := keyOf(hashOf(text))
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.keys.get(key)
	return ok
}
