package extract

import (
	"strings"
	"sync"

	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// longestName is how long a scheme's name may be.
const longestName = 64

// longestStart is how much after the colon says whether a URL starts there.
const longestStart = 256

// A rule says how the URLs of a scheme are told from other text.
type rule struct {
	opaque bool // they may do without "//"
	host   bool // with "//" they have a host
	// starts reports whether what follows the colon, which is not "//", can
	// start a URL. nil: any letter or digit can.
	starts func(rest []byte) bool
}

// standard are the rules of the schemes that are known without being told.
var standard = sync.OnceValue(func() map[string]rule { return rules(nil) })

// Known reports whether a [Scanner] knows a scheme without being told: those of
// [scheme.All], those of IANA's registry and a few that are common without.
// The name may be in upper case.
func Known(name string) bool {
	name = strings.ToLower(name)
	_, ok := standard()[name]
	return ok || isWebScheme(name)
}

// isWebScheme reports whether a name in lower case is one that a web site may
// handle: "web+" and letters (HTML §8.9.1.3, safelisted schemes).
func isWebScheme(name string) bool {
	rest, ok := strings.CutPrefix(name, "web+")
	return ok && rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz") == ""
}

// rules returns the rules of every scheme, by name in lower case.
func rules(own scheme.Table) map[string]rule {
	names := make(map[string]rule, 512)
	for name := range strings.FieldsSeq(registered + unregistered) {
		names[name] = rule{}
	}
	for _, s := range own.All() {
		if s.Name != "" {
			_, theirs := own[s.Name]
			flat := !s.Flags.Has(scheme.Hierarchical) && s.Port == 0
			names[s.Name] = rule{host: s.Port != 0, opaque: flat && (theirs || s.Parse != nil)}
		}
	}
	for s := range facts.All() {
		_, theirs := own[s.Name]
		redefined := theirs && s.Has(facts.Core) // a table may change what a core scheme is
		if s.Has(facts.Host) && !s.Has(facts.EmptyHost) && !redefined {
			names[s.Name] = rule{host: true}
		}
	}
	for name, starts := range opaques {
		if _, theirs := own[name]; !theirs {
			names[name] = rule{opaque: true, starts: starts}
		}
	}
	return names
}

// opaques are the schemes whose URLs stand in text without "//", besides those
// that locus/scheme has a view of, as of mailto.
var opaques = map[string]func(rest []byte) bool{
	"news": startsNews, "snews": startsNews, "xmpp": nil, "sip": nil, "sips": nil, "bitcoin": nil, "urn": startsURN, "data": startsData,
	"file": startsWith("/"), "magnet": startsWith("?"), "doi": startsWith("1"),
	"tel": startsWith("+0123456789("), "sms": startsWith("+0123456789?"), "geo": startsWith("-0123456789"),
	"matrix": startsMatrix,
	"acct":   startsAcct, "did": startsDID, "dns": startsDNS, "pkg": startsPackage, "swh": startsSWH, "tag": startsTag,
}

func startsWith(octets string) func([]byte) bool {
	set := url.Octets(octets)
	return func(rest []byte) bool { return set.Has(rest[0]) }
}

func startsNews(rest []byte) bool { return rest[0] == '*' || isLetter(rest[0]) || isDigit(rest[0]) }

func startsMatrix(rest []byte) bool {
	kind, _, ok := strings.Cut(string(rest[:min(len(rest), len("roomid/"))]), "/")
	return ok && (kind == "u" || kind == "r" || kind == "roomid" || kind == "e")
}

// startsURN wants a namespace of 2 to 32 letters, digits and hyphens, and a
// colon (RFC 8141 §2).
func startsURN(rest []byte) bool {
	for i, c := range rest {
		switch {
		case c == ':':
			return i >= 2 && i+1 < len(rest)
		case i == 32 || !isLetter(c) && !isDigit(c) && c != '-':
			return false
		}
	}
	return false
}

// startsData wants a media type and a comma (RFC 2397 §3).
func startsData(rest []byte) bool {
	for _, c := range rest {
		switch {
		case c == ',':
			return true
		case !isLetter(c) && !isDigit(c) && strings.IndexByte("/;=.+-_", c) < 0:
			return false
		}
	}
	return false
}

// scheme reads the URL whose scheme ends with the colon.
func (f *finder) scheme(w []byte, colon, past int, eof bool) (found, status) {
	if isPrefix(w, colon) {
		if m, st := f.prefixed(w, colon, past, eof); st != miss {
			return m, st
		}
	}
	rest := w[colon+1:]
	if len(rest) >= 2 && rest[0] == '/' && rest[1] == '/' {
		start, r, ok := f.hierarchical(w, colon, past)
		if !ok {
			return found{}, miss
		}
		return f.authority(w, start, colon+3, r, eof)
	}
	start := colon
	for start > past && colon-start <= longestName && schemeOctets[w[start-1]] {
		start--
	}
	r, _ := f.rule(w[start:colon])
	if !r.opaque {
		return found{}, miss
	}
	// Before more is read, so that it is not read again.
	if near := rest[:min(len(rest), longestStart)]; (eof || len(near) == longestStart) && !r.begins(near) {
		return found{}, miss
	}
	end, st := f.right(w, colon+1, start, before(w, start), eof)
	if st != hit {
		return found{start: start}, st
	}
	if !r.begins(w[colon+1 : min(end, colon+1+longestStart)]) {
		return found{}, miss
	}
	least := colon + 1
	if w[least] == '*' { // all groups of news, and not emphasis
		least++
	}
	m := found{start: start, from: start, end: trim(w, least, end)}
	if m.end == colon+1 {
		return found{}, miss
	}
	return m, hit
}

// begins reports whether what follows the colon can start a URL of the scheme.
func (r rule) begins(rest []byte) bool {
	if len(rest) == 0 {
		return false
	}
	if r.starts != nil {
		return r.starts(rest)
	}
	for _, c := range rest {
		if isLetter(c) || isDigit(c) || c >= 0x80 {
			return true
		}
	}
	return false
}

// rule returns the rule of the scheme with a name.
func (f *finder) rule(name []byte) (rule, bool) {
	if len(name) > longestName {
		return rule{}, false
	}
	var lower [longestName]byte
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	r, ok := f.names[string(lower[:len(name)])]
	return r, ok || len(name) > len("web+") && lower[3] == '+' && isWebScheme(string(lower[:len(name)]))
}

// hierarchical returns where the scheme before "://" starts: what stands there
// as a whole if that is known or, after its last "+", ends in what is, or if
// unknown schemes are asked for; else the longest known name that it ends in.
func (f *finder) hierarchical(w []byte, colon, past int) (int, rule, bool) {
	switch { // most of what there is
	case colon-past > 5 && string(w[colon-5:colon]) == "https" && !schemeOctets[w[colon-6]]:
		return colon - 5, rule{host: true}, true
	case colon-past > 4 && string(w[colon-4:colon]) == "http" && !schemeOctets[w[colon-5]]:
		return colon - 4, rule{host: true}, true
	}
	start, plus := colon, -1
	for start > past && colon-start < longestName && schemeOctets[w[start-1]] {
		start--
		if w[start] == '+' && plus < 0 {
			plus = start
		}
	}
	whole := start == past || !schemeOctets[w[start-1]]
	for ; start < colon; start++ {
		if !isLetter(w[start]) {
			continue
		}
		if r, ok := f.rule(w[start:colon]); ok {
			return start, r, true
		}
		if start < plus {
			if r, ok := f.rule(w[plus+1 : colon]); ok {
				return start, r, true
			}
		}
		if f.unknown && colon-start > 1 && whole {
			return start, rule{}, true
		}
	}
	return 0, rule{}, false
}

// schemeOctets are the octets of a scheme's name (RFC 3986 §3.1).
var schemeOctets = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '+' || c == '-' || c == '.'
	}
	return set
}()
