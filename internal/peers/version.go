package peers

import (
	"bufio"
	"compress/gzip"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Version returns the version of the peer with this name without the revision of its package, such
// as "3.0.3". For a server in Go, of is the path of a module, and the result is the version of the
// module with which the server is built.
func Version(t testing.TB, name, of string) string {
	t.Helper()
	dir := tree(t, name)
	i := slices.IndexFunc(Peers(), func(p Peer) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("peers: %s is not a peer", name)
	}
	if p := Peers()[i]; p.Packages != nil {
		return packageVersion(t, filepath.Join(dir, "usr/share/doc", p.Packages[0]))
	}
	info, err := buildinfo.ReadFile(filepath.Join(dir, name))
	check(t, err)
	for _, m := range info.Deps {
		if m.Path == of {
			return m.Version[1:]
		}
	}
	t.Fatalf("peers: %s is not built with %s", name, of)
	return ""
}

// upstream matches the first line of a changelog, "proftpd-dfsg (1.3.8+dfsg-4) …".
var upstream = regexp.MustCompile(`^\S+ \((?:\d+:)?(\d+(?:\.\d+)*)`)

// packageVersion returns the version in the changelog of a package without the revision. docs
// is the folder of the package's documents.
func packageVersion(t testing.TB, docs string) string {
	t.Helper()
	f, err := os.Open(filepath.Join(docs, "changelog.Debian.gz"))
	check(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	check(t, err)
	line, err := bufio.NewReader(text).ReadString('\n')
	check(t, err)
	m := upstream.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("peers: the changelog in %s begins with %q", docs, line)
	}
	return m[1]
}
