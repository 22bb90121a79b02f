package transfer

import (
	"crypto/tls"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// Servers that refuse data connections without the TLS session of the control connection
// take a whole tree, keep it, and give it back: over many connections, with TLS 1.2 and 1.3.
func TestLiveSendTLS(t *testing.T) {
	for _, server := range []struct {
		name, before string
		start        func(testing.TB, string) *peers.Server
	}{
		{"vsftpd", "ftp://", func(t testing.TB, root string) *peers.Server { return peers.VSFTPDOverTLS(t, root, false) }},
		{"vsftpd/ftps", "ftps://", func(t testing.TB, root string) *peers.Server { return peers.VSFTPDOverTLS(t, root, true) }},
		{"proftpd", "ftp://alice:secret@", func(t testing.TB, root string) *peers.Server { return peers.ProFTPDOverTLS(t, root, false) }},
		{"proftpd/ftps", "ftps://alice:secret@", func(t testing.TB, root string) *peers.Server { return peers.ProFTPDOverTLS(t, root, true) }},
		{"pure-ftpd", "ftp://alice:secret@", peers.PureFTPdOverTLS},
	} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			t.Run(server.name+"/"+tls.VersionName(version), func(t *testing.T) {
				_, root := folder(t)
				d := deployFiles(t, awkward)
				s := server.start(t, root)
				client := ftp.Client{
					Dial: new(net.Dialer).DialContext, Security: access.RequireTLS, Pool: &ftp.Pool{},
					TLS: &tls.Config{RootCAs: s.Roots, MinVersion: version, MaxVersion: version},
				}
				t.Cleanup(func() { client.Pool.Close() })
				d.to, d.target = Place{Engine: client, URL: url.MustParse(server.before + s.Addr + "/www/")}, filepath.Join(root, "www")
				count := 0
				for name := range awkward {
					if !strings.HasSuffix(name, "/") {
						count++
					}
				}
				d.send(t, SendOptions{}, count, 0, 0)
				compareTrees(t, contents(t, d.target), awkward)
				d.send(t, SendOptions{Delete: true}, 0, count, 0)
				back, name := folder(t)
				report, err := Mirror(t.Context(), client, d.to.URL, back, MirrorOptions{})
				if err != nil || report.Failed > 0 {
					t.Errorf("Mirror = %+v, %v", report, err)
				}
				if got := contents(t, name); got["sub/big.bin"] != awkward["sub/big.bin"] || got["sub/deep/e.txt"] != "e" {
					t.Errorf("the mirror has %d files", len(got))
				}
			})
		}
	}
}
