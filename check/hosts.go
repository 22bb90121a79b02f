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

// A HostRule is what a [Policy] says about some hosts. A zero field leaves what the Policy
// says. The first rule that matches a URL counts, and no other.
type HostRule struct {
	// Host is a host such as "www.example.org", or "*.example.org" for all hosts below
	// it. It may have a scheme before it, and a port after it:
	// "http://127.0.0.1:8080". Without a port it means the usual one of the scheme.
	Host string `json:"host"`

	Accept  []int    `json:"accept,omitempty"`  // besides those of the Policy
	Exclude []string `json:"exclude,omitempty"` // besides those of the Policy

	// Rate is Policy.Rate; 0: the Policy's, negative: no limit.
	Rate float64 `json:"rate,omitempty"`
	// PerServer is Policy.PerServer; 0: the Policy's, negative: no limit.
	PerServer int `json:"per_host,omitempty"`
	// Timeout is Policy.Timeout; 0: the Policy's, negative: no limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Retries is Policy.Retries; 0: the Policy's, negative: none.
	Retries int `json:"tries,omitempty"`
	// Wait is Policy.Wait; 0: the Policy's, negative: none.
	Wait time.Duration `json:"wait,omitempty"`

	// Header are fields of requests of http and https. They are not in JSON, so other
	// processes of a shared run do not learn them.
	Header []Field `json:"-"`

	exclude []*regexp.Regexp // set by newScope
}

// A Field is a field of the header of a request.
type Field struct {
	Name, Value string

	// IsSecret means that it is sent only over TLS, unless HostRule.Host begins with
	// "http://".
	IsSecret bool
}

// usualHeader returns the header of requests. Some servers refuse programs that do not
// name Mozilla, or no language.
func usualHeader() map[string]string {
	return map[string]string{"User-Agent": "Mozilla/5.0 (compatible; locus)", "Accept-Language": "en, *;q=0.5"}
}

// Header returns the fields of a request for a URL, by their names, such as "User-Agent". It is for the Headers
// of a locus.Client. Call it for the target of each redirect: what one host is told is
// not for another.
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

// ruleFor returns the rule for a URL; the zero HostRule if there is none.
func (p Policy) ruleFor(u url.URL) HostRule {
	for _, rule := range p.Hosts {
		if rule.matches(u) {
			return rule
		}
	}
	return HostRule{}
}

// at returns the Policy for a URL: p with the fields of its rule.
func (p Policy) at(u url.URL) Policy {
	rule := p.ruleFor(u)
	p.Accept = slices.Concat(p.Accept, rule.Accept)
	p.Rate, p.PerServer = cmp.Or(rule.Rate, p.Rate), cmp.Or(rule.PerServer, p.PerServer)
	p.Timeout, p.Retries, p.Wait = cmp.Or(rule.Timeout, p.Timeout), cmp.Or(rule.Retries, p.Retries), cmp.Or(rule.Wait, p.Wait)
	return p
}

// split returns the parts of Host. Without a scheme or a port they are "".
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

// matchesHost reports whether the rule is for servers of a host.
func (r HostRule) matchesHost(name string) bool {
	_, host, _ := r.split()
	name = strings.ToLower(strings.Trim(name, "[]"))
	below, isPattern := strings.CutPrefix(host, "*")
	return name == host || isPattern && strings.HasSuffix(name, below)
}

// check returns an error if Host is no host, or Exclude has an invalid regular expression.
func (r HostRule) check() error {
	_, host, port := r.split()
	name := strings.TrimPrefix(host, "*.")
	if name == "" || strings.ContainsAny(name, "*/?#@ ") {
		return fmt.Errorf("%q is no host such as www.example.org, *.example.org or https://www.example.org:8443", r.Host)
	}
	if _, err := strconv.ParseUint(cmp.Or(port, "1"), 10, 16); err != nil {
		return fmt.Errorf("%q has an invalid port", r.Host)
	}
	_, err := compile(r.Exclude)
	return err
}
