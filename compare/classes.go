package compare

// A Class says over what parsers part.
type Class string

// The classes.
const (
	NoScheme         Class = "no-scheme"         // a relative reference: there is no scheme, and no host either
	SchemeRelative   Class = "scheme-relative"   // a host and no scheme: whoever reads it puts in his own
	Slashes          Class = "slashes"           // a browser takes any number of slashes for two
	Backslash        Class = "backslash"         // a browser takes "\" for "/"
	Newline          Class = "newline"           // a browser leaves out tabs and line ends, wherever they stand
	Whitespace       Class = "whitespace"        // a browser leaves out spaces at the ends, and escapes others
	Control          Class = "control-character" // no parser may be handed one; some pass it on
	Userinfo         Class = "userinfo"          // what stands before the "@" looks like the place, or is not read as a user
	MultipleAt       Class = "multiple-at"       // the first "@" ends the user by one reading, the last by another
	Boundary         Class = "boundary"          // by RFC 1738 "?" and "#" do not end a login, and "?" is data in most schemes
	EmptyPart        Class = "empty-part"        // an empty part is the same as none to some, and refused by others
	IPv4Shorthand    Class = "ipv4-shorthand"    // a browser reads a number as an address, others as a name
	LeadingZeros     Class = "leading-zeros"     // octal to some, decimal to others
	IDNA             Class = "idna"              // IDNA folds one name into another
	UnicodeDot       Class = "unicode-dot"       // a character that IDNA folds into "."
	PercentHost      Class = "percent-host"      // escapes in a host are decoded by some, refused by others
	BracketedHost    Class = "bracketed-host"    // what may stand between brackets differs
	HostCharacter    Class = "host-character"    // a character that some let stand in a host
	PortRange        Class = "port-range"        // a port over 65535 is refused by some, cut or ignored by others
	PortSyntax       Class = "port-syntax"       // a port that is no number, as where there are two
	DotSegments      Class = "dot-segments"      // a browser resolves "." and "..", escaped ones too
	BadEscape        Class = "bad-escape"        // a "%" that starts no escape is refused by some
	NonASCII         Class = "non-ascii"         // a character that some escape, and others refuse
	IllegalCharacter Class = "illegal-character" // an ASCII character that some escape, and others refuse
	Other            Class = "other"             // none of these
)

// Classes returns every class.
func Classes() []Class {
	return []Class{
		NoScheme, SchemeRelative, Slashes, Backslash, Newline, Whitespace, Control, Userinfo, MultipleAt, Boundary, EmptyPart,
		IPv4Shorthand, LeadingZeros, IDNA, UnicodeDot, PercentHost, BracketedHost, HostCharacter, PortRange, PortSyntax,
		DotSegments, BadEscape, NonASCII, IllegalCharacter, Other,
	}
}

// Why says in a sentence why parsers part over the class.
func (c Class) Why() string {
	switch c {
	case NoScheme:
		return "there is no scheme: it leads nowhere without a base"
	case SchemeRelative:
		return "there is a host and no scheme: the scheme is that of the base"
	case Slashes:
		return "WHATWG takes any number of slashes for two"
	case Backslash:
		return `WHATWG takes "\" for "/", the others do not`
	case Newline:
		return "WHATWG leaves out tabs and line ends, the others refuse them"
	case Whitespace:
		return "WHATWG leaves out or escapes spaces, the RFCs refuse them"
	case Control:
		return "a control character is escaped by some and refused by others"
	case Userinfo:
		return `what stands before "@" can be taken for the host`
	case MultipleAt:
		return `it is the first "@" that ends the user by the RFCs, the last by WHATWG and net/url`
	case Boundary:
		return `RFC 1738 lets a login run to the first "/", and "?" be data in most schemes`
	case EmptyPart:
		return "an empty part is none to some, and refused by others"
	case IPv4Shorthand:
		return "WHATWG reads the number as an IPv4 address, the others as a name"
	case LeadingZeros:
		return "a number with leading zeros is octal to some, decimal to others"
	case IDNA:
		return "WHATWG maps the name by IDNA, net/url does not, the RFCs refuse it"
	case UnicodeDot:
		return `WHATWG takes the character for "."`
	case PercentHost:
		return "escapes in a host are decoded by some, and refused by others"
	case BracketedHost:
		return "not all can read what stands between the brackets"
	case HostCharacter:
		return "not all let the character stand in a host"
	case PortRange:
		return "no port is so high"
	case PortSyntax:
		return "the port is not a number"
	case DotSegments:
		return `WHATWG resolves "." and ".." in the path, the others when it is normalized`
	case BadEscape:
		return `a "%" that starts no escape is refused by some`
	case NonASCII:
		return "a character that is not ASCII is escaped by some, and refused by others"
	case IllegalCharacter:
		return "the character is escaped by some, and refused by others"
	}
	return "for a reason that has no name"
}

// A Finding is a place in a text over which parsers part.
type Finding struct {
	Class  Class
	Offset int // in octets

	// Parted reports whether the readings part here. If not they agree, but
	// parsers that keep to none of the standards are known not to.
	Parted bool
}
