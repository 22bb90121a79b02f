package whatwg

import (
	"fmt"
	"strings"

	"locus/url"
)

// Standard is the URL Standard. Its URLs are resolved, edited, compared and marshaled by its rules. Do not assign to
// this variable.
var Standard, hrefs = url.NewStandard(rules{})

// rules implements url.Rules for Standard.
type rules struct{}

func (rules) Name() string { return "URL Standard" }

func (rules) Parse(text string) (url.URL, error) { return Parse(text) }

func (rules) Resolve(base url.URL, ref string) (url.URL, error) { return Resolve(base, ref) }

// Set returns u with the named part set by its setter, or without that part if part is absent. It returns an error if
// the setter ignores the value or its end.
func (rules) Set(u url.URL, name url.PartName, part url.Part) (url.URL, error) {
	value := part.Text
	if !part.Present {
		return unset(u, name)
	}
	if isCut(u, name, value) {
		return url.URL{}, fmt.Errorf("set the %v of %s: the URL Standard ignores a part of the value", name, u.Redacted())
	}
	switch name { // because the setters drop one "?" or "#", and take "" for an absent part
	case url.Query:
		value = "?" + value
	case url.Fragment:
		value = "#" + value
	}
	v := setters[name](u, value)
	if v == u && !accepts(u, name, value) {
		return url.URL{}, fmt.Errorf("set the %v of %s: the URL Standard ignores the value", name, u.Redacted())
	}
	return v, nil
}

// unset returns u without the named part. A host or a path that must be present becomes empty or "/". It returns an
// error if the standard does not allow u to lack the part.
func unset(u url.URL, name url.PartName) (url.URL, error) {
	if !u.Part(name).Present {
		return u, nil
	}
	v := setters[name](u, "")
	if v == u && !accepts(u, name, "") {
		return url.URL{}, fmt.Errorf("remove the %v of %s: the URL Standard does not allow it", name, u.Redacted())
	}
	return v, nil
}

// isCut reports whether the setter of the named part would ignore the end of value.
func isCut(u url.URL, name url.PartName, value string) bool {
	switch name {
	case url.Scheme:
		return strings.Contains(value, ":")
	case url.Host:
		return strings.ContainsAny(value, "/?#") || isSpecial(u.Scheme()) && strings.Contains(value, `\`)
	case url.Port:
		return strings.Trim(value, "0123456789\t\n\r") != ""
	}
	return false
}

// setters has the setter of each part.
var setters = [...]func(url.URL, string) url.URL{
	url.Scheme: WithProtocol, url.User: WithUsername, url.Password: WithPassword, url.Host: WithHostname,
	url.Port: WithPort, url.Path: WithPathname, url.Query: WithSearch, url.Fragment: WithHash,
}

// accepts reports whether the setter of the named part accepts value. u has this value already, so setting it would
// change nothing either way. Therefore accepts first sets another value, and then sets value again.
func accepts(u url.URL, name url.PartName, value string) bool {
	for _, other := range [...]string{"ftp", "http", "x-a", "x-b", "1", "2"} {
		if v := setters[name](u, other); v != u {
			return setters[name](v, value) == u
		}
	}
	return u.Part(name).Text == value
}
