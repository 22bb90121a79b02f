package sync

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// A Lookup returns the addresses of a host.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// maxAliases is how many names are looked up. A menu of a stranger may have any number of names.
const maxAliases = 64

// An aliases knows the other names of the server of a mirror. A name is an alias if it resolves to the address to
// which the mirror is connected.
type aliases struct {
	lookup Lookup // may be nil

	mu      sync.Mutex // free during a lookup, because workers need it to connect
	dialled netip.Addr // zero: unknown
	names   map[string]*nameLookup
}

// A nameLookup is the result of looking up a name.
type nameLookup struct {
	mu      sync.Mutex // held during the lookup
	isDone  bool
	isAlias bool
}

// watch returns a context for a request to the server of the mirror. When the request has connected, a stores the
// address of the server.
func (a *aliases) watch(ctx context.Context) context.Context {
	outer := access.ConnectedOf(ctx)
	return access.WithConnected(ctx, func(c access.Connection) {
		if outer != nil {
			outer(c)
		}
		if at, err := netip.ParseAddrPort(c.Address); err == nil {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.dialled = plainAddr(at.Addr())
		}
	})
}

// has reports whether host is an alias. It looks up a new host, up to maxAliases of them. It returns false if the
// address of the server is unknown, or if the lookup fails.
func (a *aliases) has(ctx context.Context, host string) bool {
	host = strings.ToLower(strings.Trim(host, "[]"))
	name, dialled := a.entryOf(host)
	if name == nil {
		return false
	}
	name.mu.Lock()
	defer name.mu.Unlock()
	if name.isDone {
		return name.isAlias
	}
	found, err := a.lookup(ctx, host)
	if ctx.Err() != nil {
		return false
	}
	name.isDone = true
	name.isAlias = err == nil && slices.ContainsFunc(found, func(at netip.Addr) bool { return plainAddr(at) == dialled })
	return name.isAlias
}

// entryOf returns the entry of host, which it adds if it is new, and the address of the server. The entry is nil if host
// is new and must not be looked up.
func (a *aliases) entryOf(host string) (*nameLookup, netip.Addr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := a.names[host]
	if name != nil || a.lookup == nil || !a.dialled.IsValid() || len(a.names) >= maxAliases {
		return name, a.dialled
	}
	if a.names == nil {
		a.names = make(map[string]*nameLookup)
	}
	name = &nameLookup{}
	a.names[host] = name
	return name, a.dialled
}

// plainAddr returns the form of a by which addresses are compared: IPv4 if possible, without a zone.
func plainAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// canonical returns u with the name of the mirror's server if the host of u is an alias and its port is the port of
// the mirror. It returns any other u unchanged.
func (r *remote) canonical(ctx context.Context, u url.URL) url.URL {
	here, ok := r.here(u)
	if !ok || !strings.HasSuffix(limit.Server(r.tree.Start), portOf(u)) {
		return u
	}
	if host, _ := u.Host(); !r.aliases.has(ctx, host) {
		return u
	}
	return here
}

// portOf returns ":" and the port of the server of u.
func portOf(u url.URL) string {
	server := limit.Server(u)
	return server[strings.LastIndexByte(server, ':'):]
}

// here returns u with the host and the port of the mirror's server. ok is false if u is on that server already, or if
// tree.Tree.Here refuses u.
func (r *remote) here(u url.URL) (here url.URL, ok bool) {
	if r.tree.Here == nil || u.IsZero() || !r.isOtherServer(u) {
		return url.URL{}, false
	}
	return r.tree.Here(u)
}

// placed returns the URL from which the local name of u is made. If u is on another host that OtherHosts allows, this
// is the URL with the same path on the mirror's server. Otherwise it is u.
func (r *remote) placed(u url.URL) url.URL {
	here, ok := r.here(u)
	if _, allowed := r.matchHost(u); !ok || !allowed {
		return u
	}
	return here
}

// omitElsewhere reports the entry e of another server as omitted, if e would be in the copy on the mirror's server.
// It does so once for each URL.
func (m *walk) omitElsewhere(e task) {
	here, ok := m.here(e.url)
	if !ok {
		return
	}
	if dirs, name, below := m.tree.PathOf(here); below && len(dirs)+len(name) > 0 && m.visited.Add(limit.Server(e.url)+" "+m.identity(task{url: here})) {
		m.omit(e.url, "", ErrOtherHost)
	}
}
