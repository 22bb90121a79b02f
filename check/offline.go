package check

import (
	"strings"

	"locus/internal/facts"
)

// excludesOffline returns the reason for which Offline excludes a job, because its check needs the network; "" if it
// does not.
func (c *Checker) excludesOffline(j Job) string {
	if c.Offline && j.Bad == "" && c.needsNetwork(j.URL) {
		return "it needs the network"
	}
	return ""
}

// needsNetwork reports whether an access to a URL reaches a server. The URL may have a scheme that is another name of
// http, such as webcal.
func (c *Checker) needsNetwork(u string) bool {
	for meant, ok := facts.Alias(u); ok; meant, ok = facts.Alias(u) {
		u = meant
	}
	s := c.Schemes.Of(strings.ToLower(schemeOf(u)))
	return s.Remote || s.Dials
}
