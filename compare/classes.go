package compare

// A Class names a reason for which parsers read a text differently. [Class.Why] explains it.
type Class string

// The classes.
const (
	NoScheme         Class = "no-scheme"
	SchemeRelative   Class = "scheme-relative"
	Prefix           Class = "url-prefix"
	Slashes          Class = "slashes"
	Backslash        Class = "backslash"
	Newline          Class = "newline"
	Whitespace       Class = "whitespace"
	UnicodeSpace     Class = "unicode-space"
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
	HostPort         Class = "host-port"
	OpaqueHost       Class = "opaque-host"
	PortRange        Class = "port-range"
	PortSyntax       Class = "port-syntax"
	DotSegments      Class = "dot-segments"
	BadEscape        Class = "bad-escape"
	NonASCII         Class = "non-ascii"
	IllegalCharacter Class = "illegal-character"
	Other            Class = "other"
)

// classes are all classes, each with an explanation.
var classes = []struct {
	class Class
	why   string
}{
	{NoScheme, "there is no scheme, so the text needs a base"},
	{SchemeRelative, "there is a host and no scheme; the base has the scheme"},
	{Prefix, `"url:" is a scheme to these parsers, and a prefix that others drop`},
	{Slashes, "WHATWG takes any number of slashes for two, and curl up to three"},
	{Backslash, `WHATWG and Node's url.parse read "\" as "/", the others do not`},
	{Newline, "WHATWG, Python and Node drop tabs and line ends, the others keep or refuse them"},
	{Whitespace, "WHATWG drops or escapes spaces, the RFCs refuse them"},
	{UnicodeSpace, "Perl, Node and many programs trim such a space, the others keep it"},
	{Control, "a control character is escaped by some and refused by others"},
	{Userinfo, `the text before "@" can be mistaken for the host`},
	{MultipleAt, `the login ends at the first "@" by the RFCs, at the last by WHATWG, net/url and the programs except curl`},
	{Boundary, `RFC 1738 lets a login run to the first "/", and "?" be data in most schemes`},
	{EmptyPart, "some read an empty part as absent, others refuse it"},
	{IPv4Shorthand, "WHATWG and curl read the number as an IPv4 address, the others as a name"},
	{LeadingZeros, "a number with leading zeros is octal to some, decimal to others"},
	{IDNA, "WHATWG maps the name by IDNA, net/url does not, the RFCs refuse it"},
	{UnicodeDot, `WHATWG reads the character as "."`},
	{PercentHost, "escapes in a host are decoded by some, and refused by others"},
	{BracketedHost, "not all parsers can read the text between the brackets"},
	{HostCharacter, "not all parsers let the character stand in a host"},
	{HostPort, "a name and a number are a host and a port to PHP, a scheme and a path to the others"},
	{OpaqueHost, `Node's url.parse reads a host after the scheme, also without "//", and Perl in sip`},
	{PortRange, "a port is at most 65535"},
	{PortSyntax, "the port is not a number"},
	{DotSegments, `WHATWG and curl resolve "." and ".." in the path, the others only when they normalize it`},
	{BadEscape, `some refuse a "%" that starts no escape`},
	{NonASCII, "a character that is not ASCII is escaped by some, and refused by others"},
	{IllegalCharacter, "the character is escaped by some, and refused by others"},
	{Other, "this package has no name for the reason"},
}

// Why explains the class in a sentence. It returns "" for an unknown class.
func (c Class) Why() string {
	for _, known := range classes {
		if known.class == c {
			return known.why
		}
	}
	return ""
}

// A Finding is a position in a text that parsers read differently.
type Finding struct {
	Class  Class
	Offset int // in bytes

	// Disagrees reports whether parsers in use read the text differently here. If it is false, the finding is a note: only an old RFC, or a
	// parser that this package does not model, reads the text differently.
	Disagrees bool
}
