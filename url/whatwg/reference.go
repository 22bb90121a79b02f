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
	if ref == "" || strings.IndexByte(ref, ':') >= 0 || strings.IndexByte(ref, '\'') >= 0 {
		return url.URL{}, false
	}
	scheme := base.Part(url.Scheme).Text
	if !isSpecial(scheme) || scheme == "file" {
		return url.URL{}, false
	}
	text := base.String()
	path, pathEnd, _ := base.Span(url.Path)
	kept, checked := 0, 0 // the href's segments are looked at from checked on
	switch ref[0] {
	case '?':
		kept, checked = pathEnd, -1
	case '#':
		kept, checked = len(base.PathAndQuery())+path, -1
	case '/':
		kept, checked = path, path
		if strings.HasPrefix(ref, "//") {
			kept = len(scheme) + len(":")
		}
	default:
		kept, ref = directory(text[path:pathEnd], ref)
		kept += path
		checked = kept - len("/")
	}
	u, ok := hrefs.Divide(text[:kept] + ref)
	switch {
	case !ok:
		return url.URL{}, false
	case kept < path:
		return u, isHref(&u)
	}
	return u, checked < 0 || !hasDots(u.String()[checked:])
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
