package compare

// A Class says over what parsers part. [Class.Why] explains it.
type Class string

// The classes.
const (
	NoScheme         Class = "no-scheme"
	SchemeRelative   Class = "scheme-relative"
	Slashes          Class = "slashes"
	Backslash        Class = "backslash"
	Newline          Class = "newline"
	Whitespace       Class = "whitespace"
	Control          Class = "control-character"
	Userinfo         Class = "userinfo"
	MultipleAt       Class = "multiple-at"
	Boundary         Class = "boundary"
	EmptyPart        Class = "empty-part"
	IPv4Shorthand    Class = "ipv4-shorthand"
	LeadingZeros     Class = "leading-zeros"
	IDNA             Class = "idna"
	UnicodeDot       Class = "unicode-dot"
	PercentHost      Class = "percent-host"
	BracketedHost    Class = "bracketed-host"
	HostCharacter    Class = "host-character"
	PortRange        Class = "port-range"
	PortSyntax       Class = "port-syntax"
	DotSegments      Class = "dot-segments"
	BadEscape        Class = "bad-escape"
	NonASCII         Class = "non-ascii"
	IllegalCharacter Class = "illegal-character"
	Other            Class = "other"
)

// classes are the classes, with the reason of each.
var classes = []struct {
	class Class
	why   string
}{
	{NoScheme, "there is no scheme: it leads nowhere without a base"},
	{SchemeRelative, "there is a host and no scheme: the scheme is that of the base"},
	{Slashes, "WHATWG takes any number of slashes for two"},
	{Backslash, `WHATWG takes "\" for "/", the others do not`},
	{Newline, "WHATWG leaves out tabs and line ends, the others refuse them"},
	{Whitespace, "WHATWG leaves out or escapes spaces, the RFCs refuse them"},
	{Control, "a control character is escaped by some and refused by others"},
	{Userinfo, `what stands before "@" can be taken for the host`},
	{MultipleAt, `it is the first "@" that ends the user by the RFCs, the last by WHATWG and net/url`},
	{Boundary, `RFC 1738 lets a login run to the first "/", and "?" be data in most schemes`},
	{EmptyPart, "an empty part is none to some, and refused by others"},
	{IPv4Shorthand, "WHATWG reads the number as an IPv4 address, the others as a name"},
	{LeadingZeros, "a number with leading zeros is octal to some, decimal to others"},
	{IDNA, "WHATWG maps the name by IDNA, net/url does not, the RFCs refuse it"},
	{UnicodeDot, `WHATWG takes the character for "."`},
	{PercentHost, "escapes in a host are decoded by some, and refused by others"},
	{BracketedHost, "not all can read what stands between the brackets"},
	{HostCharacter, "not all let the character stand in a host"},
	{PortRange, "no port is so high"},
	{PortSyntax, "the port is not a number"},
	{DotSegments, `WHATWG resolves "." and ".." in the path, the others when it is normalized`},
	{BadEscape, `a "%" that starts no escape is refused by some`},
	{NonASCII, "a character that is not ASCII is escaped by some, and refused by others"},
	{IllegalCharacter, "the character is escaped by some, and refused by others"},
	{Other, "for a reason that has no name"},
}

// Classes returns every class.
func Classes() []Class {
	var all []Class
	for _, c := range classes {
		all = append(all, c.class)
	}
	return all
}

// Why says in a sentence why parsers part over the class; "" if there is no
// such class.
func (c Class) Why() string {
	for _, known := range classes {
		if known.class == c {
			return known.why
		}
	}
	return ""
}

// A Finding is a place in a text over which parsers part.
type Finding struct {
	Class  Class
	Offset int // in octets

	// Parted reports whether the readings part here. If not they agree, but
	// parsers that keep to none of the standards are known not to.
	Parted bool
}
