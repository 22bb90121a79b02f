package whatwg

import (
	"fmt"

	"locus/internal/urlstd"
	"locus/url"
)

// Standard is the URL Standard. Its URLs are resolved, edited, compared and
// marshalled by its rules. Do not assign to it.
var Standard, hrefs = url.NewStandard(rules{})

// rules are the rules of Standard.
type rules struct{}

var _ urlstd.Rules[url.URL] = rules{}

func (rules) Name() string { return "URL Standard" }

func (rules) Parse(text string) (url.URL, error) { return Parse(text) }

func (rules) Resolve(base url.URL, ref string) (url.URL, error) { return Resolve(base, ref) }

// Set changes a part by its setter. A value that the setter ignores is an error.
func (rules) Set(u url.URL, part int, value string, present bool) (url.URL, error) {
	name := url.PartName(part)
	if !present {
		value = ""
	}
	v := setters[part](u, value)
	if v == u && !takes(u, name, value) {
		return url.URL{}, fmt.Errorf("set the %v of %s: the URL Standard ignores the value", name, u.Redacted())
	}
	return v, nil
}

// setters has the setter of each part.
var setters = [...]func(url.URL, string) url.URL{
	url.Scheme: WithProtocol, url.User: WithUsername, url.Password: WithPassword, url.Host: WithHostname,
	url.Port: WithPort, url.Path: WithPathname, url.Query: WithSearch, url.Fragment: WithHash,
}

// takes reports whether the setter of a part, to which a value changed nothing in
// u, takes the value: whether it brings another value of the part back to u's.
func takes(u url.URL, name url.PartName, value string) bool {
	for _, other := range [...]string{"ftp", "http", "x-a", "x-b", "1", "2"} {
		if v := setters[name](u, other); v != u {
			return setters[name](v, value) == u
		}
	}
	return u.Part(name).Text == value
}
