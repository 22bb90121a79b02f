package cache

// CloseIdleConnections tells the Transport, as that of http.Client does.
func (w *Web) CloseIdleConnections() {
	if i, ok := w.Transport.(interface{ CloseIdleConnections() }); ok {
		i.CloseIdleConnections()
	}
}
