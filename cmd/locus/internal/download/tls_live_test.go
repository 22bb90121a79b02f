package download

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/transfer"
	"locus/url"
)

// A whole tree can be sent to and mirrored from servers that refuse data connections without the
// TLS session of the control connection, over several connections, with TLS 1.2 and 1.3.
func TestLiveTreeOverTLS(t *testing.T) {
	files := map[string]string{"empty": "", "a b.txt": "spaces", "100%.txt": "percent", "ünï/日本.txt": "not ASCII", "sub/deep/e": "e", "sub/big": strings.Repeat("0123456789", 200_000)}
	for _, test := range []struct {
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
			t.Run(test.name+"/"+tls.VersionName(version), func(t *testing.T) {
				s := test.start(t, t.TempDir())
				client := ftp.Client{
					Dial: new(net.Dialer).DialContext, Security: access.RequireTLS, Pool: &ftp.Pool{},
					TLS: &tls.Config{RootCAs: s.Roots, MinVersion: version, MaxVersion: version},
				}
				t.Cleanup(func() { client.Pool.Close() })
				source, _ := openRoot(t)
				for name, text := range files {
					if err := source.MkdirAll(filepath.Dir(name), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := source.WriteFile(name, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				from := transfer.Endpoint{Engine: file.System{Root: source}, URL: url.MustParse("file:///")}
				to := transfer.Endpoint{Engine: client, URL: url.MustParse(test.before + s.Addr + "/www/")}
				for _, want := range []int{len(files), 0} {
					report, err := transfer.Send(t.Context(), from, to, transfer.SendOptions{TreeOptions: transfer.TreeOptions{Delete: true}})
					if err != nil || report.Files != want || report.Failed > 0 {
						t.Errorf("Send = %+v, %v, want %d files", report, err, want)
					}
				}
				back, dir := openRoot(t)
				report, err := transfer.Mirror(t.Context(), client, to.URL, back, transfer.MirrorOptions{})
				if err != nil || report.Files != len(files) {
					t.Errorf("Mirror = %+v, %v, want %d files", report, err, len(files))
				}
				for name, text := range files {
					if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != text {
						t.Errorf("Mirror writes %s with %d bytes, want %d: %v", name, len(got), len(text), err)
					}
				}
			})
		}
	}
}

// openRoot returns an empty folder, and its name.
func openRoot(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}
