package peers

import (
	"fmt"
	"path/filepath"
	"testing"
)

// NginxSecured starts the server of [Nginx] with TLS. It requires the user "ada" with the password
// "sesame".
func NginxSecured(t testing.TB, root string) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	users := write(t, keys, "users", lines("ada:{PLAIN}sesame"))
	s := NginxFile(t, root, func(port uint16) string {
		return lines(
			fmt.Sprintf("server { listen 127.0.0.1:%d ssl; root %q; autoindex on;", port, root),
			fmt.Sprintf("ssl_certificate %q; ssl_certificate_key %q;", filepath.Join(keys, "cert.pem"), filepath.Join(keys, "key.pem")),
			fmt.Sprintf("auth_basic peers; auth_basic_user_file %q;", users),
			"location /dav/ { dav_methods PUT DELETE MKCOL; }", "}",
		)
	})
	s.secure(t, keys)
	return s
}

// CaddySecured starts the server of [Caddy] with TLS. It requires the user "ada" with the password
// "sesame".
func CaddySecured(t testing.TB, root string) *Server {
	t.Helper()
	const hash = "$2a$04$CkmTEwzw.X6F7TwzhZfWUu94hASZK4uAtnI4C7WKbsNsXocnBxHPm" // of "sesame"
	keys := t.TempDir()
	certificate(t, keys)
	s := CaddyFile(t, root, func(port uint16) string {
		return lines(
			fmt.Sprintf("https://127.0.0.1:%d {", port),
			fmt.Sprintf(" tls %q %q", filepath.Join(keys, "cert.pem"), filepath.Join(keys, "key.pem")),
			fmt.Sprintf(" root * %q", root),
			" basicauth {", "  ada "+hash, " }", " file_server browse", "}",
		)
	})
	s.secure(t, keys)
	return s
}
