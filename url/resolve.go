package url

import (
	"bytes"
	"strings"
)

// Resolve returns the URL to which ref refers in a document at u. ref is a URL or a relative reference, and is read by
// u's standard. Resolve takes linear time.
//
//   - RFC 3986: §5.2, strictly. If the result has no host and its path starts with
//     "//", the path is written "/.//…", because "//" would announce a host.
//   - RFC 1738 defines no relative references. Resolve uses RFC 1808 §4 with the
//     characters of RFC 1738; u must have "//". "?" starts a query in ref if it
//     does in u.
//   - RFC 1630: the section on partial forms. The examples win where they contradict
//     the wording.
//   - A standard of another package has its own rules.
//
// The error is a [*SyntaxError] in ref, in u if u is relative, or in the result.
func (u URL) Resolve(ref string) (URL, error) {
	std := u.std
	if foreign := std.foreign(); foreign != nil {
		return foreign.Resolve(u, ref)
	}
	r := URL{text: ref, std: std}
	if std != RFC3986 || !r.parseFast() {
		var err error
		if r, err = std.parseRef(ref, u); err != nil {
			return URL{}, err
		}
	}
	if r.scheme == 0 && (u.scheme == 0 || std == RFC1738 && u.auth == 0) {
		return URL{}, u.failBase()
	}
	if std == RFC3986 {
		switch {
		case ref == "":
			u.text = u.text[:u.queryEnd()]
			u.fragment = 0
			return u, nil
		case r.scheme != 0 && !mayHaveDotsText(r.Path()):
			return r, nil
		}
	}
	var room [256]byte
	text := room[:0]
	if need := len(u.text) + len(ref) + len("/."); need > len(room) {
		text = make([]byte, 0, need)
	}
	switch std {
	case RFC1738:
		text = resolve1808(text, u, r)
	case RFC1630:
		var want string
		if text, want = resolve1630(text, u, r); want != "" {
			return URL{}, r.fail(0, "RFC 1630, Partial form", want)
		}
	default:
		var v URL
		if text = v.resolve3986(text, &u, &r); len(text) <= maxFast {
			v.text = string(text)
			return v, nil // of good parts
		}
	}
	v, err := std.Parse(string(text))
	if err == nil && r.scheme == 0 && v.auth == 0 && u.auth != 0 {
		return URL{}, v.failHost()
	}
	return v, err
}

// failHost returns the error for the invalid authority of u, a URL of RFC 1738 with an unknown scheme. Because the
// authority is invalid, divide has made it a part of the path.
func (u URL) failHost() error {
	r := u.std.rules()
	u.path = int32(u.divideAuthority(int(u.scheme)+len("//"), len(u.text), r))
	return u.checkAuthority(r)
}

// failBase returns the error for a base URL u that is relative or, by RFC 1738, has no authority.
func (u URL) failBase() error {
	if u.scheme != 0 {
		return u.fail(int(u.scheme), "RFC 1808 §4", `"//" in the base of a partial form`)
	}
	switch u.std {
	case RFC1738:
		return u.fail(0, "RFC 1808 §3", "a scheme in the base")
	case RFC1630:
		return u.fail(0, "RFC 1630, Partial form", "a scheme in the context")
	}
	return u.fail(0, "RFC 3986 §5.2.1", "a scheme in the base")
}

// parseRef parses ref, which is a partial form or an absolute URL, for the resolution against base. By RFC 1738, "?"
// starts a query in a partial form if it does in base.
func (std Standard) parseRef(ref string, base URL) (URL, error) {
	if std != RFC1738 || len(ref) > maxFast {
		return std.Parse(ref)
	}
	if i := skip(ref, 0, cScheme|noEscapes); i > 0 && i < len(ref) && ref[i] == ':' {
		return std.Parse(ref)
	}
	u := URL{text: ref, std: std}
	r := *std.rules()
	r.relative = true
	u.divideRest(0, len(ref), &r, schemeHasQuery(base.rawScheme()))
	if ref == "" {
		return u, nil
	}
	if err := u.check(&r); err != nil {
		return URL{}, err
	}
	return u, nil
}

// resolve3986 appends to text the URL to which ref refers by RFC 3986 §5.2.2 and §5.3. It sets the offsets of u, which
// must be zero, to the offsets of the parts in the returned text.
func (u *URL) resolve3986(text []byte, base, ref *URL) []byte {
	from := base
	if ref.scheme != 0 {
		from = ref
	}
	u.scheme = from.scheme
	text = append(text, from.text[:from.scheme]...)
	if ref.auth != 0 {
		from = ref
	}
	u.copyAuthority(from)
	text = append(text, from.text[from.scheme:from.path]...)
	query := ref
	if ref.scheme == 0 && ref.auth == 0 && ref.Path() == "" {
		text = append(text, base.Path()...)
		if ref.query == 0 {
			query = base
		}
	} else {
		text = appendPath(text, base, ref, from.auth != 0)
	}
	if query.query != 0 {
		u.query = int32(len(text) + 1)
		text = append(text, query.text[query.query-1:query.queryEnd()]...)
	}
	if ref.fragment != 0 {
		u.fragment = int32(len(text) + 1)
		text = append(text, ref.text[ref.fragment-1:]...)
	}
	return text
}

// appendPath appends the path that results from resolving ref against base. hasAuth says whether the resulting URL has
// an authority. Without one, appendPath writes a path that starts with "//" as "/.//…", because "//" would announce a
// host.
func appendPath(text []byte, base, ref *URL, hasAuth bool) []byte {
	start := len(text)
	path := ref.Path()
	if ref.scheme == 0 && ref.auth == 0 && path[0] != '/' {
		text = appendDir(text, base)
	}
	text = removeDots(append(text, path...), start)
	if !hasAuth && bytes.HasPrefix(text[start:], []byte("//")) {
		text = append(text, "/."...)
		copy(text[start+2:], text[start:])
		copy(text[start:], "/.")
	}
	return text
}

// copyAuthority sets the offsets of u's authority, and of the start of u's path, to the offsets of from. It adds the
// difference between the lengths of the two schemes, because the text of u has the authority of from behind another
// scheme.
func (u *URL) copyAuthority(from *URL) {
	shift := u.scheme - from.scheme
	u.path = from.path + shift
	if from.auth == 0 {
		return
	}
	u.auth = from.auth + shift
	if from.host != 0 {
		u.host = from.host + shift
	}
	if from.password != 0 {
		u.password = from.password + shift
	}
	if from.port != 0 {
		u.port = from.port + shift
	}
}

// appendDir appends base's path up to its last slash, or "/" if the path is empty and base has an authority.
func appendDir(text []byte, base *URL) []byte {
	path := base.Path()
	if path == "" && base.auth != 0 {
		return append(text, '/')
	}
	return append(text, path[:strings.LastIndexByte(path, '/')+1]...)
}

// removeDots removes the dot segments from the path text[start:], as RFC 3986 §5.2.4 does. It changes text in place and
// returns the shortened text.
func removeDots(text []byte, start int) []byte {
	path := text[start:]
	if !mayHaveDots(path) {
		return text
	}
	r, w := leadingDots(path), 0
	for r < len(path) {
		end := r + 1 + segmentLength(path[r+1:])
		switch string(path[r:end]) {
		case "/..":
			w = max(0, bytes.LastIndexByte(path[:w], '/'))
			fallthrough
		case "/.":
			if end == len(path) {
				path[w] = '/'
				w++
			}
		default:
			w += copy(path[w:], path[r:end])
		}
		r = end
	}
	return text[:start+w]
}

// leadingDots returns the length of the segments "." and ".." at the start of path, each with the slash after it, if
// there is one.
func leadingDots(path []byte) int {
	i := 0
	for {
		switch end := i + segmentLength(path[i:]); string(path[i:end]) {
		case ".", "..":
			if i = min(end+1, len(path)); i == len(path) {
				return i
			}
		default:
			return i
		}
	}
}

// mayHaveDots reports whether a path may contain a segment "." or "..". It is false only if the path contains no such
// segment; a segment such as ".git" also makes it true.
func mayHaveDots(path []byte) bool {
	return len(path) > 0 && path[0] == '.' || bytes.Contains(path, []byte("/."))
}

// mayHaveDotsText is mayHaveDots for a string.
func mayHaveDotsText(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.")
}

// segmentLength returns the length of path's first segment, without the slash after it.
func segmentLength(path []byte) int {
	if i := bytes.IndexByte(path, '/'); i >= 0 {
		return i
	}
	return len(path)
}
