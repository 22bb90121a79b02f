package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// Nginx starts nginx, an HTTP server that lists folders. It has ranges, ETag,
// Last-Modified and conditional requests; below /dav/, if root has that folder,
// it takes PUT, DELETE and MKCOL, of 1 MiB at most.
func Nginx(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "nginx")
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "nginx.conf", lines(
			"daemon off; master_process off;",
			"pid "+scratch+"/pid;",
			"error_log "+scratch+"/errors;",
			"events {}",
			"http {",
			"  types { text/plain txt; text/html html; image/gif gif; image/png png; application/zip zip; }",
			"  default_type application/octet-stream;",
			"  charset utf-8;",
			"  log_format command '$request';",
			"  access_log "+scratch+"/commands command;",
			"  client_body_temp_path "+scratch+"; proxy_temp_path "+scratch+"; fastcgi_temp_path "+scratch+";",
			"  uwsgi_temp_path "+scratch+"; scgi_temp_path "+scratch+";",
			fmt.Sprintf("  server { listen 127.0.0.1:%d; root %q; autoindex on;", port, root),
			"    location /dav/ { dav_methods PUT DELETE MKCOL; client_max_body_size 1m; } }",
			"}",
		))
		return program(dir, "usr/sbin/nginx", "-e", filepath.Join(scratch, "errors"), "-p", scratch, "-c", conf)
	})
	s.commands.file = filepath.Join(s.scratch, "commands")
	s.commands.line = func(line string) (string, bool) { return line, line != "" } // "" is our own look whether it is ready
	return s
}
