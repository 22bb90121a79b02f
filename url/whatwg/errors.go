package whatwg

import (
	"fmt"
	"strings"

	"locus/url"
)

// A Name identifies a validation error. It is the name that the URL Standard gives to the error.
type Name string

// The validation errors of the URL Standard.
const (
	DomainToASCII                Name = "domain-to-ASCII"
	DomainPercentEncoded         Name = "domain-percent-encoded"
	HostInvalidCodePoint         Name = "host-invalid-code-point"
	IPv4EmptyPart                Name = "IPv4-empty-part"
	IPv4TooFewParts              Name = "IPv4-too-few-parts"
	IPv4TooManyParts             Name = "IPv4-too-many-parts"
	IPv4NonNumericPart           Name = "IPv4-non-numeric-part"
	IPv4NonDecimalPart           Name = "IPv4-non-decimal-part"
	IPv4OutOfRangePart           Name = "IPv4-out-of-range-part"
	IPv6Unclosed                 Name = "IPv6-unclosed"
	IPv6InvalidCompression       Name = "IPv6-invalid-compression"
	IPv6TooManyPieces            Name = "IPv6-too-many-pieces"
	IPv6MultipleCompression      Name = "IPv6-multiple-compression"
	IPv6InvalidCodePoint         Name = "IPv6-invalid-code-point"
	IPv6TooFewPieces             Name = "IPv6-too-few-pieces"
	IPv6PieceLeadingZero         Name = "IPv6-piece-leading-zero"
	IPv4InIPv6TooManyPieces      Name = "IPv4-in-IPv6-too-many-pieces"
	IPv4InIPv6InvalidCodePoint   Name = "IPv4-in-IPv6-invalid-code-point"
	IPv4InIPv6OutOfRangePart     Name = "IPv4-in-IPv6-out-of-range-part"
	IPv4InIPv6TooFewParts        Name = "IPv4-in-IPv6-too-few-parts"
	InvalidURLUnit               Name = "invalid-URL-unit"
	SpecialSchemeMissingSolidus  Name = "special-scheme-missing-following-solidus"
	MissingSchemeNonRelative     Name = "missing-scheme-non-relative-URL"
	InvalidReverseSolidus        Name = "invalid-reverse-solidus"
	InvalidCredentials           Name = "invalid-credentials"
	HostMissing                  Name = "host-missing"
	PortOutOfRange               Name = "port-out-of-range"
	PortInvalid                  Name = "port-invalid"
	FileInvalidDriveLetter       Name = "file-invalid-Windows-drive-letter"
	FileInvalidDriveLetterAsHost Name = "file-invalid-Windows-drive-letter-host"
)

// An Error is a validation error of the URL Standard.
type Error struct {
	Name    Name
	Offset  int  // in bytes of the text that was parsed
	Failure bool // the error ends the parse, so the text is not a URL
}

// Error returns the name and the offset. It does not show the text, because the text may contain a password.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at offset %d (URL Standard)", e.Name, e.Offset)
}

// Syntax converts the error to the error type of the other standards, which says where text is wrong and what is
// wanted there. text must be the text that was parsed. It becomes part of the result, and may contain a password.
func (e *Error) Syntax(text string) *url.SyntaxError {
	return &url.SyntaxError{
		Text: text, Offset: e.Offset, Standard: Standard,
		Rule: "URL Standard, " + string(e.Name), Want: e.Name.want(),
	}
}

// want returns a description of the text that the parser wants at the offset of an error with the name n. n must be an
// error that ends the parse.
func (n Name) want() string {
	switch n {
	case MissingSchemeNonRelative:
		return "a scheme, or a base"
	case HostMissing:
		return "a host"
	case DomainToASCII:
		return "a host that IDNA writes in ASCII, of characters that may stand in one"
	case HostInvalidCodePoint:
		return "a character that may stand in a host"
	case PortOutOfRange:
		return "a port up to 65535"
	case PortInvalid:
		return "a digit of the port"
	case IPv6Unclosed:
		return `the "]" that ends the address`
	}
	if strings.HasPrefix(string(n), "IPv4-") && !strings.HasPrefix(string(n), "IPv4-in-") {
		return "an IPv4 address, as the host ends in a number"
	}
	return "an IPv6 address"
}
