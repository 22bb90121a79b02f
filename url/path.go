package url

import (
	"strings"

	"locus/internal/ascii"
)

// Segments returns what stands between the slashes of the path, decoded: a "%2F"
// is a slash in a segment. The path "/a/b" has the segments "a" and "b", "/a/"
// has "a" and "", "a" has "a". An empty path has none. A "%" that starts no escape
// stands for itself.
func (u URL) Segments() []string {
	path := u.Path()
	if path == "" {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		segments[i] = ascii.Unescape(s)
	}
	return segments
}

// JoinPath returns u with decoded segments added to its path, each after a slash. If
// the path ends with a slash, no other is added. So an empty segment ends the path with
// a slash, and adds nothing before another segment. Query and fragment are kept. A "/"
// in a segment is escaped, and so is what may not stand in a path. "." and ".." are
// refused, as they would not stand for themselves. So is an empty segment that would be
// the first of a URL without a path and an authority.
func (u URL) JoinPath(segments ...string) (URL, error) {
	keep := u.std.Allowed(Path).Without("/;?:%")
	path := u.Path()
	for i, s := range segments {
		switch {
		case s == "." || s == "..":
			return URL{}, u.badSegment(s, `a segment other than "." and ".."`)
		case s == "" && path == "" && u.auth == 0:
			return URL{}, u.badSegment(s, "a segment that is not empty")
		}
		if !strings.HasSuffix(path, "/") && (path != "" || u.auth != 0 || i > 0) {
			path += "/"
		}
		path += Escape(s, keep)
	}
	return u.With(Path, Some(path))
}

func (u URL) badSegment(segment, want string) error {
	return &SyntaxError{Text: segment, Standard: u.std, Rule: u.std.rules().sections[Path], Want: want, fragment: true}
}
