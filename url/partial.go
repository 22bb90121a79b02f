package url

import (
	"bytes"
	"strings"
)

// resolve1808 appends to text the URL to which ref refers by RFC 1808 §4, which does not distinguish an empty part from
// an absent one.
func resolve1808(text []byte, base, ref URL) []byte {
	switch {
	case ref.text == "":
		return append(text, base.text...)
	case ref.scheme != 0:
		return append(text, ref.text...)
	case ref.auth != 0 && ref.path > ref.auth:
		text = append(text, base.text[:base.scheme]...)
		return append(text, ref.text...)
	}
	text = append(text, base.text[:base.path]...)
	start := len(text)
	path, params := cutParams(ref.Path())
	basePath, baseParams := cutParams(base.Path())
	query, baseQuery := ref.text[ref.pathEnd():], base.text[base.pathEnd():]
	switch {
	case strings.HasPrefix(path, "/"):
		text = append(text, path...)
	case path != "":
		text = append(text, basePath[:strings.LastIndexByte(basePath, '/')+1]...)
		if len(text) == start {
			text = append(text, '/')
		}
		text = append(text, path...)
		text = RFC1738.foldDots(text, start)
	default:
		text = append(text, basePath...)
		if len(params) <= len(";") {
			params = baseParams
			if len(query) <= len("?") {
				query = baseQuery
			}
		}
	}
	text = append(text, params...)
	return append(text, query...)
}

// cutParams splits a path before its first ";" (RFC 1808 §2.4.5). params begins with the ";", and is "" if path has
// none.
func cutParams(path string) (before, params string) {
	if i := strings.IndexByte(path, ';'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// resolve1630 appends to text the URL to which ref refers by RFC 1630, "Partial (relative) form". want is "" then. If
// ref is invalid in the context of base, want describes a reference that would be valid, and the returned slice is nil.
func resolve1630(text []byte, base, ref URL) (_ []byte, want string) {
	if ref.scheme != 0 {
		return append(text, ref.text...), ""
	}
	partial, tail := ref.text[:ref.pathEnd()], ref.text[ref.pathEnd():]
	if partial == "" && ref.query == 0 {
		text = append(text, base.text[:base.queryEnd()]...)
		return append(text, tail...), ""
	}
	same := sameUpTo(base, len(partial)-len(strings.TrimLeft(partial, "/")))
	if same < 0 {
		return nil, "as many slashes as stand together somewhere in the context"
	}
	text = append(text, base.text[:same]...)
	start := int(base.path)
	switch {
	case same < start:
		start = same + int(ref.path)
	case same == start && base.auth != 0 && partial != "" && partial[0] != '/':
		text = append(text, '/')
	}
	text = append(text, partial...)
	text = RFC1630.foldDots(text, start)
	if base.auth == 0 && bytes.HasPrefix(text[start:], []byte("//")) {
		return nil, `a path that does not come to start with "//"`
	}
	return append(text, tail...), ""
}

// sameUpTo returns the length of the prefix of context that a partial form takes over. slashes is the number of slashes
// with which the partial form starts. The prefix ends before the first run of exactly as many slashes in the context;
// the "//" before the authority counts as a run, and an empty path after an authority counts as "/". For 0 slashes, the
// prefix ends after the last slash of the path. sameUpTo returns -1 if the context has no run of that length.
func sameUpTo(context URL, slashes int) int {
	path := context.Path()
	switch {
	case slashes == 0:
		return int(context.path) + strings.LastIndexByte(path, '/') + 1
	case slashes == 2 && context.auth != 0:
		return int(context.scheme)
	case slashes == 1 && context.auth != 0 && path == "":
		return int(context.path)
	}
	for i := 0; i < len(path); {
		next := strings.IndexByte(path[i:], '/')
		if next < 0 {
			break
		}
		i += next
		run := len(path[i:]) - len(strings.TrimLeft(path[i:], "/"))
		if run == slashes {
			return int(context.path) + i
		}
		i += run
	}
	return -1
}

// foldDots removes the segments "." and, with the segments before them, ".." from the path text[start:], in place, and
// returns the shortened text. A ".." without a segment before it stays.
//
// By RFC 1808 §4, a "." or ".." at the end leaves its slash behind. By RFC 1630, a "." at the end is removed with its
// slash, and a ".." at the end stays. The slash before a path stays by both, because file:/// needs it.
func (std Standard) foldDots(text []byte, start int) []byte {
	path := text[start:]
	if !mayHaveDots(path) {
		return text
	}
	rootless := path[0] != '/'
	w, written, depth := 0, 0, 0
	i := 1
	if rootless {
		i = 0
	}
	for i <= len(path) {
		end := i + segmentLength(path[i:])
		last := end == len(path)
		name := path[i:end]
		i = end + 1
		switch {
		case string(name) == ".":
			if !last || std == RFC1630 {
				continue
			}
			name = nil
		case string(name) == ".." && depth > 0 && (!last || std != RFC1630):
			w = max(0, bytes.LastIndexByte(path[:w], '/'))
			written--
			depth--
			if !last {
				continue
			}
			name = nil
		case string(name) != "..":
			depth++
		}
		if written > 0 || !rootless {
			path[w] = '/'
			w++
		}
		w += copy(path[w:], name)
		written++
	}
	if w == 0 && !rootless {
		w = len("/")
	}
	return text[:start+w]
}
