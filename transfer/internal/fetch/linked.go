package fetch

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"locus/access"
	"locus/internal/weburl"
	"locus/transfer/internal/tree"
	"locus/url"
)

// Linked has the other places of a file that web servers name in Link header fields (RFC 6249). Strangers may
// have written the fields, so use such a place only if the file has a Digest.
type Linked struct {
	Mirrors  []url.URL // where the same file is (rel=duplicate), the best first
	Metalink url.URL   // a Metalink 4 document that describes the file; the zero URL: unknown
	Digest   Digest    // the strongest digest that the servers name; the zero Digest: unknown
}

// maxLinked is how many mirrors are taken from header fields. To try more would take too long.
const maxLinked = 20

// A mirrorLink is a link with rel=duplicate.
type mirrorLink struct {
	to       url.URL
	priority int // 1 is the best
}

// addLinks adds the links in field, the Link field of a response or of a redirect from u, to l. The new mirrors follow
// the earlier ones, the best first, up to maxLinked in all. The first Metalink counts. Links to other schemes than the
// web and FTP are ignored.
func (l *Linked) addLinks(field string, u url.URL) {
	var mirrors []mirrorLink
	for _, link := range parseLinks(field) {
		to, ok := weburl.Resolve(u, link.target)
		if !ok {
			to, _ = u.Resolve(link.target) // a zero URL, which is not a download, if the target is not a URL
		}
		if !tree.IsDownload(to) {
			continue
		}
		switch {
		case link.has("rel", "duplicate"):
			mirrors = append(mirrors, mirrorLink{to, link.priority()})
		case link.has("rel", "describedby") && link.has("type", "application/metalink4+xml") && l.Metalink.IsZero():
			l.Metalink = to
		}
	}
	sort.SliceStable(mirrors, func(i, j int) bool { return mirrors[i].priority < mirrors[j].priority })
	for _, m := range mirrors {
		if len(l.Mirrors) < maxLinked && !slices.Contains(l.Mirrors, m.to) {
			l.Mirrors = append(l.Mirrors, m.to)
		}
	}
}

// A link is one link of a Link header field (RFC 8288 §3):
//
//	<http://m.example/f>; rel=duplicate; pri=1
//	 \________________/   \_______________/
//	 target               params
type link struct {
	target string
	params map[string]string // names in lower case; of several with a name the first
}

// has reports whether word is one of the words in the parameter name. The case of letters does not matter.
func (l link) has(name, word string) bool {
	for _, one := range strings.Fields(l.params[name]) {
		if strings.EqualFold(one, word) {
			return true
		}
	}
	return false
}

// priority returns the parameter pri, where 1 is the best (RFC 6249 §3.1). It returns the greatest int if pri is
// missing or invalid.
func (l link) priority() int {
	n, err := strconv.Atoi(l.params["pri"])
	if err != nil || n < 1 {
		return math.MaxInt
	}
	return n
}

// parseLinks parses the Link fields of a header, joined by commas. It returns the links before the first syntax error.
func parseLinks(field string) []link {
	var all []link
	for {
		field = strings.TrimLeft(field, ", \t")
		rest, ok := strings.CutPrefix(field, "<")
		if !ok {
			return all
		}
		target, rest, ok := strings.Cut(rest, ">")
		if !ok {
			return all
		}
		l := link{strings.TrimSpace(target), make(map[string]string)}
		for {
			rest = strings.TrimLeft(rest, " \t")
			after, isParam := strings.CutPrefix(rest, ";")
			if !isParam {
				break
			}
			var name, value string
			name, value, rest = parseParam(after)
			if _, known := l.params[name]; !known {
				l.params[name] = value
			}
		}
		all = append(all, l)
		if field = rest; !strings.HasPrefix(field, ",") {
			return all
		}
	}
}

// parseParam parses name=value at the start of a text, up to the next ";" or ",". The value may be quoted, and is "" if
// there is no "=". The name is in lower case. rest is the text after the value.
func parseParam(text string) (name, value, rest string) {
	end := strings.IndexAny(text, "=;,")
	if end < 0 {
		return strings.ToLower(strings.TrimSpace(text)), "", ""
	}
	name, rest = strings.ToLower(strings.TrimSpace(text[:end])), text[end:]
	after, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return name, "", rest
	}
	after = strings.TrimLeft(after, " \t")
	if !strings.HasPrefix(after, `"`) {
		if end = strings.IndexAny(after, ";,"); end < 0 {
			end = len(after)
		}
		return name, strings.TrimSpace(after[:end]), after[end:]
	}
	var b strings.Builder
	for i := 1; i < len(after); i++ {
		switch c := after[i]; {
		case c == '"':
			return name, b.String(), after[i+1:]
		case c == '\\' && i+1 < len(after):
			i++
			b.WriteByte(after[i])
		default:
			b.WriteByte(c)
		}
	}
	return name, b.String(), "" // the quotation mark at the end is missing
}

// addLinked adds the links in the header of a response, or of a redirect, from u to the links of d.
func (d *Download) addLinked(header access.Header, u url.URL) {
	d.linked.addLinks(header.Get("Link"), u)
}

// addRedirect records the mirrors and the Metalink in the header of a redirect from the URL from. If a mirror is new,
// it also records the digests in the field Digest, because in a redirect they are of the file. It ignores Repr-Digest,
// which is of the text of the redirect. After the first response it does nothing.
func (d *Download) addRedirect(m *access.Moved, from url.URL) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.accepted {
		return
	}
	before := len(d.linked.Mirrors)
	d.addLinked(m.Header, from)
	if len(d.linked.Mirrors) > before {
		d.fromServer = append(d.fromServer, parseOldDigest(m.Header.Get("Digest"))...)
	}
}
