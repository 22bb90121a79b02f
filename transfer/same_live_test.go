package transfer

import (
	"maps"
	"os"
	"runtime"
	"strings"
	"testing"

	"locus/internal/peers"
)

// A tree is the same to the byte, whichever protocol copies it.
func TestLiveMirrorSame(t *testing.T) {
	files := map[string]string{
		"unix.txt": "one\ntwo\n", "dos.txt": "one\r\ntwo\r\n", "mac.text": "one\rtwo\r", "page.html": "<p>one\r\n<p>two\n", "no end.TXT": "one",
		"a b": "spaces", "100%.txt": "percent", "%41.txt": "escape", "semi;type=a": "type code", "plus+&=": "marks", "empty": "",
		"sub/": "", "sub/deep/": "", "sub/deep/noise.bin": noise(300 << 10), "ünï/": "", "ünï/日本.htm": "not ASCII\r\n",
	}
	if runtime.GOOS != "windows" {
		files[`b\c.txt`] = "backslash"
	}
	for _, server := range []targetServer{
		{name: "file", dir: "www"},
		{name: "vsftpd", start: peers.VSFTPD, url: "ftp://@@/www/", dir: "www"},
		{name: "proftpd", start: peers.ProFTPD, url: "ftp://alice:secret@@@/www/", dir: "www"},
		{name: "pure-ftpd", start: peers.PureFTPd, url: "ftp://alice:secret@@@/www/", dir: "www"},
		{name: "inetutils", start: peers.InetutilsFTPD, url: "ftp://@@/www/", dir: "www"},
		{name: "nginx", start: peers.Nginx, url: "http://@@/dav/www/", dir: "dav/www"},
		{name: "apache", start: peers.Apache, url: "http://@@/dav/www/", dir: "dav/www"},
		{name: "lighttpd", start: peers.LighttpdDAV, url: "http://@@/www/", dir: "www"},
		{name: "caddy", start: peers.Caddy, url: "http://@@/www/", dir: "www"},
	} {
		t.Run(server.name, func(t *testing.T) {
			d := deploy(t, server, nil)
			fill(t, d.target, files)
			root, name := folder(t)
			var log eventLog
			want := maps.Clone(files)
			if server.name == "pure-ftpd" { // it does not send a file of such a name
				os.Remove(d.target + `/b\c.txt`)
				delete(want, `b\c.txt`)
			}
			if report, err := Mirror(t.Context(), d.to.Engine, d.to.URL, root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Event: log.add}}); err != nil || report.Failed > 0 {
				t.Errorf("Mirror = %+v, %v, failed: %q", report, err, log.names(Failed))
			}
			got := contents(t, name)
			for state := range got {
				if strings.HasPrefix(state, stateDir) {
					delete(got, state)
				}
			}
			compareTrees(t, got, want)
		})
	}
}
