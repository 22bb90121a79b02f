// Package fetched names the folder in which `make peers` keeps what it fetches for tests.
package fetched

import (
	"os"
	"path/filepath"
)

// Folder returns $LOCUS_PEERS, or locus-peers in the user's cache folder. For root it is
// /var/cache/locus-peers, which the user nobody can read.
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
