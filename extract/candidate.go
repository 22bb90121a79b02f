package extract

// A form is a way of writing a URL in text.
type form uint8

const (
	noForm        form = iota
	wrapper            // <URL:…>
	prefixed           // URL:…
	withScheme         // a URL with a scheme that the finder knows
	localhost          // localhost, with a port
	bracketedIPv6      // an IPv6 address in brackets, followed by a port or a path
	bareIPv6           // an IPv6 address alone
	hostName           // a domain name or an IPv4 address
	mailAddress        // a mail address
	relativePath       // a path relative to Options.Base
)

var kindOf = [...]Kind{
	wrapper: Wrapped, prefixed: Prefixed, withScheme: Plain, localhost: Host, bracketedIPv6: Host, bareIPv6: Host,
	hostName: Host, mailAddress: Address, relativePath: Path,
}

// A candidate is text that may be a URL. The stages of a finder fill in its fields one after the other. Positions are
// offsets in the window.
type candidate struct {
	form form
	rule schemeRule // the rule of the scheme, if form is withScheme

	// Set by candidate.
	start        int  // where the match starts, with its wrapper or prefix
	from         int  // where the URL starts
	body         int  // the offset at which the search for the right edge starts
	least        int  // trim keeps the bytes before this offset
	hostEnd      int  // where the host ends, for the forms that are a host; its port ends at body
	hasAuthority bool // the body starts with an authority

	// Set by rightEdge.
	edge         int  // where the URL ends, before trim
	authorityEnd int  // where its authority ends
	isValid      bool // the authority was already found to be valid

	// Set by trim.
	end int
}

// firstForm returns the form that is tried first for the trigger at i.
func firstForm(text []byte, i int) form {
	switch text[i] {
	case ':':
		if isPrefix(text, i) {
			return wrapper
		}
		return withScheme
	case '.':
		return hostName
	case '@':
		return mailAddress
	default:
		return relativePath
	}
}

// nextForm returns the form that is tried after last for the same trigger, or noForm if last was the final one.
func (f *finder) nextForm(last form) form {
	switch {
	case last == wrapper || last == prefixed:
		return last + 1
	case f.bare && last >= withScheme && last < bareIPv6:
		return last + 1
	}
	return noForm
}

// candidate fills in k, whose form is set, from the text around the trigger at i. It returns hit, miss if the text does
// not have that form, or needMore if later text decides. So do the functions that it calls, one for each form.
func (f *finder) candidate(w window, i int, c *cursor, k *candidate) status {
	switch k.form {
	case wrapper:
		return f.wrapper(w, i, c.floor, k)
	case prefixed:
		return f.prefixed(w, i, c.floor, k)
	case withScheme:
		return f.withScheme(w, i, c.floor, k)
	case localhost:
		return f.localhost(w, i, c.floor, k)
	case bracketedIPv6, bareIPv6:
		return f.ipv6(w, i, c, k)
	case hostName:
		return f.hostName(w, i, c, k)
	case mailAddress:
		return f.mailAddress(w, i, c.floor, k)
	default:
		return f.relativePath(w.text, i, c.floor, k)
	}
}

// setFixed sets the fields of a candidate whose start and end are known, and returns hit. Because least is the end,
// trim removes no byte.
func (k *candidate) setFixed(start, end int) status {
	k.start, k.from, k.body, k.least, k.hostEnd = start, start, end, end, end
	return hit
}

// byteBefore returns text[at-1], or a space if at is 0.
func byteBefore(text []byte, at int) byte {
	if at == 0 {
		return ' '
	}
	return text[at-1]
}

// bytesWhere returns the set of the bytes for which is reports true.
func bytesWhere(is func(c byte) bool) (set [256]bool) {
	for c := range set {
		set[c] = is(byte(c))
	}
	return set
}
