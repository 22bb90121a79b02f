package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Finger is the view of a finger URL, which asks a server about a user.
//
//	finger://host:79//W%20ada
//	                 || | \_/
//	                 || |  User
//	                 \Verbose
//
// draft-ietf-uri-url-finger-03, with the query of RFC 1288 §2.3:
//
//	fingerurl = "finger://" host [ ":" port ] [ "/" query ]
//	query     = [ "/W" [ " " ] ] [ user ]
//
// Lynx writes "/w/ada" for "//W%20ada", and "finger://ada@host" for "finger://host/ada". ParseFinger reads both.
type Finger struct {
	Host
	Verbose bool   // "/W": the server is asked for more about the user
	User    string // decoded; "" asks for the users who are logged in
}

const fingerRule = "draft-ietf-uri-url-finger-03"

// ParseFinger returns the view of a finger URL. The user may stand before the host or in the path, but not in both. It
// refuses a password.
func ParseFinger(u url.URL) (Finger, error) {
	host, err := hostPort(u, fingerRule, "finger")
	if err != nil {
		return Finger{}, err
	}
	v := Finger{Host: host}
	path := u.PathAndQuery()
	if path != "" && path[0] != '/' {
		return Finger{}, pathFail(u, 0, fingerRule, `a "/" before the user`)
	}
	v.query(ascii.Unescape(strings.TrimPrefix(path, "/")))
	user, isLogin := u.User()
	if !isLogin {
		return v, nil
	}
	if _, ok := u.Password(); ok || v.User != "" {
		return Finger{}, fail(u, start(u, url.User), fingerRule, "one user, without a password")
	}
	v.User = ascii.Unescape(user)
	return v, nil
}

// query sets Verbose and User from text, the decoded query: the user, perhaps after "/W" or "W/".
func (v *Finger) query(text string) {
	v.User = text
	for _, mark := range []string{"/W ", "/W/", "W/"} {
		if n := len(mark); len(text) >= n && strings.EqualFold(text[:n], mark) {
			v.Verbose, v.User = true, text[n:]
			return
		}
	}
	if strings.EqualFold(text, "/W") {
		v.Verbose, v.User = true, ""
	}
}

// URL returns the URL whose view is v.
func (v Finger) URL() url.URL {
	var b builder
	b.scheme("finger", "")
	b.server(v.Host)
	if v.Verbose {
		b.WriteString("/W")
		if v.User != "" {
			b.WriteString("%20")
		}
	}
	b.escape(v.User, inPath)
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set]. The field verbose cannot be set.
func (v Finger) fields() fields {
	return fields{[]field{
		textField("user", &v.User),
		{"verbose", func() any { return v.Verbose }, nil},
	}, func() View { return v }}
}
