package transfer

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/internal/peers"
	"locus/url"
)

// looped is a server with the files f and d/g, whose directory d/up is the root again.
func looped(tellsUnique bool) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		path := strings.TrimPrefix(req.URL.Path(), "/")
		if !strings.HasSuffix(path, "/") && path != "" {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 1}, Body: io.NopCloser(strings.NewReader("x"))}, nil
		}
		changed := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		file, dirName, id := "f", "d", "d"
		if strings.HasSuffix(path, "d/") {
			file, dirName, id = "g", "up", "root"
		}
		at := "ftp://h/" + path
		inside := access.Entry{Title: dirName, URL: url.MustParse(at + dirName + "/"), Kind: access.Directory, Size: -1, ModTime: changed}
		if tellsUnique {
			inside.ID = id
		}
		return listed(req, &dir{entries: []access.Entry{
			{Title: file, URL: url.MustParse(at + file), Kind: access.Object, Size: 1, ModTime: changed}, inside,
		}}), nil
	})
}

// A directory that is one of those above it is not followed: the server says so, or its
// listing is the same. A server that only seems to say so gives a failure.
func TestMirrorLoop(t *testing.T) {
	for _, test := range []struct {
		tellsUnique bool
		failed      int
		want        map[string]string
	}{
		{true, 0, map[string]string{"f": "x", "d/": "", "d/g": "x", "d/up/": "", "d/up/f": "x"}},
		{false, 1, map[string]string{"f": "x", "d/": "", "d/g": "x"}},
	} {
		root, name := folder(t)
		report, err := Mirror(t.Context(), looped(test.tellsUnique), url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 1000}})
		if err != nil || report.Failed != test.failed {
			t.Errorf("unique %v: Mirror = %+v, %v; want %d failed", test.tellsUnique, report, err, test.failed)
		}
		got := contents(t, name)
		delete(got, stateDir+"/")
		compareTrees(t, got, test.want)
	}
}

// A link that a real server shows as a directory is not followed round and round.
func TestLiveMirrorLoop(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{"f": "f", "d/g": "g", "d/e/h": "h"})
	for link, to := range map[string]string{"d/up": "..", "d/e/self": ".", "twin": "d/e"} {
		if err := os.Symlink(to, dir+"/"+link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	server := peers.Pyftpdlib(t, dir, "replace")
	root, name := folder(t)
	client := &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext, AllowPorts: []uint16{server.Port}}
	u := url.MustParse("ftp://" + server.Addr + "/")
	var log eventLog
	report, err := Mirror(t.Context(), client, u, root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add, MaxEntries: 1000}})
	if err != nil || report.Failed > 0 {
		t.Fatalf("Mirror = %+v, %v: %v", report, err, log.of(Failed))
	}
	compareTrees(t, contents(t, name), map[string]string{
		"f": "f", "d/": "", "d/g": "g", "d/e/": "", "d/e/h": "h", "twin/": "", "twin/h": "h",
	})
}
