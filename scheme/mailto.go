package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Mailto is what a mailto URL means: an address. Nothing can retrieve it
// (RFC 1738 §3.5).
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
// RFC 6068 has several addresses, or none, and header fields after a "?". A URL
// read by RFC 3986 is read so; to RFC 1738 and RFC 1630 "?" is part of the
// address.
type Mailto struct {
	Address string   // decoded; several have commas between them
	Fields  url.Part // the header fields of RFC 6068, as written: "subject=a%20b"
}

const mailtoRule = "RFC 1738 §3.5"

// ParseMailto returns the view of a mailto URL.
func ParseMailto(u url.URL) (Mailto, error) {
	if err := noAuthority(u, true, mailtoRule, "an address", "mailto"); err != nil {
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
	if n, want := judgeAddresses(v.Address, several); want != "" {
		return Mailto{}, pathFail(u, written(address, n), mailtoRule, want)
	}
	return v, nil
}

// URL returns the URL that means v.
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

// judgeAddresses judges an addr-spec, or several with commas between them. It
// returns the first byte with which no address can go on, and what was wanted
// there; "" if all are good.
func judgeAddresses(s string, several bool) (offset int, want string) {
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

// addrSpec reads an addr-spec of RFC 822 §6.1 at s[i:] and returns where it
// ends.
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

// word reads an atom, or what stands between the delimiters first and last, at
// s[i:] and returns where it ends.
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

// quoted reads up to the delimiter last. A backslash quotes any byte. CR stands
// only where the text is folded: before LF and a space or a tab.
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
		return len(s), "the end of what is quoted: " + string(rune(last))
	}
	return i + 1, ""
}

// isFold reports whether s starts with a line end at which a header is folded
// (RFC 822 §3.1.1).
func isFold(s string) bool {
	return strings.HasPrefix(s, "\r\n ") || strings.HasPrefix(s, "\r\n\t")
}

// isAtom reports whether c may stand in an atom of RFC 822 §3.3. Bytes over 7F
// may too, as RFC 6532 has it.
func isAtom(c byte) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte(`()<>@,;:\".[]`, c) < 0
}
