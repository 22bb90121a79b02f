package transfer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"locus/access"
	"locus/internal/spill"
	"locus/limit"
	"locus/url"
)

// outsideDir is the local directory of files that are not in the directory of the mirror.
const outsideDir = "_outside"

// maxParts is how many parts may lead to each other, such as style sheets that import style
// sheets.
const maxParts = 16

// ErrOtherHost is the reason of Missing for what OtherHosts leaves out.
var ErrOtherHost = errors.New("it is on another host")

var errOtherScheme = errors.New("it is not a resource of http or https")

// isOffline reports whether the copy is for reading offline.
func (m *mirror) isOffline() bool { return m.Parts || m.Convert }

// checkPatterns returns an error if a pattern of hosts is invalid.
func checkPatterns(hosts []string) error {
	for _, pattern := range hosts {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%q is no pattern of hosts", pattern)
		}
	}
	return nil
}

// isOtherServer reports whether u is on another server than the mirror's.
func (m *mirror) isOtherServer(u url.URL) bool {
	return limit.Server(u) != limit.Server(m.tree.start())
}

// loginFor returns the Login for a URL. Other servers get no password.
func (m *mirror) loginFor(u url.URL) func(context.Context, access.Challenge) (access.Credentials, error) {
	if m.readsOthers() && m.isOtherServer(u) {
		return nil
	}
	return m.Login
}

// readsOthers reports whether the copy may have files of other servers.
func (m *mirror) readsOthers() bool { return m.isOffline() || len(m.OtherHosts) > 0 }

// matchHost returns the pattern of OtherHosts that a host matches.
func (m *mirror) matchHost(u url.URL) (pattern string, ok bool) {
	host, _ := u.Host()
	host = strings.ToLower(strings.Trim(host, "[]"))
	found := false
	for _, p := range m.OtherHosts {
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

// isPublicOnly reports whether u may be fetched only from a public address, because its
// host is another one that a pattern with "*" matched. Pages of strangers must not reach this
// network.
func (m *mirror) isPublicOnly(u url.URL) bool {
	if !m.readsOthers() || !m.isOtherServer(u) {
		return false
	}
	host, _ := u.Host()
	pattern, ok := m.matchHost(u)
	return !ok || !strings.EqualFold(pattern, strings.Trim(host, "[]"))
}

// publicly is an Engine whose requests for other hosts are PublicOnly where m says so.
type publicly struct {
	engine access.Engine
	mirror *mirror
}

func (p publicly) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if !p.mirror.isPublicOnly(req.URL) {
		return p.engine.Do(ctx, req)
	}
	public := *req
	public.PublicOnly = true
	return p.engine.Do(ctx, &public)
}

// checkPart returns an error if a part at u is not fetched.
func (m *mirror) checkPart(u url.URL, parts int) error {
	if u.Scheme() != "http" && u.Scheme() != "https" {
		return errOtherScheme
	}
	if _, ok := m.matchHost(u); m.isOtherServer(u) && !ok {
		return ErrOtherHost
	}
	if parts > maxParts {
		return fmt.Errorf("more than %d style sheets or frames lead to it", maxParts)
	}
	return nil
}

// addPart adds the task for something that the page of t loads, if it is new.
func (m *mirror) addPart(tasks *taskQueue, t task, to url.URL) {
	if u := to.Scheme(); u != "http" && u != "https" {
		return // data: and others are in the page, or no files
	}
	if err := m.checkPart(to, t.parts+1); err != nil {
		m.places.lack(to, err)
		return
	}
	if m.visited.Add(pageID(to)) {
		tasks.Add(task{url: m.tree.entry(to), size: -1, level: t.level + 1, parts: t.parts + 1})
	}
}

// mayLack reports whether the copy may do without t: t is a part of a page, and on another
// host.
func (m *mirror) mayLack(t task) bool { return t.parts > 0 && m.isOtherServer(t.url) }

// choosePlace returns the name to store the page or part u at. A redirect to another page is
// remembered. If u is not to be fetched, the error is a skip.
func (m *mirror) choosePlace(ctx context.Context, t task, u url.URL, mediaType string) (string, error) {
	if pageID(u) != pageID(t.url) {
		m.places.set(place{URL: pageID(t.url), To: pageID(u)})
		if err := m.checkTarget(ctx, t, u); err != nil {
			return "", &skip{err}
		}
	}
	name, err := m.claimPlace(t, u, mediaType)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	stored := m.storedName(name, mediaType)
	return stored, m.mkdir(path.Dir(stored))
}

// checkTarget returns an error if a redirect led to u and u is not to be stored. Another
// server gets a request of its own, with the rules for other hosts.
func (m *mirror) checkTarget(ctx context.Context, t task, u url.URL) error {
	if _, _, ok := m.tree.place(u); !ok {
		if t.parts == 0 {
			return errOutside
		}
		if err := m.checkPart(u, t.parts); err != nil {
			m.places.lack(u, err)
			return err
		}
	}
	if limit.Server(u) == limit.Server(t.url) {
		return m.checkRedirect(ctx, t, u)
	}
	if m.visited.Add(pageID(u)) {
		m.push(task{url: m.tree.entry(u), size: -1, level: max(t.level, 1), parts: t.parts})
	}
	return errRedirected
}

var errRedirected = errors.New("it redirects")

// claimPlace returns the name in the copy for u. It is the one of an earlier run, or made of
// the URL. If that cannot be had, it is made of a hash.
func (m *mirror) claimPlace(t task, u url.URL, mediaType string) (string, error) {
	var candidates []string
	if known, ok := m.places.Get(pageID(u)); ok && known.Name != "" && known.Type == typeOf(mediaType) {
		candidates = append(candidates, known.Name)
	}
	name, ok, err := m.placeName(u, mediaType)
	switch {
	case !ok && t.parts == 0:
		return "", &skip{errOutside}
	case err == nil:
		candidates = append(candidates, name)
	}
	hash := spill.HashOf(pageID(u))
	ext := extensionFor("", mediaType)
	candidates = append(candidates, path.Join(outsideDir, "named", hex.EncodeToString(hash[:])+ext))
	for _, name := range candidates {
		if !m.Filter.Match(name, false) {
			return "", &skip{errExcluded}
		}
		err := m.claimFile(name, pageID(u))
		if err == nil || !errors.Is(err, errTaken) && !errors.Is(err, errClash) {
			return name, err
		}
	}
	return "", fmt.Errorf("%q: %w", candidates[0], errTaken)
}

// placeName returns the local name that the URL u suggests. ok is true if u is in the tree.
// If not, the name is in the folder for other files of its server.
func (m *mirror) placeName(u url.URL, mediaType string) (name string, ok bool, err error) {
	dirs, last, ok := m.tree.place(u)
	prefix := ""
	if !ok {
		server := webAt(u)
		server.root = "/"
		dirs, last, _ = server.place(u)
		if prefix, err = m.serverName(u); err != nil {
			return "", false, err
		}
	}
	if len(dirs) > maxDepth {
		return "", ok, tooDeep(u)
	}
	dir, err := m.local(dirs, "")
	if err != nil {
		return "", ok, err
	}
	if last == "" {
		last = indexName
	}
	last, err = m.fileName(u, last, mediaType)
	return path.Join(prefix, dir, last), ok, err
}

// fileName returns the last part of the name for u.
func (m *mirror) fileName(u url.URL, last, mediaType string) (string, error) {
	query, hasQuery := u.Query()
	if !m.Convert && !hasQuery && isHTML(mediaType) && !hasHTMLSuffix(last) {
		last += ".html"
	}
	if !hasQuery {
		if m.Convert {
			last += extensionFor(last, mediaType)
		}
		return m.naming.file(last)
	}
	name, err := m.naming.page(last, query)
	if err == nil && m.Convert {
		ext := path.Ext(last)
		if add := extensionFor(last, mediaType); add != "" {
			ext = add
		}
		if len(ext) < 10 && !strings.HasSuffix(name, ext) {
			name, err = m.naming.page(last, query+ext)
		}
	}
	return name, err
}

// serverName returns the local directory for the files of a server that are not in the tree.
func (m *mirror) serverName(u url.URL) (string, error) {
	host, _ := u.Host()
	name := u.Scheme() + "_" + strings.ToLower(host)
	if port, ok := u.Port(); ok && port != "" {
		name += "_" + port
	}
	name, err := naming{portable: true}.file(name)
	return path.Join(outsideDir, name), err
}

// keepPlace remembers where a page or file is, and that a page is to be converted.
func (m *mirror) keepPlace(t task, found url.URL, name, mediaType string) {
	if !m.isOffline() || m.DryRun {
		return
	}
	u := normalize(found)
	m.places.set(place{URL: pageID(u), Name: shownName(name), Type: typeOf(mediaType)})
	if !m.Convert || !m.isRead(mediaType) {
		return
	}
	plain, err := url.Parse(anonymous(u))
	if err != nil {
		m.failed(t.url, shownName(name), false, err)
		return
	}
	m.outcome.update(func() { m.outcome.pages.Add(task{url: plain, name: shownName(name), title: mediaType}) })
}

// isSamePlace asks the server whether the file of an earlier run is up to date.
func (m *mirror) isSamePlace(ctx context.Context, t task) bool {
	known, ok := m.places.Get(pageID(t.url))
	if !ok || known.Name == "" {
		return false
	}
	name := m.storedName(known.Name, known.Type)
	info, err := m.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	mediaType, same := m.isSamePage(ctx, t, name, info)
	return same && typeOf(mediaType) == known.Type && m.useLocal(t, name, mediaType, info)
}

// isSameRedirect asks the server whether a URL still redirects where an earlier run was
// redirected to. If so, it pushes the target, which may be up to date.
func (m *mirror) isSameRedirect(ctx context.Context, t task) bool {
	if !m.isOffline() {
		return false
	}
	known, ok := m.places.Get(pageID(t.url))
	if !ok || known.To == "" {
		return false
	}
	req := &access.Request{Op: access.Stat, URL: t.url, Login: m.loginFor(t.url)}
	e, err := m.retrying("").Do(ctx, req)
	if err != nil {
		return false
	}
	to := normalize(e.URL)
	if pageID(to) != known.To || pageID(to) == pageID(t.url) {
		return false
	}
	if err := m.checkTarget(ctx, t, to); errors.Is(err, errSeen) || errors.Is(err, errRedirected) {
		return true
	} else if err != nil {
		return false
	}
	m.push(task{url: m.tree.entry(to), size: -1, level: t.level, parts: t.parts})
	return true
}
