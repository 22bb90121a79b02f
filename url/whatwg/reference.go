package whatwg

import (
	"strings"

	"locus/url"
)

// resolvePlain resolves the most common references: those whose text ends the result unchanged, after a prefix of the
// base.
//
//	https://example.org/a/b?q   +   ../c#f
//	\_________________/              \___/
//	       kept                   reference
//
// It returns false if ref needs the machine, for example because it has a scheme.
func resolvePlain(base *url.URL, ref string) (url.URL, bool) {
	if strings.IndexByte(ref, ':') >= 0 && schemeEnd(ref) >= 0 || strings.IndexByte(ref, '\'') >= 0 {
		return url.URL{}, false
	}
	text := base.String()
	path, pathEnd, _ := base.Span(url.Path)
	host := webHost(text)
	isWeb := host > 0 && inHosts.Skip(text, host) == path
	if !isWeb {
		scheme := base.Part(url.Scheme).Text
		if !isSpecial(scheme) || scheme == "file" {
			return url.URL{}, false
		}
	}
	var kept int
	checked := -1 // dot segments are searched from text[checked] on
	switch {
	case ref == "", ref[0] == '#':
		kept = path + len(base.PathAndQuery())
	case ref[0] == '?':
		kept = pathEnd
	case strings.HasPrefix(ref, "//"):
		kept = strings.IndexByte(text, ':') + len(":")
	case ref[0] == '/':
		kept, checked = path, path
	default:
		kept, ref = directory(text[path:pathEnd], ref)
		if ref == "" {
			return url.URL{}, false // "./" or "../"
		}
		kept += path
		if mayHaveDotSegment(ref) {
			checked = kept - len("/")
		}
	}
	text = text[:kept] + ref
	if kept < path {
		return readHref(text)
	}
	var u url.URL
	var ok bool
	if isWeb {
		u, ok = hrefs.DivideWeb(text, host, path) // because the host of the base has been checked
	} else {
		u, ok = hrefs.Divide(text)
	}
	return u, ok && (checked < 0 || !hasDotSegment(text[checked:]))
}

// mayHaveDotSegment reports whether ref, a relative reference that starts with a segment, may contain a dot segment. It
// is false only if ref contains no dot segment.
func mayHaveDotSegment(ref string) bool {
	return ref[0] == '.' || ref[0] == '%' || strings.IndexByte(ref, '/') >= 0
}

// directory resolves "./" and "../" at the start of ref against path. It returns how many bytes of path are kept, and
// the rest of ref, to be appended to them. rest may be "".
func directory(path, ref string) (kept int, rest string) {
	kept = strings.LastIndexByte(path, '/') + 1
	for {
		switch {
		case strings.HasPrefix(ref, "./"):
			ref = ref[len("./"):]
		case strings.HasPrefix(ref, "../"):
			ref = ref[len("../"):]
			kept = strings.LastIndexByte(path[:kept-1], '/') + 1
			kept = max(kept, len("/"))
		default:
			return kept, ref
		}
	}
}
