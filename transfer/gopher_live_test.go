package transfer

import (
	"net"
	"strings"
	"testing"

	"locus"
	"locus/internal/peers"
	"locus/url"
)

// Menus of real servers with items twice, and with an error line, are copied whole: the
// files that they lead to, each once.
func TestMirrorGopherServers(t *testing.T) {
	files := map[string]string{"hello.txt": "Hello, world.\n", "sub/a.txt": "alpha\n", "sub/pixel.gif": "GIF89a\x01\x00"}
	for name, test := range map[string]struct {
		start   func(testing.TB, string) *peers.Server
		extra   map[string]string
		omitted int
	}{
		"pygopherd": {peers.Pygopherd, map[string]string{
			".Links": "Name=Hello again\nType=0\nPath=./hello.txt\n#\nName=Another type\nType=9\nPath=./hello.txt\n#\nName=Broken\nType=3\nPath=/none\n",
		}, 1}, // it leaves out the second path itself
		"gophernicus": {peers.Gophernicus, map[string]string{
			"gophermap": "0Hello\thello.txt\n0Hello again\thello.txt\n9Another type\thello.txt\n3Broken\t/none\n1sub\tsub\n",
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, files)
			fill(t, dir, test.extra)
			server := test.start(t, dir)
			var dialer net.Dialer
			c := &locus.Client{Retries: -1, Dial: dialer.DialContext}
			defer c.Close()
			root, copied := folder(t)
			var log eventLog
			report, err := Mirror(t.Context(), c, url.MustParse("gopher://"+server.Addr+"/1/"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add}})
			if err != nil || report.Failed > 0 || report.Omitted != test.omitted {
				t.Errorf("Mirror = %+v, %v, want %d omitted: %+v", report, err, test.omitted, log.of(Omitted))
			}
			got := contents(t, copied)
			delete(got, stateDir+"/")
			for name, text := range files {
				if strings.ReplaceAll(got[name], "\r\n", "\n") != text {
					t.Errorf("%s is %q, want %q", name, got[name], text)
				}
				delete(got, name)
			}
			delete(got, "sub/")
			if len(got) > 0 {
				t.Errorf("there is also %q", got)
			}
		})
	}
}
