package sync

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
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// outsideDir is the local directory of files that are not in the directory of the mirror.
const outsideDir = "_outside"

// MaxParts is how many parts may lead to each other, such as style sheets that import style
// sheets.
const MaxParts = 16

// ErrOtherHost is the reason of Missing for what OtherHosts leaves out.
var ErrOtherHost = errors.New("it is on another host")

var errOtherScheme = errors.New("it is not a resource of http or https")

// checkPart returns an error if a part at u is not fetched.
func (m *crawl) checkPart(u url.URL, parts int) error {
	if !tree.IsWeb(u) {
		return errOtherScheme
	}
	if _, ok := m.matchHost(u); m.isOtherServer(u) && !ok {
		return ErrOtherHost
	}
	if parts > MaxParts {
		return fmt.Errorf("more than %d style sheets or frames lead to it", MaxParts)
	}
	return nil
}

// addPart adds the task for something that the page of t loads, if it is new.
func (m *crawl) addPart(tasks *taskQueue, t task, to url.URL) {
	if !tree.IsWeb(to) {
		return // data: and others are in the page, or no files
	}
	if err := m.checkPart(to, t.parts+1); err != nil {
		m.places.lack(to, err)
		return
	}
	if m.visited.Add(pageID(to)) {
		tasks.Add(task{url: m.tree.Entry(to), size: -1, level: t.level + 1, parts: t.parts + 1})
	}
}

// mayLack reports whether the copy may do without t: t is a part of a page, and on another
// host.
func (m *crawl) mayLack(t task) bool { return t.parts > 0 && m.isOtherServer(t.url) }

// choosePlace returns the name to store the page or part u at. A redirect to another page is
// remembered. If u is not to be fetched, the error is a skip.
func (m *crawl) choosePlace(ctx context.Context, t task, u url.URL, mediaType string) (string, error) {
	if pageID(u) != pageID(t.url) {
		m.places.set(place{URL: pageID(t.url), To: pageID(u)})
		if err := m.checkTarget(ctx, t, u); err != nil {
			return "", &fetch.Skip{Why: err}
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
func (m *crawl) checkTarget(ctx context.Context, t task, u url.URL) error {
	if _, _, ok := m.tree.Place(u); !ok {
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
		m.push(task{url: m.tree.Entry(u), size: -1, level: max(t.level, 1), parts: t.parts})
	}
	return errRedirected
}

var errRedirected = errors.New("it redirects")

// claimPlace returns the name in the copy for u. It is the one of an earlier run, or made of
// the URL. If that cannot be had, it is made of a hash.
func (m *crawl) claimPlace(t task, u url.URL, mediaType string) (string, error) {
	var candidates []string
	if known, ok := m.places.Get(pageID(u)); ok && known.Name != "" && known.Type == offline.TypeOf(mediaType) {
		candidates = append(candidates, known.Name)
	}
	name, ok, err := m.placeName(u, mediaType)
	switch {
	case !ok && t.parts == 0:
		return "", &fetch.Skip{Why: errOutside}
	case err == nil:
		candidates = append(candidates, name)
	}
	hash := spill.HashOf(pageID(u))
	ext := offline.ExtensionFor("", mediaType)
	candidates = append(candidates, path.Join(outsideDir, "named", hex.EncodeToString(hash[:])+ext))
	for _, name := range candidates {
		if !m.Filter.Match(name, false) {
			return "", &fetch.Skip{Why: errExcluded}
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
func (m *crawl) placeName(u url.URL, mediaType string) (name string, ok bool, err error) {
	dirs, last, ok := m.tree.Place(u)
	prefix := ""
	if !ok {
		dirs, last = tree.PlaceOf(u)
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
		last = IndexName
	}
	last, err = m.fileName(u, last, mediaType)
	return path.Join(prefix, dir, last), ok, err
}

// fileName returns the last part of the name for u.
func (m *crawl) fileName(u url.URL, last, mediaType string) (string, error) {
	query, hasQuery := u.Query()
	if !m.Convert && !hasQuery && isHTML(mediaType) && !hasHTMLSuffix(last) {
		last += ".html"
	}
	if !hasQuery {
		if m.Convert {
			last += offline.ExtensionFor(last, mediaType)
		}
		return m.naming.File(last)
	}
	name, err := m.naming.Page(last, query)
	if err == nil && m.Convert {
		ext := path.Ext(last)
		if add := offline.ExtensionFor(last, mediaType); add != "" {
			ext = add
		}
		if len(ext) < 10 && !strings.HasSuffix(name, ext) {
			name, err = m.naming.Page(last, query+ext)
		}
	}
	return name, err
}

// serverName returns the local directory for the files of a server that are not in the tree.
func (m *crawl) serverName(u url.URL) (string, error) {
	host, _ := u.Host()
	name := u.Scheme() + "_" + strings.ToLower(host)
	if port, ok := u.Port(); ok && port != "" {
		name += "_" + port
	}
	name, err := tree.Naming{Portable: true}.File(name)
	return path.Join(outsideDir, name), err
}

// keepPlace remembers where a page or file is, and that a page is to be converted.
func (m *crawl) keepPlace(t task, found url.URL, name, mediaType string) {
	if !m.isOffline || m.DryRun {
		return
	}
	u := tree.Normalize(found)
	m.places.set(place{URL: pageID(u), Name: shownName(name), Type: offline.TypeOf(mediaType)})
	if !m.Convert || !m.isRead(mediaType) {
		return
	}
	plain, err := url.Parse(tree.Anonymous(u))
	if err != nil {
		m.failed(t.url, shownName(name), false, err)
		return
	}
	m.update(func() { m.toConvert.Add(task{url: plain, name: shownName(name), title: mediaType}) })
}

// isSamePlace asks the server whether the file of an earlier run is up to date.
func (m *crawl) isSamePlace(ctx context.Context, t task) bool {
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
	return same && offline.TypeOf(mediaType) == known.Type && m.useLocal(t, name, mediaType, info)
}

// isSameRedirect asks the server whether a URL still redirects where an earlier run was
// redirected to. If so, it pushes the target, which may be up to date.
func (m *crawl) isSameRedirect(ctx context.Context, t task) bool {
	if !m.isOffline {
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
	to := tree.Normalize(e.URL)
	if pageID(to) != known.To || pageID(to) == pageID(t.url) {
		return false
	}
	if err := m.checkTarget(ctx, t, to); errors.Is(err, errSeen) || errors.Is(err, errRedirected) {
		return true
	} else if err != nil {
		return false
	}
	m.push(task{url: m.tree.Entry(to), size: -1, level: t.level, parts: t.parts})
	return true
}
