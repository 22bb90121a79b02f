package peers

import (
	"fmt"
	"path/filepath"
	"testing"
)

// MollyBrown starts molly-brown, a Gemini server, in front of root. Programs in the folder cgi are
// run, "/moved" redirects to "/a.gmi" for now, and "/gone" for good. Files in the folder locked need
// the client certificate with the given SHA-256 digest, in hexadecimal.
//
// The server listens on every address of its machine, so it runs in a network namespace. Each
// connection to the Addr of the Server is passed on into the namespace. If the system does not
// allow a namespace, the test is skipped.
func MollyBrown(t testing.TB, root, digest string) *Server {
	t.Helper()
	dir := tree(t, "molly-brown")
	publish(t, root) // the server hides files that others may not read
	n := newNetwork(t)
	s, l := listen(t, root)
	certificate(t, s.scratch)
	conf := write(t, s.scratch, "molly.conf", lines(
		fmt.Sprintf("Port = %d", s.Port), `Hostname = "127.0.0.1"`, `DocBase = "`+root+`"`,
		`CertPath = "`+filepath.Join(s.scratch, "cert.pem")+`"`, `KeyPath = "`+filepath.Join(s.scratch, "key.pem")+`"`,
		`AccessLog = "access.log"`, `ErrorLog = "error.log"`, `CGIPaths = ["`+filepath.Join(root, "cgi")+`"]`,
		`[TempRedirects]`, `"^/moved$" = "/a.gmi"`, `[PermRedirects]`, `"^/gone$" = "/a.gmi"`,
		`[CertificateZones]`, `"^/locked/" = ["`+digest+`"]`,
	))
	n.forward(t, l, s.Addr) // the same address, because the server refuses URLs of others
	n.start(t, program(dir, "usr/bin/molly-brown", "-c", conf), filepath.Join(s.scratch, "output"), s.Addr)
	s.secure(t, s.scratch)
	return s
}
