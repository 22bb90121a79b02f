package scheme

import (
	"strings"

	"locus/url"
)

// Telnet is the view of a telnet, rlogin or tn3270 URL: an interactive service.
//
//	telnet://user:password@host:23/
//
// RFC 1738 §5. RFC 1630 writes rlogin and tn3270 URLs in the same way, and RFC 6270 tn3270 URLs:
//
//	telneturl = "telnet://" login [ "/" ]
//
// User and Password are advice for the user, and must not be typed without being asked for (§3.8).
type Telnet struct {
	Scheme string // "telnet", "rlogin" or "tn3270"; "" means "telnet"
	Host
	User, Password url.Part
}

// ParseTelnet returns the view of a telnet, rlogin or tn3270 URL. It refuses a path other than "/".
func ParseTelnet(u url.URL) (Telnet, error) {
	rule := "RFC 1738 §3.8"
	if u.Scheme() != "telnet" {
		rule = "RFC 1630, Telnet, rlogin, tn3270"
	}
	host, err := hostPort(u, rule, "telnet", "rlogin", "tn3270")
	if err != nil {
		return Telnet{}, err
	}
	v := Telnet{Scheme: u.Scheme(), Host: host}
	if rest := strings.TrimPrefix(u.PathAndQuery(), "/"); rest != "" {
		return Telnet{}, pathFail(u, len(u.PathAndQuery())-len(rest), rule, `the end of the URL after the host, port and "/"`)
	}
	v.User = decoded(u.User())
	v.Password = decoded(u.Password())
	return v, nil
}

// URL returns the URL whose view is v, without a "/" at its end.
func (v Telnet) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "telnet")
	b.authority(v.Host, v.User, v.Password)
	return b.url()
}
