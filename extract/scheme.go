package extract

import (
	"maps"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/internal/lazy"
	"locus/scheme"
)

const (
	maxSchemeName = 64  // the greatest length of a scheme's name
	maxStart      = 256 // how many bytes after the colon canStart may read
)

// A schemeRule says how to recognise the URLs of a scheme in text.
type schemeRule struct {
	opaque bool // its URLs need no "//"
	host   bool // its URLs with "//" have a host
	// startsBody reports whether the text after the colon, which does not start with "//", can start the rest of such
	// a URL. If startsBody is nil, any text with a letter or digit can.
	startsBody func(body []byte) bool
}

// standardRules holds the rules of the schemes that every finder knows.
var standardRules = lazy.Value[map[string]schemeRule]{Make: func() map[string]schemeRule { return rulesWith(nil) }}

// Known reports whether a [Scanner] finds URLs of the named scheme without [Options.Schemes] or [Options.Unknown]. It
// knows the schemes of [scheme.All] and of IANA's registry, names that start with "web+", and a few schemes that are
// common though not registered. The name may be in upper case.
func Known(name string) bool {
	name = strings.ToLower(name)
	_, ok := standardRules.Get()[name]
	return ok || isWebScheme(name)
}

// isWebScheme reports whether a name in lower case is "web+" followed by letters. Such schemes can be handled by a
// web site (HTML §8.9.1.3).
func isWebScheme(name string) bool {
	rest, ok := strings.CutPrefix(name, "web+")
	return ok && rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz") == ""
}

// rulesWith returns the rules of the known schemes and of the schemes in own, by name in lower case.
func rulesWith(own scheme.Table) map[string]schemeRule {
	rules := make(map[string]schemeRule, 512)
	for name := range strings.FieldsSeq(registered + unregistered) {
		rules[name] = schemeRule{}
	}
	for _, s := range slices.AppendSeq(scheme.All(), maps.Values(own)) {
		if s.Name != "" {
			_, isOwn := own[s.Name]
			flat := !s.Flags.Has(scheme.Hierarchical) && s.Port == 0
			rules[s.Name] = schemeRule{host: s.Port != 0, opaque: flat && (isOwn || s.Parse != nil)}
		}
	}
	for s := range facts.All() {
		_, isOwn := own[s.Name]
		redefined := isOwn && s.Has(facts.Core)                    // a program may change the meaning of a core scheme
		hostless := s.Has(facts.EmptyHost) || s.Protocol == "ldap" // ldap:///dc=example (RFC 4516 §2)
		if s.Has(facts.Host) && !hostless && !redefined {
			rules[s.Name] = schemeRule{host: true}
		}
	}
	for name, startsBody := range opaqueSchemes() {
		if _, isOwn := own[name]; !isOwn {
			rules[name] = schemeRule{opaque: true, startsBody: startsBody}
		}
	}
	return rules
}

// opaqueSchemes returns the schemes whose URLs need no "//", with their startsBody functions, which may be nil. Most
// schemes for which locus/scheme has a parser, such as mailto, are not among them.
func opaqueSchemes() map[string]func(body []byte) bool {
	return map[string]func(body []byte) bool{
		"news": startsNews, "snews": startsNews, "xmpp": nil, "sip": nil, "sips": nil, "bitcoin": nil, "urn": startsURN, "data": startsData,
		"file": startsWith("/"), "magnet": startsWith("?"), "doi": startsWith("1"),
		"tel": startsWith("+0123456789("), "sms": startsWith("+0123456789?"), "geo": startsWith("-0123456789"),
		"matrix": startsMatrix,
		"acct":   startsAcct, "did": startsDID, "dns": startsDNS, "pkg": startsPackage, "swh": startsSWH, "tag": startsTag,
	}
}

// startsWith returns a function that reports whether a body, which must not be empty, starts with one of bytes.
func startsWith(bytes string) func([]byte) bool {
	set := ascii.Bytes(bytes)
	return func(body []byte) bool { return set.Has(body[0]) }
}

// startsNews reports whether body, which must not be empty, starts with a letter, a digit or "*".
func startsNews(body []byte) bool { return body[0] == '*' || isLetter(body[0]) || isDigit(body[0]) }

// startsMatrix reports whether body starts with u, r, roomid or e, the kind of an identifier, and "/".
func startsMatrix(body []byte) bool {
	kind, _, ok := strings.Cut(string(body[:min(len(body), len("roomid/"))]), "/")
	return ok && (kind == "u" || kind == "r" || kind == "roomid" || kind == "e")
}

// startsURN reports whether body starts with a namespace of 2 to 32 letters, digits and hyphens, a colon, and at least
// one byte after the colon (RFC 8141 §2).
func startsURN(body []byte) bool {
	for i, c := range body {
		switch {
		case c == ':':
			return i >= 2 && i+1 < len(body)
		case i == 32 || !isLetter(c) && !isDigit(c) && c != '-':
			return false
		}
	}
	return false
}

// startsData reports whether body starts with a media type, which may be empty, and a comma (RFC 2397 §3).
func startsData(body []byte) bool {
	for _, c := range body {
		switch {
		case c == ',':
			return true
		case !isLetter(c) && !isDigit(c) && strings.IndexByte("/;=.+-_", c) < 0:
			return false
		}
	}
	return false
}

// withScheme fills in k with the candidate whose scheme ends at the colon. It returns miss if the text before the colon
// is not a scheme that f finds, or if the text after the colon cannot belong to a URL of the scheme.
func (f *finder) withScheme(w window, colon, floor int, k *candidate) status {
	body := w.text[colon+1:]
	if len(body) >= 2 && body[0] == '/' && body[1] == '/' {
		start, r, ok := f.schemeBefore(w.text, colon, floor)
		if !ok {
			return miss
		}
		k.setBody(start, start, colon+3)
		k.rule, k.hasAuthority = r, true
		return hit
	}
	start := colon
	for start > floor && colon-start <= maxSchemeName && schemeBytes[w.text[start-1]] {
		start--
	}
	r, _ := f.rule(w.text[start:colon])
	if !r.opaque {
		return miss
	}
	// Check now, because the rest need not be read if the start is wrong. verdict checks again when the end of the
	// URL is known.
	if near := body[:min(len(body), maxStart)]; (w.eof || len(near) == maxStart) && !r.canStart(near) {
		return miss
	}
	k.setBody(start, start, colon+1)
	k.rule = r
	if len(body) > 0 && body[0] == '*' { // in news:* the star means all newsgroups, not emphasis
		k.least++
	}
	return hit
}

// setBody sets the start and from of a candidate. Its end is looked for from the offset body on.
func (k *candidate) setBody(start, from, body int) {
	k.start, k.from, k.body, k.least = start, from, body, body
}

// canStart reports whether body can be the text after the scheme's colon. If startsBody is nil, body must contain a
// letter, a digit or a byte beyond ASCII. body may be cut off at its end.
func (r schemeRule) canStart(body []byte) bool {
	if len(body) == 0 {
		return false
	}
	if r.startsBody != nil {
		return r.startsBody(body)
	}
	for _, c := range body {
		if isLetter(c) || isDigit(c) || c >= 0x80 {
			return true
		}
	}
	return false
}

// rule returns the rule of the named scheme, and true if the scheme is known. The name may be in upper case. Every
// scheme "web+" with a name that HTML allows is known, and may have the zero rule.
func (f *finder) rule(name []byte) (schemeRule, bool) {
	if len(name) > maxSchemeName {
		return schemeRule{}, false
	}
	var lower [maxSchemeName]byte
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	r, ok := f.rules[string(lower[:len(name)])]
	return r, ok || len(name) > len("web+") && lower[3] == '+' && isWebScheme(string(lower[:len(name)]))
}

// schemeBefore returns where the scheme before "://" starts, at or after floor, and the rule of the scheme. It takes
// the whole name if the name is known, if the text after its last "+" is known, or if f.unknown is set. Otherwise it
// takes the longest known name at the end of the text before the colon. ok is false if no scheme ends at the colon.
func (f *finder) schemeBefore(text []byte, colon, floor int) (start int, r schemeRule, ok bool) {
	switch { // most URLs
	case colon-floor > 5 && string(text[colon-5:colon]) == "https" && !schemeBytes[text[colon-6]]:
		return colon - 5, schemeRule{host: true}, true
	case colon-floor > 4 && string(text[colon-4:colon]) == "http" && !schemeBytes[text[colon-5]]:
		return colon - 4, schemeRule{host: true}, true
	}
	start, plus := colon, -1
	for start > floor && colon-start < maxSchemeName && schemeBytes[text[start-1]] {
		start--
		if text[start] == '+' && plus < 0 {
			plus = start
		}
	}
	isWhole := start == floor || !schemeBytes[text[start-1]]
	for ; start < colon; start++ {
		if !isLetter(text[start]) {
			continue
		}
		if r, ok := f.rule(text[start:colon]); ok {
			return start, r, true
		}
		if start < plus {
			if r, ok := f.rule(text[plus+1 : colon]); ok {
				return start, r, true
			}
		}
		if f.unknown && colon-start > 1 && isWhole {
			return start, schemeRule{}, true
		}
	}
	return 0, schemeRule{}, false
}

// schemeBytes is the set of bytes in the name of a scheme (RFC 3986 §3.1).
var schemeBytes = bytesWhere(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("+-.", c) >= 0 })
