package transfer

import (
	"net"
	"testing"

	"locus"
	"locus/internal/peers"
	"locus/url"
)

// The pages that Caddy makes of folders are read, and not kept. The second run fetches
// nothing.
func TestLiveMirrorCaddy(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a.txt": "a", "sub/": "", "sub/b c#d.txt": "b", "sub/deep/": "", "sub/deep/e.txt": "e"}
	fill(t, dir, files)
	server := peers.Caddy(t, dir)
	client := &locus.Client{Dial: new(net.Dialer).DialContext, AllowPorts: []uint16{server.Port}}
	root, name := folder(t)
	for _, want := range []int{3, 0} {
		report, err := Mirror(t.Context(), client, url.MustParse("http://"+server.Addr+"/"), root, MirrorOptions{MaxEntries: 1000})
		if err != nil || report.Failed > 0 || report.Files != want {
			t.Errorf("Mirror = %+v, %v; want %d files", report, err, want)
		}
		compareTrees(t, contents(t, name), files)
	}
}
