package check

import (
	"cmp"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"locus/internal/facts"
	"locus/url"
)

// A HostRule changes a [Policy] for some hosts. A zero field keeps the value of the Policy. Only the first rule that
// matches a URL applies.
type HostRule struct {
	// Host is a host such as "www.example.org", or "*.example.org" for all hosts below example.org. A scheme may
	// precede it, and a port may follow it: "http://127.0.0.1:8080". Without a port the rule is for the default port
	// of the URL's scheme.
	Host string `json:"host"`

	Accept  []int    `json:"accept,omitempty"`  // in addition to Policy.Accept
	Exclude []string `json:"exclude,omitempty"` // in addition to Policy.Exclude

	// Rate replaces Policy.Rate. 0 means Policy.Rate, and a negative value
	// means no limit.
	Rate float64 `json:"rate,omitempty"`
	// PerServer replaces Policy.PerServer. 0 means Policy.PerServer, and a negative value
	// means no limit.
	PerServer int `json:"per_host,omitempty"`
	// Timeout replaces Policy.Timeout. 0 means Policy.Timeout, and a negative value
	// means no limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Retries replaces Policy.Retries. 0 means Policy.Retries, and a negative value
	// means no retries.
	Retries int `json:"tries,omitempty"`
	// Wait replaces Policy.Wait. 0 means Policy.Wait, and a negative value
	// means no pause.
	Wait time.Duration `json:"wait,omitempty"`

	// Header holds fields for requests of http and https. They are not in the JSON, so the other processes of a
	// shared run do not learn them.
	Header []Field `json:"-"`

	exclude []*regexp.Regexp // set by newScope
}

// A Field is a field in the header of a request.
type Field struct {
	Name, Value string

	// IsSecret means that the field is sent only over TLS, unless HostRule.Host begins with "http://".
	IsSecret bool
}

// usualHeader returns the header fields that all requests have, by name. Some servers refuse programs that do not
// mention Mozilla, or that do not accept a language.
//
// QUIRK: crates.io answers 404 if Accept does not name text/html.
func usualHeader() map[string]string {
	return map[string]string{
		"User-Agent":      "Mozilla/5.0 (compatible; locus)",
		"Accept":          "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"Accept-Language": "en, *;q=0.5",
	}
}

// Header returns the header fields of a request for u by name, such as "User-Agent". It leaves out secret fields if u
// is not encrypted, unless the rule for u names an unencrypted scheme. It is for the field Header of a locus.Client. Call
// it again for the target of each redirect, because a field for one host must not be sent to another.
func (p Policy) Header(u url.URL) map[string]string {
	header := usualHeader()
	rule := p.ruleFor(u)
	scheme, _, _ := rule.split()
	maySendSecrets := facts.Of(u.Scheme()).Has(facts.Encrypted) || scheme != "" && !facts.Of(scheme).Has(facts.Encrypted)
	for _, f := range rule.Header {
		if !f.IsSecret || maySendSecrets {
			header[textproto.CanonicalMIMEHeaderKey(f.Name)] = f.Value
		}
	}
	return header
}

// ruleFor returns the first rule that matches u, or the zero HostRule if no rule does.
func (p Policy) ruleFor(u url.URL) HostRule {
	for _, rule := range p.Hosts {
		if rule.matches(u) {
			return rule
		}
	}
	return HostRule{}
}

// withRuleFor returns p, changed by the first rule for u. Its Accept is extended, and the other fields that the rule
// sets are replaced.
func (p Policy) withRuleFor(u url.URL) Policy {
	rule := p.ruleFor(u)
	p.Accept = slices.Concat(p.Accept, rule.Accept)
	p.Rate, p.PerServer = cmp.Or(rule.Rate, p.Rate), cmp.Or(rule.PerServer, p.PerServer)
	p.Timeout, p.Retries, p.Wait = cmp.Or(rule.Timeout, p.Timeout), cmp.Or(rule.Retries, p.Retries), cmp.Or(rule.Wait, p.Wait)
	return p
}

// split returns the parts of Host in lower case, the host without brackets. A missing scheme or port is "".
func (r HostRule) split() (scheme, host, port string) {
	scheme, rest, ok := strings.Cut(r.Host, "://")
	if !ok {
		scheme, rest = "", r.Host
	}
	host = rest
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, ']') {
		host, port = rest[:i], rest[i+1:]
	}
	return strings.ToLower(scheme), strings.ToLower(strings.Trim(host, "[]")), port
}

// matches reports whether the rule is for u, by its scheme, its host and its port.
func (r HostRule) matches(u url.URL) bool {
	scheme, _, port := r.split()
	name, _ := u.Host()
	if scheme != "" && scheme != u.Scheme() || !r.matchesHost(name) {
		return false
	}
	usual := strconv.Itoa(int(facts.Of(u.Scheme()).Port))
	at, _ := u.Port()
	return cmp.Or(at, usual) == cmp.Or(port, usual)
}

// matchesHost reports whether the rule is for the named host, whatever the scheme and the port.
func (r HostRule) matchesHost(name string) bool {
	_, host, _ := r.split()
	name = strings.ToLower(strings.Trim(name, "[]"))
	below, isPattern := strings.CutPrefix(host, "*")
	return name == host || isPattern && strings.HasSuffix(name, below)
}

// check returns an error if Host is not a host with a valid port, or if Exclude has an invalid regular expression.
func (r HostRule) check() error {
	_, host, port := r.split()
	name := strings.TrimPrefix(host, "*.")
	if name == "" || strings.ContainsAny(name, "*/?#@ ") {
		return fmt.Errorf("%q is not a host such as www.example.org, *.example.org or https://www.example.org:8443", r.Host)
	}
	if _, err := strconv.ParseUint(cmp.Or(port, "1"), 10, 16); err != nil {
		return fmt.Errorf("%q has an invalid port", r.Host)
	}
	_, err := compile(r.Exclude)
	return err
}
