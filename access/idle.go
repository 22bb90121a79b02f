package access

// An Idler keeps connections for the next access.
type Idler interface {
	// CloseIdleConnections closes those that no access is using. The next access
	// makes others. It may be called by several goroutines at once.
	CloseIdleConnections()
}

// CloseIdleConnections closes the connections that o keeps and no access is using,
// if it is an [Idler].
func CloseIdleConnections(o Opener) {
	if i, ok := o.(Idler); ok {
		i.CloseIdleConnections()
	}
}

// CloseIdleConnections tells every Opener.
func (t Table) CloseIdleConnections() {
	for _, o := range t {
		CloseIdleConnections(o)
	}
}

// CloseIdleConnections tells the Opener.
func (f Follow) CloseIdleConnections() { CloseIdleConnections(f.opener()) }

// CloseIdleConnections tells the Opener.
func (v Via) CloseIdleConnections() { CloseIdleConnections(v.Opener) }
