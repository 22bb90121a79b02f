package compare

import "strconv"

// parsers are the names of the parsers, and the software that reads URLs in the same way.
var parsers = [parserCount]struct{ name, software string }{
	RFC1738: {"RFC 1738", "programs of the 1990s; locus --as rfc1738"},
	RFC1630: {"RFC 1630", "the first browsers; locus --as rfc1630"},
	RFC3986: {"RFC 3986", "strict libraries, such as uriparser; locus"},
	WHATWG:  {"WHATWG", "browsers, Node.js, Deno, Rust's url; locus --as whatwg"},
	Go:      {"net/url", "Go programs, of the version that locus is built with"},
	Curl:    {"curl", "curl and libcurl, as of 8.23.0"},
	Python:  {"Python urllib", "urllib.parse of Python, as of 3.15.2"},
	Java:    {"Java URI", "java.net.URI and Java's HttpClient, as of 25"},
	PHP:     {"PHP parse_url", "parse_url of PHP, as of 8.5.10"},
	Ruby:    {"Ruby URI", "URI.parse of Ruby's URI, as of 1.1.1"},
	Perl:    {"Perl URI", "Perl's URI and LWP, as of 5.40"},
	Node:    {"Node url.parse", "the legacy url.parse of Node.js, as of 26.12.1"},
	PHPURI:  {"PHP Rfc3986", `Uri\Rfc3986\Uri of PHP, as of 8.5.10`},
}

// String returns the name of the parser: "RFC 1738", "WHATWG", "net/url". It returns "Parser(200)" for the number 200,
// which is not a parser.
func (p Parser) String() string {
	if p >= parserCount {
		return "Parser(" + strconv.Itoa(int(p)) + ")"
	}
	return parsers[p].name
}

// Software describes the real software that reads URLs as p does. It returns "" for a number that is not a parser.
func (p Parser) Software() string {
	if p >= parserCount {
		return ""
	}
	return parsers[p].software
}
