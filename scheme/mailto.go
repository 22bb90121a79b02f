package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Mailto is the view of a mailto URL: an address, which cannot be retrieved (RFC 1738 §3.5).
//
//	mailto:user%25gateway@host.dom
//	       \_____________________/
//	               Address
//
// RFC 1738 §5, RFC 822 §6.1:
//
//	mailtourl      = "mailto:" encoded822addr
//	encoded822addr = 1*xchar                       ; the encoding of an addr-spec
//	addr-spec      = local-part "@" domain
//	local-part     = word *( "." word )
//	word           = atom | quoted-string
//	domain         = sub-domain *( "." sub-domain )
//	sub-domain     = atom | domain-literal
//
// RFC 6068 also allows several addresses, or none, and header fields after a "?". ParseMailto reads a URL of RFC 3986
// by RFC 6068. By RFC 1738 and RFC 1630, "?" is part of the address.
type Mailto struct {
	Address string   // decoded; commas separate several addresses
	Fields  url.Part // the header fields of RFC 6068, as written: "subject=a%20b"
}

const mailtoRule = "RFC 1738 §3.5"

// ParseMailto returns the view of a mailto URL.
func ParseMailto(u url.URL) (Mailto, error) {
	if err := refuseAuthority(u, true, mailtoRule, "an address", "mailto"); err != nil {
		return Mailto{}, err
	}
	address := u.PathAndQuery()
	var v Mailto
	several := u.Standard() == url.RFC3986
	if several {
		address = u.Path()
		fields, ok := u.Query()
		v.Fields = url.Part{Text: fields, Present: ok}
	}
	v.Address = ascii.Unescape(address)
	if v.Address == "" && v.Fields.Present {
		return v, nil
	}
	if n, want := checkAddresses(v.Address, several); want != "" {
		return Mailto{}, pathFail(u, encodedOffset(address, n), mailtoRule, want)
	}
	return v, nil
}

// URL returns the URL whose view is v.
func (v Mailto) URL() url.URL {
	var b builder
	b.WriteString("mailto:")
	b.escape(v.Address, inPath)
	if v.Fields.Present {
		b.WriteByte('?')
		b.written(v.Fields.Text, inWritten)
	}
	return b.url()
}

// checkAddresses checks that s is one decoded addr-spec or, if several is true, addr-specs with commas between them. It
// returns the offset of the first wrong byte and the text that is wanted there. want is "" if s is valid.
func checkAddresses(s string, several bool) (offset int, want string) {
	for i := 0; ; i++ {
		if i, want = addrSpec(s, i); want != "" {
			return i, want
		}
		switch {
		case i == len(s):
			return 0, ""
		case s[i] != ',' || !several:
			return i, "an atom of a domain, or the end of the address"
		}
	}
}

// addrSpec scans an addr-spec of RFC 822 §6.1 that starts at offset i of s. It returns the offset of its end and "", or
// the offset of the error and the text that is wanted there.
func addrSpec(s string, i int) (end int, want string) {
	for {
		if i, want = word(s, i, '"', '"', "an atom or a quoted string of the address"); want != "" {
			return i, want
		}
		if i < len(s) && s[i] == '@' {
			break
		}
		if i == len(s) || s[i] != '.' {
			return i, `"." or "@" in the address`
		}
		i++
	}
	for {
		if i, want = word(s, i+1, '[', ']', "an atom of a domain, or a domain literal"); want != "" {
			return i, want
		}
		if i == len(s) || s[i] != '.' {
			return i, ""
		}
	}
}

// word scans an atom, or text between the delimiters first and last, that starts at offset i of s. It returns the
// offset after the word, and "". If neither an atom nor the delimiter first is at i, it returns i and wanted. If the
// text between the delimiters is wrong, it returns the offset of the error and the text that is wanted there.
func word(s string, i int, first, last byte, wanted string) (end int, want string) {
	if i < len(s) && s[i] == first {
		return quoted(s, i+1, first, last)
	}
	end = i
	for end < len(s) && isAtom(s[end]) {
		end++
	}
	if end == i {
		return i, wanted
	}
	return end, ""
}

// quoted scans quoted text from offset i of s, which is after the delimiter first, to the delimiter last. It returns
// the offset after last and "", or the offset of the error and the text that is wanted there. A backslash quotes any
// byte. CR may stand only at a fold, before LF and a space or a tab.
func quoted(s string, i int, first, last byte) (end int, want string) {
	for i < len(s) && s[i] != last {
		switch {
		case s[i] == '\\':
			i++
		case isFold(s[i:]):
			i += len("\r\n")
		case s[i] == first || s[i] == '\r':
			return i, "a byte that may be quoted"
		}
		i++
	}
	if i >= len(s) {
		return len(s), "the end of the quoted text: " + string(rune(last))
	}
	return i + 1, ""
}

// isFold reports whether s starts with CR LF and a space or a tab, where a header is folded (RFC 822 §3.1.1).
func isFold(s string) bool {
	return strings.HasPrefix(s, "\r\n ") || strings.HasPrefix(s, "\r\n\t")
}

// isAtom reports whether c may stand in an atom of RFC 822 §3.3. RFC 6532 adds the bytes above 0x7F.
func isAtom(c byte) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte(`()<>@,;:\".[]`, c) < 0
}
