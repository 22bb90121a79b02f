package sync

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"locus/access"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A listedError ends a crawl whose first page is a folder that the server lists by WebDAV. Then the
// folder is copied as a tree that has listings.
type listedError struct{ folder url.URL } // after redirects

func (e *listedError) Error() string { return "the server lists the folder, and has no page for it" }

// stopIfListed ends the crawl with a listedError if err is the refusal of its first page, and the server lists
// that page as a folder. It reports whether the crawl has ended. Only the first page decides: once the server
// has sent it as a page, the whole tree stays a web site.
//
// QUIRK: golang.org/x/net/webdav and the webdav-server of npm refuse GET of every folder (405). Servers
// without index pages forbid it (403), and some WebDAV servers do not find it (404).
func (m *crawl) stopIfListed(ctx context.Context, t task, err error) (isStopped bool) {
	if m.isOffline || t.level > 0 || !mayBeListed(t.url, err) {
		return false
	}
	folder, treeErr := tree.ListedAt(t.url)
	if treeErr != nil {
		return false
	}
	r, listErr := m.retries("").Do(ctx, &access.Request{URL: folder.Start, Login: m.Login, List: true})
	if listErr != nil {
		return false
	}
	defer r.Body.Close()
	if r.List == nil {
		return false
	}
	m.store.Fail(&listedError{r.URL})
	return true
}

// mayBeListed reports whether a server that refused to send u as a page, with err, may list it as a folder.
func mayBeListed(u url.URL, err error) bool {
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return true // the URL may lack its final "/"
	case errors.Is(err, access.ErrPassword):
		return false
	}
	return strings.HasSuffix(u.Path(), "/") && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist))
}
