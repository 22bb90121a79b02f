package scheme

import (
	"strings"

	"locus/url"
)

// SFTP is the view of an sftp URL.
//
//	sftp://ada;fingerprint=ssh-ed25519-…@host:22/srv/docs/plan.txt
//	       \_/             \___________/         \_______________/
//	       User             Fingerprint              Segments
//
// draft-ietf-secsh-scp-sftp-ssh-uri-04:
//
//	sftpurl  = "sftp://" [ sshinfo "@" ] host [ ":" port ] path-abempty
//	sshinfo  = [ userinfo ] [ ";" cparam *( "," cparam ) ]
//	cparam   = "fingerprint=" value
//
// A path is absolute on the server. A path whose first segment is "~" is relative to the home directory of the user:
// sftp://ada@host/~/notes.txt. A directory with the name "~" below the root is written with a second slash, as in
// sftp://host//~. In a path, ";" is data, so there is no type code.
type SFTP struct {
	Host
	User        url.Part
	Password    url.Part
	Fingerprint string   // the fingerprint that the server's key must have, decoded; "" if the URL has none
	Home        bool     // Segments are relative to the home directory
	Segments    []string // the decoded segments of the path, without the "~" of Home; nil only for the path "/~"
}

const sftpRule = "draft-ietf-secsh-scp-sftp-ssh-uri-04"

// ParseSFTP returns the view of an sftp URL.
func ParseSFTP(u url.URL) (SFTP, error) {
	host, err := hostPort(u, sftpRule, "sftp")
	if err != nil {
		return SFTP{}, err
	}
	v := SFTP{Host: host}
	if err := v.parseLogin(u); err != nil {
		return SFTP{}, err
	}
	path := u.PathAndQuery()
	if path == "" {
		path = "/"
	}
	if path[0] != '/' {
		return SFTP{}, pathFail(u, 0, sftpRule, `a "/" before the path`)
	}
	v.Segments = segments(path[1:])
	if v.Segments[0] == "~" {
		v.Home, v.Segments = true, v.Segments[1:]
	}
	if len(v.Segments) == 0 {
		v.Segments = nil
	}
	return v, nil
}

// parseLogin sets User, Password and Fingerprint from u. The parameter ";fingerprint=" follows the user, or the
// password if there is one. It may be escaped, because browsers escape ";" and "=" there. An unescaped ";" that starts
// another text, an empty fingerprint and a second one are errors.
func (v *SFTP) parseLogin(u url.URL) error {
	user, hasUser := u.User()
	password, hasPassword := u.Password()
	v.User, v.Password = decoded(user, hasUser), decoded(password, hasPassword)
	last, raw, at := &v.User.Text, user, url.User
	if hasPassword {
		last, raw, at = &v.Password.Text, password, url.Password
	}
	name, value, hasValue := strings.Cut(*last, fingerprintPrefix)
	bad := -1 // the offset of the error in *last
	switch comma := strings.IndexByte(value, ','); {
	case !hasValue && strings.Contains(raw, ";"):
		bad = strings.IndexByte(*last, ';') + 1
	case hasValue && value == "":
		bad = len(name) + 1
	case comma >= 0:
		bad = len(name) + len(fingerprintPrefix) + comma + 1
	}
	if bad >= 0 {
		return fail(u, start(u, at)+encodedOffset(raw, bad), sftpRule, `one "fingerprint=" and a fingerprint (";" in a name is written "%3B")`)
	}
	*last, v.Fingerprint = name, value
	v.User.Present = v.User.Text != ""
	return nil
}

const fingerprintPrefix = ";fingerprint="

// URL returns the URL whose view is v.
func (v SFTP) URL() url.URL {
	var b builder
	b.scheme("sftp", "")
	b.authorityWith(v.Host, v.User, v.Password, func() {
		if v.Fingerprint != "" {
			b.WriteString(fingerprintPrefix)
			b.escape(v.Fingerprint, inUser)
		}
	})
	switch {
	case v.Home:
		b.WriteString("/~")
	case len(v.Segments) == 0:
		b.WriteByte('/')
	case v.Segments[0] == "~":
		b.WriteByte('/') // the name, and not the home directory
	}
	b.segments(v.Segments...)
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the segments leaves one empty segment, which is
// the root of the server or the home directory.
func (v SFTP) fields() fields {
	return fields{append(
		loginFields(&v.User, &v.Password),
		field{"fingerprint", func() any { return present(v.Fingerprint) }, func(value *string) error {
			v.Fingerprint = optionalPart(value).Text
			return nil
		}},
		field{"home", func() any { return v.Home }, nil},
		listField("segments", "/", &v.Segments).with(func() {
			if v.Segments == nil {
				v.Segments = []string{""}
			}
		}),
	), func() View { return v }}
}
