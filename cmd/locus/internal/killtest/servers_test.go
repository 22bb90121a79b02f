package killtest

import (
	"testing"

	"locus/internal/peers"
)

// A starter starts a server of a folder.
type starter func(testing.TB, string) *peers.Server

// A server is a row of a table in the documentation.
type server struct {
	name    string // in the table
	peer    string // its folder in peers.Folder
	module  string // of a peer in Go
	start   starter
	login   string // before the address
	dir     string // the folder of the tree, below the served folder
	fixed   bool   // it does not store files
	secured []secured
	locked  starter // requires a login; nil: the server has none, or start requires it
}

// A secured is a way to start a server with TLS.
type secured struct {
	name   string // in the table
	start  starter
	scheme string
	login  string
	flags  []string
}

const (
	alice = "alice:secret@"
	ada   = "ada:sesame@"
)

func authTLS(start starter, login string) secured {
	return secured{"`AUTH TLS`", start, "ftp", login, []string{"--ftp-tls"}}
}

func ftps(start func(testing.TB, string, bool) *peers.Server, login string) []secured {
	explicit := func(t testing.TB, root string) *peers.Server { return start(t, root, false) }
	implicit := func(t testing.TB, root string) *peers.Server { return start(t, root, true) }
	return []secured{authTLS(explicit, login), {"ftps", implicit, "ftps", login, nil}}
}

func https(start starter) []secured { return []secured{{"https", start, "https", ada, nil}} }

var ftpServers = []server{
	{name: "vsftpd", peer: "vsftpd", start: peers.VSFTPD, secured: ftps(peers.VSFTPDOverTLS, "")},
	{name: "ProFTPD", peer: "proftpd", start: peers.ProFTPD, login: alice, secured: ftps(peers.ProFTPDOverTLS, alice)},
	{name: "Pure-FTPd", peer: "pure-ftpd", start: peers.PureFTPd, login: alice, secured: []secured{authTLS(peers.PureFTPdOverTLS, alice)}},
	{name: "pyftpdlib", peer: "pyftpdlib", start: func(t testing.TB, root string) *peers.Server { return peers.Pyftpdlib(t, root, "surrogateescape") }},
	{name: "inetutils-ftpd", peer: "inetutils-ftpd", start: peers.InetutilsFTPD},
	{name: "Twisted", peer: "twisted", start: peers.Twisted, login: alice},
	{name: "goftp.io/server", peer: "goftp", module: "goftp.io/server/v2", start: peers.GoFTP, login: alice, secured: []secured{authTLS(peers.GoFTPOverTLS, alice)}},
}

// nginx starts nginx, which takes files as large as largeName.
func nginx(t testing.TB, root string) *peers.Server {
	return peers.NginxWith(t, root, "autoindex on;", "location /dav/ { dav_methods PUT DELETE MKCOL; client_max_body_size 8m; }")
}

var webServers = []server{
	{name: "nginx", peer: "nginx", start: nginx, dir: "dav/www", secured: https(peers.NginxSecured), locked: peers.NginxSecured},
	{name: "Apache mod_dav", peer: "apache", start: peers.Apache, dir: "dav/www", secured: https(peers.ApacheSecured), locked: peers.ApacheSecured},
	{name: "lighttpd mod_webdav", peer: "lighttpd", start: peers.LighttpdDAV, locked: peers.Lighttpd},
	{name: "rclone serve webdav", peer: "rclone", start: peers.RcloneWebDAV, secured: https(peers.RcloneWebDAVSecured), locked: peers.RcloneWebDAVSecured},
	{name: "x/net/webdav", peer: "go-webdav", module: "golang.org/x/net", start: peers.GoWebDAV, secured: https(peers.GoWebDAVSecured), locked: peers.GoWebDAVSecured},
	{name: "rclone serve http", peer: "rclone", start: peers.RcloneHTTP, fixed: true, secured: https(peers.RcloneHTTPSecured), locked: peers.RcloneHTTPSecured},
	{name: "Caddy", peer: "caddy", start: peers.Caddy, fixed: true, secured: https(peers.CaddySecured), locked: peers.CaddySecured},
	{name: "Python http.server", peer: "python", start: peers.PythonHTTP, fixed: true},
}

// TestFTPServers tries real FTP servers, and compares the results with doc/ftp-servers.md.
func TestFTPServers(t *testing.T) {
	t.Parallel()
	testServers(t, "ftp", "doc/ftp-servers.md", ftpServers)
}

// TestWebServers tries real web servers, and compares the results with doc/deploy.md.
func TestWebServers(t *testing.T) {
	t.Parallel()
	testServers(t, "http", "doc/deploy.md", webServers)
}

func testServers(t *testing.T, scheme, document string, servers []server) {
	doc := openTable(t, document, servers)
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			doc.check(t, s, newTrial(t, scheme, s).run())
		})
	}
}
