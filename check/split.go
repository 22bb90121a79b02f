package check

import (
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"

	"locus/internal/shard"
	"locus/internal/weburl"
	"locus/limit"
	"locus/url"
)

// maxParts is the greatest number of parts of a host in Policy.Split.
const maxParts = 16

// A pool is a unit with limits of its own in a schedule: a server, or one part of a server in Policy.Split. A
// server's pool has the name that limit.Server returns. For a part, "#" and the number of the part follow.

// poolOf returns the name of the pool to which the URL in text belongs; "" for a text that is not a URL.
func (s scope) poolOf(text string) string {
	u, err := weburl.Parse(text)
	if err != nil {
		return ""
	}
	return s.pool(u)
}

// pool returns the name of the pool to which a URL belongs: its server, or a part of its server if Policy.Split has the
// host.
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

// serverIn returns the server in the name of a pool, in the form of limit.Server.
func serverIn(pool string) string {
	server, _, _ := strings.Cut(pool, "#")
	return server
}

// A poolLimit holds the limits of a pool.
type poolLimit struct {
	jobs  int     // the number of tasks at the same time
	rate  float64 // requests per second; 0 means no limit
	part  int     // the number of the part
	parts int     // the number of parts of the server; 1 if it is not divided
}

// limitOf returns the limits of the named pool. The limits of all parts of a server add up to the limits of the server.
func (s scope) limitOf(pool string) poolLimit {
	server, number, isPart := strings.Cut(pool, "#")
	jobs, rate := s.limits(server)
	if !isPart {
		return poolLimit{jobs, rate, 0, 1}
	}
	host := hostOf(server)
	part, _ := strconv.Atoi(number) // cannot fail, because pool has formatted it
	parts := max(s.parts[host], 1)
	return poolLimit{(jobs + part) / parts, rate / float64(parts), part, parts}
}

// partsOf returns the number of parts of each host in Split, by its name in lower case. A host does not have more parts
// than any of its servers may get URLs at the same time, or requests per second.
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

// rulesOf returns the rules that may apply to servers of a host: the zero HostRule first, for the ports that no rule
// names, and then the first rule of p.Hosts for each scheme and port.
func (p Policy) rulesOf(host string) []HostRule {
	all := []HostRule{{}}
	known := make(map[[2]string]bool) // by scheme and port, because the first rule counts
	for _, rule := range p.Hosts {
		scheme, _, port := rule.split()
		if at := [2]string{scheme, port}; rule.matchesHost(host) && !known[at] {
			known[at] = true
			all = append(all, rule)
		}
	}
	return all
}

// partOf returns the part to which a URL belongs, from 0 to parts-1, by a hash of the URL without its fragment. The hash
// differs from the hash of internal/shard, because FNV spreads numbered pages more evenly than SHA-256: 200 pages over
// the parts of one host took 25 seconds instead of 33. Both hashes of this file are part of the format of a shared run.
func partOf(u string, parts int) int {
	u, _ = cutFragment(u)
	h := fnv.New32a()
	_, _ = io.WriteString(h, u)
	return int(h.Sum32() % uint32(parts))
}

// InShard reports whether a URL, or a text that is not a URL, belongs to the part of a run that one of several machines
// checks: part of parts, from 1. All URLs of a host are in one part, and all files are. The rule is stable, so that
// machines with different versions of this package agree. If parts is 0, every URL belongs to the part.
func InShard(u string, part, parts int) bool {
	return shard.Shard{Part: part, Count: parts}.Has(hostOf(u))
}

// A Sharding divides the URLs of a run that several processes share. The URLs of one host are in one shard, except
// that a host in Policy.Split has several shards.
type Sharding struct {
	shards int
	parts  map[string]int
}

// Sharding returns the division of the URLs into a number of shards. All processes of a run must use the same Policy.
func (p Policy) Sharding(shards int) Sharding { return Sharding{shards, p.partsOf()} }

// Of returns the shard of a URL, or of a text that is not a URL, from 0 to one less than the number of shards.
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

// hostOf returns the host of a URL in lower case without its port, or any other text in lower case. It does not parse
// the URL, so that every text has a shard.
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
