package check

import (
	"slices"
	"strings"

	"locus/internal/facts"
	"locus/internal/weburl"
)

// skipsExample returns the reason for which SkipExamples excludes a job; "" if the job is checked. A mail URL is
// excluded if all its domains are for examples.
func (s scope) skipsExample(j Job) string {
	if !s.skipExamples || j.Bad != "" || j.Crawl && j.Depth == 0 || s.contains(j.URL) {
		return ""
	}
	hosts := hostsOf(j.URL)
	isReal := func(host string) bool { return !isExample(host) || slices.Contains(s.hosts, host) }
	if len(hosts) == 0 || slices.ContainsFunc(hosts, isReal) {
		return ""
	}
	return hosts[0] + " is a host for examples"
}

// hostsOf returns the host of a URL, or the domains of the addresses of a mail URL, in lower case. It returns nil for
// a text that is not a URL.
func hostsOf(text string) []string {
	u, err := weburl.Parse(text)
	if err != nil {
		return nil
	}
	var hosts []string
	if facts.Of(u.Scheme()).Has(facts.Address) {
		list, err := addressesOf(u)
		if err != nil {
			return nil
		}
		for domain := range domains(list) {
			hosts = append(hosts, strings.ToLower(domain))
		}
		return hosts
	}
	if host, _ := u.Host(); host != "" {
		hosts = append(hosts, strings.ToLower(host))
	}
	return hosts
}

// isExample reports whether host, in lower case, exists only for examples (RFC 2606, RFC 6761).
func isExample(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "localhost" {
		return true
	}
	labels := strings.Split(host, ".")
	switch labels[len(labels)-1] {
	case "example", "invalid", "test":
		return true
	case "com", "net", "org":
		return len(labels) > 1 && labels[len(labels)-2] == "example"
	}
	return false
}
