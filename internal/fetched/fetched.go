// Package fetched names the folder in which `make peers` keeps what it fetches for tests.
package fetched

import (
	"os"
	"path/filepath"
)

// Folder returns the path of the folder: $LOCUS_PEERS or, if it is not set, locus-peers in the
// user's cache folder. For root, and without a cache folder, it is /var/cache/locus-peers,
// which the user nobody can read.
func Folder() string {
	if d := os.Getenv("LOCUS_PEERS"); d != "" {
		return d
	}
	cache, err := os.UserCacheDir()
	if os.Geteuid() == 0 || err != nil {
		cache = "/var/cache"
	}
	return filepath.Join(cache, "locus-peers")
}
