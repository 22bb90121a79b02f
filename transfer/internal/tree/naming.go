package tree

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
)

// MaxDepth is how deep directories may be nested. The limit is safe, because only a server that
// makes directories up has deeper ones.
const MaxDepth = 128

// TooDeep returns the error for a URL below more than MaxDepth directories.
func TooDeep(u url.URL) error {
	return fmt.Errorf("%s: more than %d nested folders", u.Redacted(), MaxDepth)
}

// StateDir is the directory below the root of a copy for its parts and ETags, and for its pages
// before they are converted. Naming never gives this name to a file of a server.
const StateDir = ".locus-mirror"

// maxName is how many bytes a file name may have on most systems.
const maxName = 255

// A Naming makes local file names from the names that a server sends.
type Naming struct {
	Portable bool   // valid on every system, not only on Unix
	Escape   string // further bytes to escape
	Reserved string // a name that files of the server may not have; may be ""
}

// File returns a safe local name for a file or directory of the server. It escapes the bytes that a
// file name must not have, as in a URL. Different names have different results:
//
//	a/b   a%2Fb      a slash, a control character
//	..    %2E%2E     a name that means another directory
//	      %          the empty name
//	a%2F  a%252F     an escape of a byte that is escaped; any other "%" stays
//	CON   %43ON      if portable: devices of Windows, \<>:"|?*, a dot or a space
//	                 at the end, bytes that are not UTF-8
func (n Naming) File(name string) (string, error) {
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

// Path returns the local path of a file in nested directories, from the names that
// [Tree.PathOf] returns; name is "" for a directory. If one of the names cannot be a local name,
// Path returns an error and the directories before that name.
func (n Naming) Path(dirs []string, name string) (string, error) {
	segments := make([]string, 0, len(dirs)+1)
	if name != "" {
		dirs = append(dirs[:len(dirs):len(dirs)], name)
	}
	for _, d := range dirs {
		safe, err := n.File(d)
		if err != nil {
			return path.Join(segments...), err
		}
		segments = append(segments, safe)
	}
	return path.Join(segments...), nil
}

// checkLength returns name, or an error if it is longer than maxName bytes.
func checkLength(name string) (string, error) {
	if len(name) > maxName {
		return "", fmt.Errorf("%.40q… is too long for a file name", name)
	}
	return name, nil
}

// Page returns the local name of a page with a query: the File of name, "?" (or "%@" if portable) and
// the query, escaped as in File. No other name contains this mark if Escape has "?". The error is the
// error of File, or says that the name is too long.
func (n Naming) Page(name, query string) (string, error) {
	mark := "?"
	if n.Portable {
		mark = "%@" // in which "%" would be escaped
	}
	name, err := n.File(name)
	if err != nil {
		return "", err
	}
	plain := Naming{Portable: n.Portable}
	if query, err = plain.File(query); err != nil {
		return "", err
	}
	return checkLength(name + mark + query)
}

// mustEscape reports whether File escapes the byte name[i].
func (n Naming) mustEscape(name string, i int) bool {
	c := name[i]
	switch {
	case c < ' ' || c == 0x7f || c == '/' || strings.IndexByte(n.Escape, c) >= 0:
		return true
	case c == '%':
		return len(name) == 1 || ascii.HasEscape(name, i) && n.isEscaped(ascii.Escaped(name, i)) || i+1 < len(name) && name[i+1] == '@'
	case name == "." || name == "..":
		return true
	case i == 0 && (strings.EqualFold(name, StateDir) || n.Reserved != "" && strings.EqualFold(name, n.Reserved)): // it may be the same name on this file system
		return true
	case !n.Portable:
		return false
	case strings.IndexByte(`\<>:"|?*`, c) >= 0, i == len(name)-1 && (c == '.' || c == ' '):
		return true
	case c >= utf8.RuneSelf:
		return !utf8.ValidString(name)
	}
	return i == 0 && isDevice(name)
}

// isEscaped reports whether File escapes the byte c, if only at some places of a name. An escape of
// any other byte can stay in a name, because no other name has the same result.
func (n Naming) isEscaped(c byte) bool {
	isReserved := n.Reserved != "" && ascii.Lower(c) == ascii.Lower(n.Reserved[0])
	return n.Portable || c < ' ' || c == 0x7f || strings.IndexByte(`/%.`+n.Escape, c) >= 0 || isReserved
}

// isDevice reports whether Windows takes a file name for a device, such as "NUL" or "com1.txt".
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
