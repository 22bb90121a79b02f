package cache

import "locus/access"

// CloseIdleConnections tells the Opener.
func (c *Cache) CloseIdleConnections() { access.CloseIdleConnections(c.Opener) }

// CloseIdleConnections tells the Transport, as that of http.Client does.
func (w *Web) CloseIdleConnections() {
	if i, ok := w.Transport.(access.Idler); ok {
		i.CloseIdleConnections()
	}
}
