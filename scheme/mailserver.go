package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Mailserver is the view of a mailserver URL: a message to a program that answers mail, such as a mailing list
// manager.
//
//	mailserver:majordomo@host.dom/Hello/subscribe%20news/end
//	           \________________/ \___/ \__________________/
//	                Address      Subject        Body: "subscribe news", "end"
//
// RFC 1738 §4 only reserves the name. The syntax is from draft-ietf-uri-url-mailserver-01 (February 1995), which did
// not become a standard:
//
//	mailserver:<rfc822-addr-spec>/<subject>/<body>
//
// The author of the draft proposed on the list of the working group (January 1995) that a "/" in the body is a line
// end. Emacs/W3 reads it so, and so does this view; "%2F" is a slash. The subject and the body may each be empty or
// absent.
type Mailserver struct {
	Address string   // decoded, one addr-spec
	Subject url.Part // decoded
	Body    url.Part // decoded, with "\n" for "/"; absent if Subject is
}

const mailserverRule = "draft-ietf-uri-url-mailserver-01"

// ParseMailserver returns the view of a mailserver URL.
func ParseMailserver(u url.URL) (Mailserver, error) {
	if err := refuseAuthority(u, true, mailserverRule, "an address", "mailserver"); err != nil {
		return Mailserver{}, err
	}
	address, rest, hasSubject := strings.Cut(u.PathAndQuery(), "/")
	v := Mailserver{Address: ascii.Unescape(address)}
	if n, want := checkAddresses(v.Address, false); want != "" {
		return Mailserver{}, pathFail(u, encodedOffset(address, n), mailserverRule, want)
	}
	if !hasSubject {
		return v, nil
	}
	subject, body, hasBody := strings.Cut(rest, "/")
	v.Subject = url.Some(ascii.Unescape(subject))
	if hasBody {
		v.Body = url.Some(strings.Join(segments(body), "\n"))
	}
	return v, nil
}

// URL returns the URL whose view is v.
func (v Mailserver) URL() url.URL {
	var b builder
	b.WriteString("mailserver:")
	b.escape(v.Address, inPath)
	if v.Subject.Present || v.Body.Present {
		b.segments(v.Subject.Text)
	}
	if v.Body.Present {
		b.segments(strings.Split(v.Body.Text, "\n")...)
	}
	return b.url()
}

// Mailto returns the mailto URL for the same message (RFC 6068), because mail programs do not know mailserver URLs.
// The lines of its body end in CR LF, as RFC 6068 §5 requires. An empty subject or body is left out.
func (v Mailserver) Mailto() Mailto {
	m := Mailto{Address: v.Address}
	add := func(name, value string) {
		if value == "" {
			return
		}
		if m.Fields.Present {
			m.Fields.Text += "&"
		}
		m.Fields = url.Some(m.Fields.Text + name + "=" + url.Escape(value, inUser))
	}
	add("subject", v.Subject.Text)
	add("body", strings.ReplaceAll(strings.ReplaceAll(v.Body.Text, "\r\n", "\n"), "\n", "\r\n"))
	return m
}
