package compare

import (
	"errors"
	"fmt"
	neturl "net/url"
	"strings"

	"locus/url"
	"locus/url/whatwg"
)

// readRFC returns the reading of p, which reads text by std. If std refuses the text, the reading still has the parts
// and, if the scheme, the host and the port are correct, the origin.
func readRFC(p Parser, std url.Standard, text string) Reading {
	r := Reading{Parser: p, Parts: std.Split(text)}
	if std == url.RFC1738 && !r.Parts.Host.Present && strings.HasPrefix(r.Parts.Path, "//") {
		r.Err = errNoHost
		return r.withoutOrigin()
	}
	_, err := std.Parse(text)
	if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		err = detail(syntax.Detail())
		r.Sure = syntax.Offset >= len(head(r.Parts).String())
	}
	r.Err = err
	if err == nil {
		r.Sure = true
		return r.withOrigin()
	}
	// The text leads somewhere if its scheme, host and port are good.
	way := url.Parts{Scheme: r.Parts.Scheme, Host: r.Parts.Host, Port: r.Parts.Port, Path: "/"}
	if _, err := std.Build(way); err != nil {
		return r.withoutOrigin()
	}
	return r.withOrigin()
}

// detail returns an error with text, in which it writes "byte" for "offset", and '\' for '\\', as the errors of the
// other parsers do.
func detail(text string) error {
	return errors.New(strings.NewReplacer("at offset ", "at byte ", "offset ", "byte ", `'\\'`, `'\'`).Replace(text))
}

// errNoHost is the error for a text that RFC 1738 reads as a URL of an unknown scheme without a host.
var errNoHost = errors.New(`the text after "//" is not the common Internet scheme syntax (RFC 1738 §3.1)`)

// head returns p without the path, the query and the fragment.
func head(p url.Parts) url.Parts {
	p.Path, p.Query, p.Fragment = "", url.Part{}, url.Part{}
	return p
}

// readAs returns the reading of p. parts returns the parts of the text, or an error if the parser refuses the text. The
// reading of a text that is refused has only the error.
func readAs(p Parser, parts func(string) (url.Parts, error), text string) Reading {
	r := Reading{Parser: p, Sure: true}
	if r.Parts, r.Err = parts(text); r.Err != nil {
		return Reading{Parser: p, Err: r.Err}
	}
	return r.withOrigin()
}

// whatwgParts reads text as browsers do.
func whatwgParts(text string) (url.Parts, error) {
	u, err := whatwg.Parse(text)
	if err != nil {
		return url.Parts{}, detail(err.Error())
	}
	return u.Parts(), nil
}

// rubyReading returns the parts that Ruby reads in text, but the path of an ftp URL as it is written, so that it can be
// compared with other readings. Ruby removes the first slash and the type from such a path.
func rubyReading(text string) (url.Parts, error) {
	p, err := rubyParts(text)
	if err == nil && p.Scheme.Text == "ftp" {
		p.Path = url.RFC3986.Split(text).Path
	}
	return p, err
}

// perlReading returns the parts that Perl reads in text, but the path of an ftp URL without the query, which Perl
// includes in it.
func perlReading(text string) (url.Parts, error) {
	p, err := perlParts(text)
	if strings.HasPrefix(p.Scheme.Text, "ftp") {
		p.Path, _, _ = strings.Cut(p.Path, "?")
	}
	return p, err
}

// nodeReading returns the parts that Node.js reads in text, but with each "%" in the login escaped, because Node.js
// decodes the login. If the text has a scheme without "//" and Node reads a host or refuses the text, nodeReading
// returns the parts by RFC 3986, so that the text after the scheme is the path.
func nodeReading(text string) (url.Parts, error) {
	written := url.RFC3986.Split(text)
	p, err := nodeParts(text)
	if isOpaque := written.Scheme.Present && !written.Host.Present && (err != nil || p.Host.Present); isOpaque {
		written.Scheme.Text = strings.ToLower(written.Scheme.Text)
		return written, nil
	}
	p.User.Text = strings.ReplaceAll(p.User.Text, "%", "%25")
	p.Password.Text = strings.ReplaceAll(p.Password.Text, "%", "%25")
	return p, err
}

// readGo returns the reading of net/url. If net/url refuses text because of an error after the authority, the reading
// still has the origin.
func readGo(text string) Reading {
	r := Reading{Parser: Go}
	u, err := neturl.Parse(text)
	if err == nil {
		r.Parts, r.Sure = goParts(u), true
		if u.Opaque == "" && url.RFC3986.Split(text).Host.Present {
			r.Parts.Host.Present = true // net/url forgets an empty authority
		}
		return r.withOrigin()
	}
	r.Err = goError(err)
	// net/url does not say where the error is, so parse the text again without the parts after the authority.
	if u, err = neturl.Parse(head(url.RFC3986.Split(text)).String()); err == nil {
		r.Origin, r.Sure = originOf(goParts(u))
	}
	return r
}

// goError returns err, an error of net/url, without the text that it quotes, because that text may be part of a
// password.
func goError(err error) error {
	if e, ok := errors.AsType[*neturl.Error](err); ok {
		err = e.Err
	}
	what, _, _ := strings.Cut(err.Error(), `"`)
	return fmt.Errorf("%s (net/url)", strings.TrimSpace(strings.TrimPrefix(what, "net/url: ")))
}

// goParts returns the parts of u. The host is decoded. The path and the fragment are as written if net/url has kept the
// original text, and otherwise as net/url escapes them. An opaque text is the path.
func goParts(u *neturl.URL) url.Parts {
	p := url.Parts{Scheme: partOf(u.Scheme), Query: partOf(u.RawQuery), Path: u.RawPath, Fragment: partOf(u.RawFragment)}
	if p.Path == "" {
		p.Path = u.EscapedPath()
	}
	if u.Opaque != "" {
		p.Path = u.Opaque
	}
	if u.ForceQuery {
		p.Query = url.Some("")
	}
	if u.RawFragment == "" {
		p.Fragment = partOf(u.EscapedFragment())
	}
	if u.Host != "" || u.User != nil {
		p.Host = url.Some(u.Host)
		if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
			p.Host.Text, p.Port = strings.TrimSuffix(u.Host, ":"+port), url.Some(port)
		}
	}
	if u.User != nil {
		name, password, ok := strings.Cut(u.User.String(), ":")
		p.User, p.Password = url.Some(name), url.Part{Text: password, Present: ok}
	}
	return p
}

// partOf returns a part with the text s, which is absent if s is empty.
func partOf(s string) url.Part { return url.Part{Text: s, Present: s != ""} }

// withOrigin returns r with the origin of its parts. If the parts lack a valid origin, the result has a zero Origin,
// and its Sure is false.
func (r Reading) withOrigin() Reading {
	origin, ok := originOf(r.Parts)
	if !ok {
		return r.withoutOrigin()
	}
	r.Origin = origin
	return r
}

// withoutOrigin returns r with a zero Origin, and with Sure set to false.
func (r Reading) withoutOrigin() Reading {
	r.Origin, r.Sure = Origin{}, false
	return r
}
