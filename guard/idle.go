package guard

import "locus/access"

// CloseIdleConnections closes those that no access is using.
func (p Ports) CloseIdleConnections() { access.CloseIdleConnections(p.opener()) }
