package sync

import (
	"context"
	"fmt"

	"locus/access"
	"locus/access/engine"
	"locus/transfer/internal/tree"
)

// addUnsized notes that the page of t had no size, so that confirm reads it again. It does nothing
// unless Delete is set and a page of this type is read for its links.
func (m *crawl) addUnsized(t task, mediaType string) {
	if m.Delete && m.site.IsRead(mediaType) {
		m.update(func() { m.unsized.Add(t) })
	}
}

// confirm reads the pages again that had no size. Such a page may have been cut off, because a
// server that closes the connection at the end of a page does not tell an end from a failure. It
// returns an error if a page cannot be read, or if it has a link that the mirror has not followed.
func (m *crawl) confirm(ctx context.Context) error {
	m.counted.Store(0) // the links were counted the first time
	for t := range m.unsized.All() {
		if err := m.stopped(ctx); err != nil {
			return err
		}
		if err := m.confirmPage(ctx, t); err != nil {
			return err
		}
	}
	return m.store.Err()
}

// confirmPage fetches a page again and returns an error if it now has links that the crawl has not
// visited. It turns a panic into an error, because the page comes from a stranger.
func (m *crawl) confirmPage(ctx context.Context, t task) (err error) {
	defer engine.CatchPanic(&err)
	r, err := m.retries("").Do(ctx, &access.Request{URL: t.url, Login: m.loginFor(t.url)})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if !m.site.IsRead(r.Type) {
		return fmt.Errorf("%s: its type has changed", t.url.Redacted())
	}
	u := tree.Normalize(r.URL)
	links, isListing, err := m.readLinks(r.Body, u, r.Type)
	if err != nil {
		return err
	}
	tasks, _ := m.newLinks(t, u, links, isListing)
	defer tasks.Drop()
	if tasks.Len() > 0 {
		return fmt.Errorf("%s: its links have changed", t.url.Redacted())
	}
	return nil
}
