// Package entry computes names, types and sizes of the entries of listings for the gateway's
// pages, mounted folders and archives.
package entry

import (
	"errors"
	"mime"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// Size estimates how many bytes of memory an entry takes besides its text.
const Size = 256

// TextSize estimates how many bytes the text of an entry has.
func TextSize(e access.Entry) int {
	n := len(e.Title) + len(e.URL.String())
	for _, f := range e.Header {
		n += len(f.Name) + len(f.Value)
	}
	return n
}

const (
	maxRead  = 256 << 20 // bytes that Bounded reads of one listing, because a listing may be endless
	lineSize = 64        // bytes that an entry without text counts
)

// ErrLong is the error of a listing that is longer than Bounded reads.
var ErrLong = errors.New("the listing is longer than this gateway reads")

// Bounded returns a Lister that is like l, but fails with ErrLong if the listing is very long.
func Bounded(l access.Lister) access.Lister { return &bounded{Lister: l} }

// A bounded counts the text of a listing.
type bounded struct {
	access.Lister
	read int
}

// Next returns the next entry of the Lister. After maxRead bytes of entries it fails with ErrLong.
func (l *bounded) Next() (access.Entry, error) {
	if l.read > maxRead {
		return access.Entry{}, ErrLong
	}
	e, err := l.Lister.Next()
	l.read += lineSize + TextSize(e)
	return e, err
}

// Value returns the first value of the named field in the header of e, or "". The case of letters
// counts. Unlike the method Get of the header, Value does not join several values.
func Value(e access.Entry, name string) string {
	for _, f := range e.Header {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// BaseType returns a media type in lower case, without its parameters.
func BaseType(mediaType string) string {
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// CleanType returns the media type that a server sent in its usual form. It returns "" if the type is
// malformed, because browsers must not guess.
func CleanType(mediaType string) string {
	if mediaType == "" || isBareType(mediaType) {
		return mediaType
	}
	base, params, err := mime.ParseMediaType(mediaType)
	if err != nil || !strings.Contains(base, "/") {
		return ""
	}
	return mime.FormatMediaType(base, params)
}

// isBareType reports whether a media type has only small letters, digits and "-.+" around its "/", and
// no parameters.
func isBareType(mediaType string) bool {
	kind, sub, found := strings.Cut(mediaType, "/")
	isOdd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != '+'
	}
	return found && kind != "" && sub != "" && !strings.ContainsFunc(kind, isOdd) && !strings.ContainsFunc(sub, isOdd)
}

// IsMessage reports whether a media type is the type of an article or a mail.
func IsMessage(mediaType string) bool {
	switch BaseType(mediaType) {
	case "message/rfc822", "message/news", "message/global":
		return true
	}
	return false
}

// Flags returns the flags of the scheme of u.
func Flags(u url.URL) scheme.Flags {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags
}

// IsSession reports whether u names an interactive service.
func IsSession(u url.URL) bool { return Flags(u).Has(scheme.Session) }

// IsAddress reports whether u names an address that people write to, such as a mailto URL.
func IsAddress(u url.URL) bool { return Flags(u).Has(scheme.Address) }

// IsHierarchical reports whether the segments of the path of u are names of folders.
func IsHierarchical(u url.URL) bool { return Flags(u).Has(scheme.Hierarchical) }

// HasDots reports whether a segment of a path is "." or "..", encoded or not. A browser
// would rewrite such a path.
func HasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return true
		}
	}
	return false
}

// IsLinkable reports whether browsers and programs pass u on unchanged in the path of a link. It is
// false for a path with the segments "." or "..", which browsers rewrite, and for a "%" without two
// digits, which net/http refuses.
func IsLinkable(u url.URL) bool {
	_, err := url.Unescape(u.Path())
	return err == nil && !HasDots(u.Path())
}

// IsBelow reports whether u is in the folder root, at any depth: see PathBelow.
func IsBelow(root, u url.URL) bool {
	_, ok := PathBelow(root, u)
	return ok
}

// PathBelow returns the rest of the text of u after the folder root and a "/". ok is false if u is not in the folder, at
// any depth, and for root itself. Passwords do not count, because the URLs in a listing lack them.
func PathBelow(root, u url.URL) (rest string, ok bool) {
	above, text := withoutPassword(root).String(), withoutPassword(u).String()
	if i := strings.IndexAny(above, ";?#"); i >= 0 {
		above = above[:i]
	}
	rest, ok = strings.CutPrefix(text, strings.TrimSuffix(above, "/")+"/")
	return rest, ok && len(text) > len(above) && !HasDots(u.Path())
}

// withoutPassword returns u without its password.
func withoutPassword(u url.URL) url.URL {
	if _, has := u.Password(); !has {
		return u
	}
	bare, err := u.Without(url.Password)
	if err != nil {
		return u
	}
	return bare
}
