package cli

import "locus/url"

// IsReplayed reports whether a URL, opened from an archive, needs no server and no file of this
// machine, because it names a host. A gateway then need not ask its user before it opens the URL.
func IsReplayed(u url.URL) bool {
	host, _ := u.Host()
	return host != ""
}
