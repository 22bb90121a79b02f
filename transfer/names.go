package transfer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/internal/spill"
)

// maxName is how many bytes a file name may have on most systems.
const maxName = 255

// A naming makes local file names from the names that a server sends.
type naming struct {
	portable bool   // valid on every system, not only on Unix
	escape   string // further bytes to escape
	reserved string // a name that no file of the server may have; "": none
}

// file returns a safe local name for a file or directory of the server. It escapes
// as in a URL what a file name must not have. Different names have different results:
//
//	a/b   a%2Fb      a slash, a backslash, a control character
//	..    %2E%2E     a name that means another directory
//	      %          the empty name
//	a%2F  a%252F     an escape of a byte that is escaped; any other "%" stays
//	CON   %43ON      if portable: devices of Windows, <>:"|?*, a dot or a space
//	                 at the end, bytes that are not UTF-8
func (n naming) file(name string) (string, error) {
	var b strings.Builder
	for i := range len(name) {
		if n.mustEscape(name, i) {
			fmt.Fprintf(&b, "%%%02X", name[i])
		} else {
			b.WriteByte(name[i])
		}
	}
	if name == "" {
		return "%", nil
	}
	return checkLength(b.String())
}

// checkLength returns name, or an error if it is too long.
func checkLength(name string) (string, error) {
	if len(name) > maxName {
		return "", fmt.Errorf("%.40q… is too long for a file name", name)
	}
	return name, nil
}

// page returns the local name of a page with a query: its name, a mark and the query. No
// other name has the mark if "?" is always escaped.
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
	return checkLength(name + mark + query)
}

// mustEscape reports whether to escape the byte at i of a name.
func (n naming) mustEscape(name string, i int) bool {
	c := name[i]
	switch {
	case c < ' ' || c == 0x7f || c == '/' || c == '\\' || strings.IndexByte(n.escape, c) >= 0:
		return true
	case c == '%':
		return len(name) == 1 || ascii.HasEscape(name, i) && n.isEscaped(ascii.Escaped(name, i)) || i+1 < len(name) && name[i+1] == '@'
	case name == "." || name == "..":
		return true
	case i == 0 && (strings.EqualFold(name, stateDir) || n.reserved != "" && strings.EqualFold(name, n.reserved)): // it may be the same name on this file system
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

// isEscaped reports whether file escapes the byte c, if only at some places of a name. An escape
// of any other byte can stay in a name as the server has it: no other name has the same result.
func (n naming) isEscaped(c byte) bool {
	isReserved := n.reserved != "" && ascii.Lower(c) == ascii.Lower(n.reserved[0])
	return n.portable || c < ' ' || c == 0x7f || strings.IndexByte(`/\%.`+n.escape, c) >= 0 || isReserved
}

// isDevice reports whether a name is a device on Windows, with any suffix.
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

// names are the local names that a mirror has assigned, each to one URL or to a
// directory. They are kept as hashes.
type names struct {
	foldCase bool // names that differ in case are the same

	mu      sync.Mutex
	owners  *spill.Table // by name; a zero value means that the name is free again
	lastDir string       // the directory that was claimed last
}

var (
	errTaken = errors.New("another URL has the same local name")
	errClash = errors.New("a file and a directory have the same local name")
)

// directory is the owner of the name of a directory.
const directory = "\x00directory"

// claimFile gives a name to the file of a URL, and the names above it to
// directories. isNew says that the URL did not have it. It fails if another URL has
// the name.
func (n *names) claimFile(name, url string) (isNew bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.claimDirLocked(path.Dir(name)); err != nil {
		return false, err
	}
	whose, _ := n.owners.Get(n.key(name))
	return whose == 0, n.claim(name, url)
}

// claimDir gives a name, and the names above it, to directories.
func (n *names) claimDir(name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.claimDirLocked(name)
}

func (n *names) claimDirLocked(name string) error {
	if name == n.lastDir { // true for most files
		return nil
	}
	last := name
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if err := n.claim(name, directory); err != nil {
			return err
		}
	}
	n.lastDir = last
	return nil
}

func (n *names) claim(name, owner string) error {
	key, whose := n.key(name), valueOf(owner)
	exact := valueOf(directory + "\x00" + name)
	if owner == directory {
		whose = exact
	}
	before, taken := n.owners.Get(key)
	switch {
	case !taken || before == 0:
		n.owners.Put(key, whose)
	case before == whose:
	case before == exact || owner == directory:
		return fmt.Errorf("%q: %w", name, errClash)
	default:
		return fmt.Errorf("%q: %w", name, errTaken)
	}
	return nil
}

func (n *names) key(name string) spill.Key {
	if n.foldCase {
		name = strings.ToLower(strings.ToUpper(name))
	}
	return spill.KeyOf(name)
}

// valueOf returns the table value for a text. It is never zero.
func valueOf(text string) uint64 {
	h := spill.HashOf(text)
	return binary.BigEndian.Uint64(h[:])>>(64-8*spill.ValueSize) | 1
}

// release makes a name free again.
func (n *names) release(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owners.Put(n.key(name), 0)
}

// has reports whether a name is assigned. After the spool has failed, every name is.
func (n *names) has(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, ok := n.owners.Get(n.key(name))
	return ok && v != 0 || n.owners.Err() != nil
}
