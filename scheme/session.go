package scheme

import (
	"strings"

	"locus/url"
)

// Telnet is what a telnet URL means: an interactive service.
//
//	telnet://user:password@host:23/
//
// RFC 1738 §5:
//
//	telneturl = "telnet://" login [ "/" ]
//
// User and Password are advice for the user, never typed unasked (§3.8).
type Telnet struct {
	Host
	User, Password url.Part
}

// Rlogin is what an rlogin URL means: an interactive service (RFC 1630). It is
// written as [Telnet] is.
type Rlogin struct {
	Host
	User, Password url.Part
}

// TN3270 is what a tn3270 URL means: an interactive service (RFC 1630, RFC
// 6270). It is written as [Telnet] is.
type TN3270 struct {
	Host
	User, Password url.Part
}

// ParseTelnet returns the view of a telnet URL.
func ParseTelnet(u url.URL) (Telnet, error) { return parseSession(u, "telnet", "RFC 1738 §3.8") }

// ParseRlogin returns the view of an rlogin URL.
func ParseRlogin(u url.URL) (Rlogin, error) {
	v, err := parseSession(u, "rlogin", sessionRule)
	return Rlogin(v), err
}

// ParseTN3270 returns the view of a tn3270 URL.
func ParseTN3270(u url.URL) (TN3270, error) {
	v, err := parseSession(u, "tn3270", sessionRule)
	return TN3270(v), err
}

const sessionRule = "RFC 1630, Telnet, rlogin, tn3270"

func parseSession(u url.URL, scheme, rule string) (v Telnet, err error) {
	if err := wantScheme(u, scheme); err != nil {
		return Telnet{}, err
	}
	if v.Host, err = hostPort(u, rule); err != nil {
		return Telnet{}, err
	}
	if rest := strings.TrimPrefix(u.PathAndQuery(), "/"); rest != "" {
		return Telnet{}, pathFail(u, len(u.PathAndQuery())-len(rest), rule, `the end of the URL after the host, port and "/"`)
	}
	v.User = decoded(u.User())
	v.Password = decoded(u.Password())
	return v, nil
}

// URL returns the URL that means v, without a "/" at its end.
func (v Telnet) URL() url.URL { return v.url("telnet:") }

// URL returns the URL that means v, without a "/" at its end.
func (v Rlogin) URL() url.URL { return Telnet(v).url("rlogin:") }

// URL returns the URL that means v, without a "/" at its end.
func (v TN3270) URL() url.URL { return Telnet(v).url("tn3270:") }

func (v Telnet) url(scheme string) url.URL {
	var b builder
	b.WriteString(scheme)
	b.authority(v.Host, v.User, v.Password)
	return b.url()
}

// MarshalJSON gives {"user","password"}.
func (v Telnet) MarshalJSON() ([]byte, error) { return v.fields().json() }

// MarshalJSON gives {"user","password"}.
func (v Rlogin) MarshalJSON() ([]byte, error) { return v.fields().json() }

// MarshalJSON gives {"user","password"}.
func (v TN3270) MarshalJSON() ([]byte, error) { return v.fields().json() }
