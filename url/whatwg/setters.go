package whatwg

import (
	"strconv"
	"strings"

	"locus/url"
)

// The setters of the URL Standard's API. Each setter returns u with one part changed, or u itself if the standard
// ignores the value. u must be a result of this package. A setter reads the value as the parser reads that part: it
// escapes the value where necessary, and removes tabs and newlines except from a user name or password.

// WithProtocol sets the scheme, and removes the port if it is the default port of that scheme. It ignores a colon in
// value and the text after it. It returns u unchanged if value is not a scheme, if exactly one of the two schemes is
// special, if the new scheme is file and u has a login or a port, or if u is a file URL without a host.
func WithProtocol(u url.URL, value string) url.URL {
	return set(u, value+":", func(m *machine) bool {
		colon := schemeEnd(m.text)
		if colon < 0 {
			return false
		}
		scheme := lowerScheme(m.text[:colon])
		r := &m.url
		switch {
		case isSpecial(scheme) != r.special:
			return false
		case scheme == "file" && (r.hasLogin() || r.port != ""):
			return false
		case r.scheme == "file" && r.host == "":
			return false
		}
		r.setScheme(scheme)
		if port, _ := defaultPort(scheme); r.port == strconv.Itoa(port) {
			r.port = ""
		}
		return true
	})
}

// WithUsername sets the user name. It escapes the value where necessary, but does not escape "%". An empty value
// removes the user name. WithUsername returns u unchanged if u is a file URL or has no host.
func WithUsername(u url.URL, value string) url.URL {
	return setLogin(u, func(r *record) { r.username = PercentEncode(value, UserinfoSet) })
}

// WithPassword sets the password, with the rules of [WithUsername].
func WithPassword(u url.URL, value string) url.URL {
	return setLogin(u, func(r *record) { r.password = PercentEncode(value, UserinfoSet) })
}

// setLogin returns u with its record changed by change. It returns u unchanged if u is a file URL or has no host,
// because such a URL cannot have a login.
func setLogin(u url.URL, change func(*record)) url.URL {
	r := decompose(u)
	if r.host == "" || r.scheme == "file" {
		return u
	}
	change(&r)
	return recompose(u, r, nil)
}

// WithHost sets the host and, if value has one, the port. It ignores the rest of value. It returns u unchanged if the
// host is not valid, or if the host is empty and the scheme needs one.
func WithHost(u url.URL, value string) url.URL {
	return set(u, value, func(m *machine) bool { return m.overrideHost(true) })
}

// WithHostname sets the host with the rules of [WithHost]. It returns u unchanged if value has a port.
func WithHostname(u url.URL, value string) url.URL {
	return set(u, value, func(m *machine) bool { return m.overrideHost(false) })
}

// overrideHost sets the host of m.url to the authority at the start of m.text, and reports whether it did. A valid port
// in that authority is set too. Without withPort, an authority with a colon is refused.
func (m *machine) overrideHost(withPort bool) bool {
	if m.url.opaque {
		return false
	}
	host := m.text[:m.authorityEnd(0)]
	if m.url.scheme == "file" {
		return m.overrideFileHost(host)
	}
	port := ""
	if colon := hostColon(host); colon >= 0 {
		if !withPort || colon == 0 {
			return false
		}
		host, port = host[:colon], host[colon+1:]
	}
	if host == "" && (m.url.special || m.url.hasLogin() || m.url.port != "") {
		return false
	}
	parsed, err := m.parseHost(host, !m.url.special, 0)
	if err != nil {
		return false
	}
	m.url.host, m.url.hasHost = parsed, true
	m.overridePort(port)
	return true
}

// overrideFileHost sets the host of m.url, a file URL, and reports whether the host is valid. "localhost" becomes an
// empty host.
func (m *machine) overrideFileHost(host string) bool {
	parsed := ""
	if host != "" {
		var err error
		if parsed, err = m.parseHost(host, false, 0); err != nil {
			return false
		}
	}
	if parsed == "localhost" {
		parsed = ""
	}
	m.url.host, m.url.hasHost = parsed, true
	return true
}

// overridePort sets the port of m.url to the digits at the start of s, or to "" if they are the default port of the
// scheme. It returns false and changes nothing if s does not start with a digit, or if the number is greater than
// 65535.
func (m *machine) overridePort(s string) bool {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	if digits == "" {
		return false
	}
	was := m.url.port
	m.url.port = ""
	if m.port(digits, 0) != nil {
		m.url.port = was
		return false
	}
	return true
}

// WithPort sets the port to the digits at the start of value. An empty value or the default port of the scheme removes
// the port. WithPort returns u unchanged if value starts with another character, if the number is greater than 65535,
// or if u is a file URL or has no host.
func WithPort(u url.URL, value string) url.URL {
	r := decompose(u)
	if r.host == "" || r.scheme == "file" {
		return u
	}
	if value == "" {
		r.port = ""
		return recompose(u, r, nil)
	}
	return set(u, value, func(m *machine) bool { return m.overridePort(m.text) })
}

// WithPathname sets the path. It resolves the segments "." and "..", and escapes "?" and "#". It returns u unchanged
// if the path of u is opaque.
func WithPathname(u url.URL, value string) url.URL {
	return set(u, value, func(m *machine) bool {
		if m.url.opaque {
			return false
		}
		m.override = true
		m.url.path = ""
		var err error
		switch {
		case m.text != "" || m.url.special:
			start := 0
			if m.isSlash(0) {
				start = 1
			}
			err = m.segments(start)
		case !m.url.hasHost:
			m.path.put("/")
		}
		return err == nil
	})
}

// WithSearch sets the query. It drops a "?" at the start of value. An empty value removes the query, and "?" makes it
// empty.
func WithSearch(u url.URL, value string) url.URL {
	return set(u, strings.TrimPrefix(value, "?"), func(m *machine) bool {
		if value == "" {
			m.url.query = url.Part{}
			return true
		}
		m.url.query = url.Some(m.encodeQuery(m.text))
		return true
	})
}

// WithHash sets the fragment. It drops a "#" at the start of value. An empty value removes the fragment, and "#" makes
// it empty.
func WithHash(u url.URL, value string) url.URL {
	return set(u, strings.TrimPrefix(value, "#"), func(m *machine) bool {
		if value == "" {
			m.url.fragment = url.Part{}
			return true
		}
		m.url.fragment = url.Some(PercentEncode(m.text, FragmentSet))
		return true
	})
}

// set returns u with its record changed by change. The url of the machine that change gets is that record, and its text
// is value without tabs and line ends. set returns u itself if change returns false.
func set(u url.URL, value string, change func(*machine) bool) url.URL {
	m := machine{url: decompose(u)}
	m.text = withoutBreaks(value)
	if !change(&m) {
		return u
	}
	return recompose(u, m.url, m.path.bytes())
}

// recompose returns the URL of r, the changed record of u. built is the path, unless r contains it. recompose returns u
// if the URL would be too long.
func recompose(u url.URL, r record, built []byte) url.URL {
	v, err := hrefs.Parse(r.href(built, u.String()))
	if err != nil {
		return u
	}
	return v
}

// withoutBreaks returns s without tabs and line ends.
func withoutBreaks(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, s)
}
