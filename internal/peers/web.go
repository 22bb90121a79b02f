package peers

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Nginx starts nginx, an HTTP server that lists folders. It has ranges, ETag,
// Last-Modified and conditional requests; below /dav/, if root has that folder, it
// accepts PUT, DELETE and MKCOL, of at most 1 MiB.
func Nginx(t testing.TB, root string) *Server {
	t.Helper()
	return nginx(t, root, "autoindex on;", "location /dav/ { dav_methods PUT DELETE MKCOL; client_max_body_size 1m; }")
}

// NginxSite starts nginx as a host of static files: /a is the file a, a.html or a/index.html, and /a/ is a/index.html
// or a.html. It obeys the rules for single paths in the file _redirects in root, which must exist.
func NginxSite(t testing.TB, root string) *Server {
	t.Helper()
	locations := []string{
		"location / { try_files $uri $uri.html $uri/index.html =404; }",
		"location ~ ^(?<page>.*)/$ { try_files $page/index.html $page.html =404; }",
	}
	rules, err := os.ReadFile(filepath.Join(root, "_redirects"))
	check(t, err)
	for line := range strings.Lines(string(rules)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] != "#" {
			locations = append(locations, fmt.Sprintf("location = %s { return %s %s; }", f[0], f[2], f[1]))
		}
	}
	return nginx(t, root, locations...)
}

// NginxWith starts nginx with more directives for its server, such as locations.
func NginxWith(t testing.TB, root string, directives ...string) *Server {
	t.Helper()
	return nginx(t, root, directives...)
}

// NginxFile starts nginx with the text of a site, as files in /etc/nginx/sites-enabled have it. site returns the text,
// which must listen at port of 127.0.0.1, and may name files in root.
func NginxFile(t testing.TB, root string, site func(port uint16) string) *Server {
	t.Helper()
	return startNginx(t, root, site)
}

// nginx starts nginx with directives for its server.
func nginx(t testing.TB, root string, directives ...string) *Server {
	t.Helper()
	return startNginx(t, root, func(port uint16) string {
		return fmt.Sprintf("  server { listen 127.0.0.1:%d; root %q;\n", port, root) + strings.Join(directives, "\n") + "}"
	})
}

// startNginx starts nginx. server returns the text of a server block, which must listen at port of 127.0.0.1.
func startNginx(t testing.TB, root string, server func(port uint16) string) *Server {
	t.Helper()
	dir := tree(t, "nginx")
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "nginx.conf", lines(
			"daemon off; master_process off;",
			"pid "+scratch+"/pid;",
			"error_log "+scratch+"/errors;",
			"events {}",
			"http {",
			"  types { text/plain txt; text/html html; image/gif gif; image/png png; application/zip zip;",
			"    text/css css; text/javascript js; image/svg+xml svg; font/woff2 woff2; text/vtt vtt; audio/wav wav;",
			"    image/x-icon ico; application/manifest+json webmanifest; }",
			"  default_type application/octet-stream;",
			"  charset utf-8;",
			"  log_format command '$request';",
			"  access_log "+scratch+"/commands command;",
			"  client_body_temp_path "+scratch+"; proxy_temp_path "+scratch+"; fastcgi_temp_path "+scratch+";",
			"  uwsgi_temp_path "+scratch+"; scgi_temp_path "+scratch+";",
			server(port),
			"}",
		))
		return program(dir, "usr/sbin/nginx", "-e", filepath.Join(scratch, "errors"), "-p", scratch, "-c", conf)
	})
	s.logs("commands", func(line string) (string, bool) { return line, line != "" }) // "" comes from the check whether it is ready
	return s
}

// Lighttpd starts lighttpd, an HTTP server that lists folders. It requires Digest (RFC
// 7616), with SHA-256 or MD5: the user "ada" with the password "sesame".
func Lighttpd(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "lighttpd")
	const login = "ada:peers:"
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		users := write(t, scratch, "users", lines(
			fmt.Sprintf("%s%x", login, md5.Sum([]byte(login+"sesame"))),
			fmt.Sprintf("%s%x", login, sha256.Sum256([]byte(login+"sesame"))),
		))
		conf := write(t, scratch, "lighttpd.conf", lines(
			`server.modules = ("mod_auth", "mod_authn_file")`,
			`server.bind = "127.0.0.1"`,
			`dir-listing.activate = "enable"`,
			fmt.Sprintf("server.port = %d", port),
			fmt.Sprintf("server.document-root = %q", root),
			fmt.Sprintf("server.errorlog = %q", filepath.Join(scratch, "errors")),
			`auth.backend = "htdigest"`,
			fmt.Sprintf("auth.backend.htdigest.userfile = %q", users),
			`auth.require = ("/" => ("method" => "digest", "realm" => "peers", "require" => "valid-user", "algorithm" => "SHA-256|MD5"))`,
		))
		return program(dir, "usr/sbin/lighttpd", "-D", "-f", conf, "-m", filepath.Join(dir, "usr/lib/lighttpd"))
	})
}

// Caddy starts Caddy, an HTTP server that lists folders. It has ranges, ETag,
// Last-Modified and conditional requests.
func Caddy(t testing.TB, root string) *Server {
	t.Helper()
	return startCaddy(t, root, func(port uint16) string {
		return fmt.Sprintf("http://127.0.0.1:%d {\n root * %q\n file_server browse\n}", port, root)
	})
}

// CaddyFile starts Caddy with the text of a site in a Caddyfile. site returns the text, which must listen at port of
// 127.0.0.1, and may name files in root.
func CaddyFile(t testing.TB, root string, site func(port uint16) string) *Server {
	t.Helper()
	return startCaddy(t, root, site)
}

// startCaddy starts Caddy. site returns the text of a site, which must listen at port of 127.0.0.1.
func startCaddy(t testing.TB, root string, site func(port uint16) string) *Server {
	t.Helper()
	dir := tree(t, "caddy")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "Caddyfile", lines(
			"{", " admin off", " auto_https off", " storage file_system "+scratch, "}",
			site(port),
		))
		cmd := program(dir, "usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", conf)
		cmd.Env = append(cmd.Environ(), "HOME="+scratch) // it saves its settings there
		return cmd
	})
}

// HAProxyFile starts HAProxy with the text of a file such as /etc/haproxy/haproxy.cfg. site returns the text, which
// must listen at port of 127.0.0.1, and may name files in root.
func HAProxyFile(t testing.TB, root string, site func(port uint16) string) *Server {
	t.Helper()
	dir := tree(t, "haproxy")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		return program(dir, "usr/sbin/haproxy", "-db", "-f", write(t, scratch, "haproxy.cfg", site(port)))
	})
}

// Microsocks starts microsocks, a SOCKS5 proxy. It requires user and password, unless
// user is "". Its commands are the requested targets: "localhost:21".
func Microsocks(t testing.TB, user, password string) *Server {
	t.Helper()
	dir := tree(t, "microsocks")
	s := start(t, t.TempDir(), func(port uint16, _ string) *exec.Cmd {
		args := []string{"-i", "127.0.0.1", "-p", fmt.Sprint(port)}
		if user != "" {
			args = append(args, "-u", user, "-P", password)
		}
		return program(dir, "usr/bin/microsocks", args...)
	})
	s.logs("output", func(line string) (string, bool) {
		_, to, ok := strings.Cut(line, "connected to ")
		return to, ok
	})
	return s
}

// Tinyproxy starts tinyproxy, an HTTP proxy that connects to any port. Its
// commands are the first lines of requests: "GET http://localhost/ HTTP/1.1",
// "CONNECT localhost:443 HTTP/1.1".
func Tinyproxy(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "tinyproxy")
	s := start(t, t.TempDir(), func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "tinyproxy.conf", lines(
			"Listen 127.0.0.1",
			fmt.Sprintf("Port %d", port),
			"Timeout 600",
			"LogLevel Connect",
			"LogFile \""+filepath.Join(scratch, "log")+"\"",
			"MaxClients 20",
			"Allow 127.0.0.1",
		))
		return program(dir, "usr/bin/tinyproxy", "-d", "-c", conf)
	})
	s.logs("log", func(line string) (string, bool) {
		_, request, ok := strings.Cut(line, "Request (file descriptor ")
		_, request, ok2 := strings.Cut(request, "): ")
		return request, ok && ok2
	})
	return s
}

// Apache starts Apache httpd with mod_dav and mod_autoindex: files below /dav/, a folder of
// root, can be written with WebDAV. It lists folders as Apache does, with rounded sizes.
//
// mod_dir is off below /dav/, because it would answer PROPFIND with the index page.
func Apache(t testing.TB, root string) *Server {
	t.Helper()
	return apache(t, root, nil, "Require all granted")
}

// ApacheSecured starts the server of Apache with TLS. It requires the user "ada" with the password "sesame".
func ApacheSecured(t testing.TB, root string) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	sum := sha1.Sum([]byte("sesame")) //nolint:gosec // the format of htpasswd files
	users := write(t, keys, "users", lines("ada:{SHA}"+base64.StdEncoding.EncodeToString(sum[:])))
	s := apache(t, root, []string{"ssl", "auth_basic", "authn_core", "authn_file", "authz_user"},
		"Require valid-user", "AuthType Basic", "AuthName peers", fmt.Sprintf("AuthUserFile %q", users),
		"</Directory>", "SSLEngine on", "SSLSessionCache none",
		fmt.Sprintf("SSLCertificateFile %q", filepath.Join(keys, "cert.pem")),
		fmt.Sprintf("SSLCertificateKeyFile %q", filepath.Join(keys, "key.pem")),
		fmt.Sprintf("<Directory %q>", root))
	s.secure(t, keys)
	return s
}

// apache starts Apache with more modules, and with directives for the folder root.
func apache(t testing.TB, root string, modules []string, directives ...string) *Server {
	t.Helper()
	dir := tree(t, "apache")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		var conf strings.Builder
		fmt.Fprintf(&conf, "ServerRoot %q\nServerName 127.0.0.1\nListen 127.0.0.1:%d\nPidFile %q\nErrorLog %q\n", scratch, port, filepath.Join(scratch, "pid"), filepath.Join(scratch, "errors"))
		for _, name := range append([]string{"mpm_event", "authz_core", "autoindex", "dav", "dav_fs", "dir"}, modules...) {
			fmt.Fprintf(&conf, "LoadModule %s_module %q\n", name, filepath.Join(dir, "usr/lib/apache2/modules/mod_"+name+".so"))
		}
		fmt.Fprintf(&conf, "DavLockDB %q\nDocumentRoot %q\nDirectoryIndex index.html\nMutex posixsem\n", filepath.Join(scratch, "lock"), root)
		fmt.Fprintf(&conf, "<Directory %q>\nOptions Indexes\nIndexOptions FancyIndexing HTMLTable NameWidth=*\nIndexIgnoreReset ON\nIndexIgnore .\n%s</Directory>\n", root, lines(directives...))
		fmt.Fprintf(&conf, "<Location \"/dav/\">\nDav On\nDirectoryIndex disabled\n</Location>\n")
		return program(dir, "usr/sbin/apache2", "-X", "-f", write(t, scratch, "apache.conf", conf.String()))
	})
}

// LighttpdDAV starts lighttpd with WebDAV and listings of folders. Every file below root
// can be written.
func LighttpdDAV(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "lighttpd")
	if _, err := os.Stat(filepath.Join(dir, "usr/lib/lighttpd/mod_webdav.so")); err != nil {
		missing(t, "peers: lighttpd in %s is without WebDAV: remove it and run `make peers`", Folder())
	}
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "lighttpd.conf", lines(
			`server.modules = ("mod_webdav")`,
			`server.bind = "127.0.0.1"`,
			`dir-listing.activate = "enable"`,
			`dir-listing.hide-dotfiles = "disable"`,
			`mimetype.assign = (".html" => "text/html", "" => "application/octet-stream")`, // without a type it sends no Last-Modified
			`webdav.activate = "enable"`,
			fmt.Sprintf("server.port = %d", port),
			fmt.Sprintf("server.document-root = %q", root),
			fmt.Sprintf("server.upload-dirs = (%q)", scratch),
			fmt.Sprintf("server.errorlog = %q", filepath.Join(scratch, "errors")),
		))
		return program(dir, "usr/sbin/lighttpd", "-D", "-f", conf, "-m", filepath.Join(dir, "usr/lib/lighttpd"))
	})
}
