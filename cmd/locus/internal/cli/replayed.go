package cli

import "locus/url"

// IsReplayed reports whether an archive answers for a URL, and no server: a gateway need not
// ask its user before it opens such a URL.
func IsReplayed(u url.URL) bool {
	host, _ := u.Host()
	return host != ""
}
