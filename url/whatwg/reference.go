package whatwg

import (
	"strings"

	"locus/url"
)

// resolvePlain resolves the commonest references: those that stand for
// themselves once they are put behind what they leave of the base.
//
//	https://example.org/a/b?q   +   ../c#f
//	\_________________/              \___/
//	       kept                   reference
//
// It returns false if ref needs the machine, such as one that has a scheme.
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
	checked := -1 // segments are looked at from text[checked] on
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
		if mayHaveDots(ref) {
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
		u, ok = hrefs.DivideWeb(text, host, path) // the base's host was read before
	} else {
		u, ok = hrefs.Divide(text)
	}
	return u, ok && (checked < 0 || !hasDots(text[checked:]))
}

// mayHaveDots reports whether a reference that starts with a segment may have one
// that stands for "." or "..".
func mayHaveDots(ref string) bool {
	return ref[0] == '.' || ref[0] == '%' || strings.IndexByte(ref, '/') >= 0
}

// directory returns how much of a path stays if "./" and "../" at the start of ref
// are resolved, and the rest of ref.
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
