package sync

import (
	"context"
	"fmt"
	"path"
	"strings"

	"locus/access"
	"locus/limit"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A remote is the server of a mirror, with the other servers from which files may come.
type remote struct {
	engine    access.Engine
	tree      tree.Tree
	login     func(ctx context.Context, c access.Challenge) (access.Credentials, error)
	others    []string // patterns of hosts
	isOffline bool     // the copy is for reading offline
	aliases   *aliases // other names of the server
}

// checkPatterns returns an error if a pattern of hosts is invalid.
func checkPatterns(hosts []string) error {
	for _, pattern := range hosts {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%q is not a pattern of hosts", pattern)
		}
	}
	return nil
}

// isOtherServer reports whether u is on another server than the mirror's.
func (r *remote) isOtherServer(u url.URL) bool {
	return limit.Server(u) != limit.Server(r.tree.Start)
}

// loginFor returns the Login for a request of u, or nil if u is on another server, because such
// a server must not get a password.
func (r *remote) loginFor(u url.URL) func(context.Context, access.Challenge) (access.Credentials, error) {
	if r.readsOthers() && r.isOtherServer(u) {
		return nil
	}
	return r.login
}

// readsOthers reports whether the copy may have files of other servers.
func (r *remote) readsOthers() bool { return r.isOffline || len(r.others) > 0 }

// matchHost returns the pattern of OtherHosts that the host of u matches; the host itself if
// OtherHosts names it. ok is false if the host matches no pattern.
func (r *remote) matchHost(u url.URL) (pattern string, ok bool) {
	host, _ := u.Host()
	host = strings.ToLower(strings.Trim(host, "[]"))
	found := false
	for _, p := range r.others {
		p = strings.ToLower(p)
		if p == host {
			return p, true
		}
		if ok, err := path.Match(p, host); ok && err == nil {
			pattern, found = p, true
		}
	}
	return pattern, found
}

// isPublicOnly reports whether u may be fetched only from a public address. Every other server
// needs one, unless OtherHosts names its host without a "*", because pages of strangers must not
// reach this network.
func (r *remote) isPublicOnly(u url.URL) bool {
	if !r.readsOthers() || !r.isOtherServer(u) {
		return false
	}
	host, _ := u.Host()
	pattern, ok := r.matchHost(u)
	return !ok || !strings.EqualFold(pattern, strings.Trim(host, "[]"))
}

// A publicEngine sets PublicOnly in requests for other hosts, as isPublicOnly says.
type publicEngine struct {
	engine access.Engine
	remote *remote
}

// Do executes req, as PublicOnly if the remote allows only public addresses for its URL.
func (p publicEngine) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if !p.remote.isPublicOnly(req.URL) {
		return p.engine.Do(ctx, req)
	}
	public := *req
	public.PublicOnly = true
	return p.engine.Do(ctx, &public)
}

// isElsewhere reports whether u is on another server that OtherHosts does not allow. It is false
// unless the tree names its entries, because only such a tree leads to other servers.
func (r *remote) isElsewhere(u url.URL) bool {
	if r.tree.Name == nil || !r.isOtherServer(u) {
		return false
	}
	_, allowed := r.matchHost(u)
	return !allowed
}
