package check

// excludesOffline returns the reason for which Offline excludes a job, because its check needs the network; "" if it
// does not.
func (c *Checker) excludesOffline(j Job) string {
	if c.Offline && j.Bad == "" && c.needsNetwork(schemeOf(j.URL)) {
		return "it needs the network"
	}
	return ""
}

// needsNetwork reports whether an access to a URL with the given scheme reaches a server.
func (c *Checker) needsNetwork(scheme string) bool {
	s := c.Schemes.Of(scheme)
	return s.Remote || s.Dials
}
