package url

import "locus/internal/ascii"

// A class is a set of sets of bytes: byte c belongs to the set with bit b
// if classes[c]&b != 0.
type class uint16

const (
	cAlpha class = 1 << iota
	cDigit
	cHex
	cColon
	cScheme     // alpha, digit, "+", "-", "."
	c3986User   // RFC 3986: unreserved, sub-delims; also reg-name
	c3986Path   // RFC 3986: pchar, "/"
	c3986Query  // RFC 3986: pchar, "/", "?"
	c1738User   // RFC 1738 §5: user, password
	c1738Xchar  // RFC 1738 §5: xchar
	c1630Xalpha // RFC 1630: xalpha
	c1630Path   // RFC 1630: xalpha and those of "=;/:" that schemes use
	c1630User   // RFC 1630: alphanum2
	c1738Host   // RFC 1738 §5: hostname, hostnumber
	cHref       // URL Standard: printable ASCII; "%" too, as hrefs may have bad escapes

	// noEscapes is in no byte's class: a part that names it has no escapes.
	noEscapes class = 1 << 15
)

const (
	alpha      = ascii.Letters
	digit      = ascii.Digits
	unreserved = alpha + digit + "-._~"        // RFC 3986 §2.3
	subDelims  = "!$&'()*+,;="                 // RFC 3986 §2.2
	pchar      = unreserved + subDelims + ":@" // RFC 3986 §3.3, without the escapes
	uchar      = alpha + digit + "$-_.+!*'()," // RFC 1738 §5, without the escapes
	xchar      = uchar + ";/?:@&="             // RFC 1738 §5, without the escapes
	xalpha     = alpha + digit + "$-_@.&+!*\"'(),"
)

// classes is the one table of what every standard lets stand for itself.
// "%" is in no class but cHref: escapes are judged apart.
var classes = func() (table [256]class) {
	for bit, bytes := range map[class]string{
		cAlpha:      alpha,
		cDigit:      digit,
		cHex:        ascii.Hex,
		cColon:      ":",
		cScheme:     alpha + digit + "+-.",
		c3986User:   unreserved + subDelims,
		c3986Path:   pchar + "/",
		c3986Query:  pchar + "/?",
		c1738User:   uchar + ";?&=",
		c1738Xchar:  xchar,
		c1630Xalpha: xalpha,
		c1630Path:   xalpha + "=;/:",
		c1630User:   alpha + digit + "-_.+",
		cHref:       xchar + " \"#%<>[\\]^`{|}~",
		c1738Host:   alpha + digit + "-.",
	} {
		for _, c := range []byte(bytes) {
			table[c] |= bit
		}
	}
	return table
}()
