// Package scheme says what the URLs of each scheme mean: facts about the
// scheme, and a typed view of its URLs in which every part is decoded.
package scheme

import "locus/url"

// A View is what a URL of one scheme means: FTP, HTTP, Gopher … Its parts are
// decoded. URL is the inverse of the parser: ParseFTP(v.URL()) == v.
type View interface {
	URL() url.URL
}

// A Host is where a service is. The zero Host is no host.
type Host struct {
	Name string // decoded, brackets off: "example.org", "::1", "fe80::1%eth0"
	Port uint16 // 0 if the URL names none
}
