package check

import (
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"

	"locus/internal/facts"
	"locus/limit"
	"locus/url"
)

// maxParts is how many parts a host of Policy.Split has at most.
const maxParts = 16

// A pool is a limit of its own in a schedule: a server, or one part of a server of
// Policy.Split. Its name is that of limit.Server, with "#" and the number of the part.

// poolOf returns the pool of a URL; "" for a text that is no URL.
func (s scope) poolOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return s.pool(u)
}

// pool returns the pool of a URL.
func (s scope) pool(u url.URL) string {
	server := limit.Server(u)
	host, _ := u.Host()
	parts := s.parts[strings.ToLower(host)]
	if parts < 2 {
		return server
	}
	return partName(server, partOf(u.String(), parts))
}

// partName returns the name of the pool for a part of a server.
func partName(server string, part int) string { return server + "#" + strconv.Itoa(part) }

// serverIn returns the server of a pool.
func serverIn(pool string) string {
	server, _, _ := strings.Cut(pool, "#")
	return server
}

// A poolLimit is the limits of a pool.
type poolLimit struct {
	jobs  int     // at once
	rate  float64 // requests a second; 0: no limit
	part  int     // which part of a server it is
	parts int     // how many the server has; 1: it is all of it
}

// limitOf returns the limits of a pool. Those of all parts of a server are, in sum, those of
// the server.
func (s scope) limitOf(pool string) poolLimit {
	server, number, isPart := strings.Cut(pool, "#")
	jobs, rate := s.limits(server)
	if !isPart {
		return poolLimit{jobs, rate, 0, 1}
	}
	host := hostOf(server)
	part, _ := strconv.Atoi(number) // pool has made it
	parts := max(s.parts[host], 1)
	return poolLimit{(jobs + part) / parts, rate / float64(parts), part, parts}
}

// partsOf returns how many parts each host of Split has: no more than any of its servers takes
// URLs at once, or requests in a second.
func (p Policy) partsOf() map[string]int {
	all := make(map[string]int)
	for _, host := range p.Split {
		host = strings.ToLower(host)
		n := maxParts
		for _, rule := range p.rulesOf(host) {
			jobs, rate := p.limitsBy(rule)
			if n = min(n, jobs); rate > 0 {
				n = min(n, int(math.Max(rate, 1)))
			}
		}
		all[host] = n
	}
	return all
}

// rulesOf returns the rules that servers of a host have: the zero HostRule stands for those
// without one. For other ports than the usual ones of http and https there may be others.
func (p Policy) rulesOf(host string) []HostRule {
	var all []HostRule
	for scheme := range facts.All() {
		if u, err := url.Parse(scheme.Name + "://" + host); err == nil && isWeb(u) {
			all = append(all, p.ruleFor(u))
		}
	}
	known := make(map[[2]string]bool) // by scheme and port: the first rule counts
	for _, rule := range p.Hosts {
		scheme, _, port := rule.split()
		if at := [2]string{scheme, port}; rule.matchesHost(host) && !known[at] {
			known[at] = true
			all = append(all, rule)
		}
	}
	return all
}

// partOf returns the part of a URL. It does not depend on the fragment.
func partOf(u string, parts int) int {
	u, _ = cutFragment(u)
	h := fnv.New32a()
	_, _ = io.WriteString(h, u)
	return int(h.Sum32() % uint32(parts))
}

// A Sharding divides the URLs of a run that processes share. Those of one host are in one
// shard; those of a host of Policy.Split in several.
type Sharding struct {
	shards int
	parts  map[string]int
}

// Sharding returns how the URLs are divided into so many shards. All processes of a run must
// use the same Policy.
func (p Policy) Sharding(shards int) Sharding { return Sharding{shards, p.partsOf()} }

// Of returns the shard of a URL, or of a text that is no URL.
func (s Sharding) Of(u string) int {
	host := hostOf(u)
	h := fnv.New32a()
	_, _ = io.WriteString(h, host)
	n := h.Sum32()
	if parts := s.parts[host]; parts > 1 {
		n += uint32(partOf(u, parts))
	}
	return int(n % uint32(s.shards))
}

// hostOf returns the host of a URL in lower case, without its port; of any other text the
// text. It does not parse the URL, so that each text is in a shard.
func hostOf(text string) string {
	text, _ = cutFragment(text)
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		return strings.ToLower(text)
	}
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	host := rest[strings.LastIndexByte(rest, '@')+1:]
	if port := strings.LastIndexByte(host, ':'); port > strings.LastIndexByte(host, ']') {
		host = host[:port]
	}
	return strings.ToLower(host)
}
