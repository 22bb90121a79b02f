package url

import (
	"math/bits"

	"locus/internal/ascii"
)

// masks says which delimiters stand where in up to 64 bytes of text: bit i of a mask is set if byte i is that
// delimiter. A processor that compares 32 bytes at once computes the masks faster than scan can read the bytes one
// word at a time.
type masks struct {
	bad                                       uint64 // bytes that may not stand in a URL, or only in brackets
	colon, slash, question, hash, at, percent uint64
}

const (
	leastWide = 16 // the lengths of a text that find can read
	mostWide  = 64
)

// parseWide divides u's text by means of masks, and reports whether it is valid. The text must have at least leastWide
// bytes. If it returns false, some offsets of u may be set, and the text is invalid or one of the rare texts that only
// scan reads: a text with an IP literal, or with a scheme or an authority that may not end in the first mostWide bytes.
func (u *URL) parseWide() bool {
	s := u.text
	var m masks
	head := min(len(s), mostWide)
	find(s[:head], &m)
	if m.bad != 0 || m.percent != 0 && !areEscapes(s, 0, m.percent) {
		return false
	}
	ends := m.slash | m.question | m.hash
	i := 0
	if colon := bits.TrailingZeros64(m.colon); colon < bits.TrailingZeros64(ends) {
		if !isScheme(s, colon) {
			return false
		}
		i = colon + 1
		u.scheme = int32(i)
	}
	if i == mostWide-1 && len(s) > mostWide {
		return false // the head may end between the slashes of a "//"
	}
	if m.slash>>i&3 == 3 {
		i += len("//")
		u.auth = int32(i)
		ends &= from(i)
		end := min(bits.TrailingZeros64(ends), head)
		if among := from(i) &^ from(end); (m.colon|m.at)&among != 0 && !u.wideAuthority(m.colon&among, m.at&among, end) {
			return false
		}
		i = end
	}
	if ends == 0 && len(s) > mostWide {
		return false // the text after the head may belong to the authority
	}
	u.path = int32(i)
	return u.wideTail(0, m.question, m.hash) && (len(s) == head || u.parseWideRest())
}

// wideAuthority sets the offsets of the password, the host and the port in an authority that ends at end and contains a
// colon or "@". Bit k of colon and of at says whether text[k] is that byte in the authority. It returns false if only
// scan can decide about the authority.
func (u *URL) wideAuthority(colon, at uint64, end int) bool {
	if at != 0 {
		if !hasAtMostOneBit(at) {
			return false
		}
		if password := colon & (at - 1); password != 0 {
			u.password = int32(bits.TrailingZeros64(password) + 1)
		}
		colon &^= at - 1
		u.host = int32(bits.TrailingZeros64(at) + 1)
	}
	if colon == 0 {
		return true
	}
	port := bits.TrailingZeros64(colon) + 1
	u.port = int32(port)
	return hasAtMostOneBit(colon) && skipDigits(u.text, port) == end
}

// wideTail sets the offsets of the query and the fragment that begin in a block of text at i. Bit k of question and of
// hash says whether text[i+k] is "?" or "#". It returns false if the text has a second "#", which is invalid.
func (u *URL) wideTail(i int, question, hash uint64) bool {
	if u.fragment != 0 {
		return hash == 0
	}
	if hash != 0 {
		u.fragment = int32(i + bits.TrailingZeros64(hash) + 1)
		question &= hash - 1
	}
	if question != 0 && u.query == 0 {
		u.query = int32(i + bits.TrailingZeros64(question) + 1)
	}
	return hasAtMostOneBit(hash)
}

// parseWideRest reads the text after the first mostWide bytes, which end in the path or later. It returns false if the
// text may be invalid, so that scan has to read it.
func (u *URL) parseWideRest() bool {
	s := u.text
	for done := mostWide; done < len(s); done += mostWide {
		var m masks
		i := min(done, len(s)-mostWide) // the last bytes overlap the ones before
		find(s[i:i+mostWide], &m)
		fresh := from(done - i)
		if m.bad != 0 || !areEscapes(s, i, m.percent&fresh) || !u.wideTail(i, m.question&fresh, m.hash&fresh) {
			return false
		}
	}
	return true
}

// isScheme reports whether s[:n] is a scheme, which a colon follows. s must have at least eight bytes.
func isScheme(s string, n int) bool {
	if n == 0 || classes[s[0]]&cAlpha == 0 {
		return false
	}
	if n <= 8 && inNames.Outside(ascii.Word(s))&(1<<(8*n)-1) == 0 {
		return true
	}
	return skipEach(s[:n], 0, cScheme) == n
}

// areEscapes reports whether each "%" that percent marks starts an escape. Bit k of percent marks s[i+k].
func areEscapes(s string, i int, percent uint64) bool {
	for ; percent != 0; percent &= percent - 1 {
		if !ascii.HasEscape(s, i+bits.TrailingZeros64(percent)) {
			return false
		}
	}
	return true
}

// from returns a mask of all bits from bit i on.
func from(i int) uint64 { return ^uint64(0) << i }

// hasAtMostOneBit reports whether at most one bit of mask is set.
func hasAtMostOneBit(mask uint64) bool { return mask&(mask-1) == 0 }
