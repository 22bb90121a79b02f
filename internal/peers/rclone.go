package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// RcloneWebDAV starts the WebDAV server of rclone, with listings of folders for browsers. It
// writes an upload in place, and keeps half a file. Every file below root can be written.
func RcloneWebDAV(t testing.TB, root string) *Server {
	t.Helper()
	return rcloneServe(t, "webdav", root)
}

// RcloneWebDAVSecured starts the server of RcloneWebDAV with TLS. It requires the user "ada"
// with the password "sesame".
func RcloneWebDAVSecured(t testing.TB, root string) *Server {
	t.Helper()
	return rcloneSecured(t, "webdav", root)
}

// RcloneHTTP starts the HTTP server of rclone, which lists folders and does not change files.
func RcloneHTTP(t testing.TB, root string) *Server {
	t.Helper()
	return rcloneServe(t, "http", root)
}

// RcloneHTTPSecured starts the server of [RcloneHTTP] with TLS, for the user "ada" with the
// password "sesame".
func RcloneHTTPSecured(t testing.TB, root string) *Server {
	t.Helper()
	return rcloneSecured(t, "http", root)
}

// rcloneSecured starts rclone's server for a protocol, "webdav" or "http", with TLS. It requires
// the user "ada" with the password "sesame".
func rcloneSecured(t testing.TB, protocol, root string) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	s := rcloneServe(t, protocol, root, "--user", "ada", "--pass", "sesame", "--cert", filepath.Join(keys, "cert.pem"), "--key", filepath.Join(keys, "key.pem"))
	s.secure(t, keys)
	return s
}

// rcloneServe starts rclone's server for a protocol, "webdav" or "http", with more arguments.
func rcloneServe(t testing.TB, protocol, root string, more ...string) *Server {
	t.Helper()
	dir := tree(t, "rclone")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		args := []string{"serve", protocol, root, "--config", "", "--cache-dir", scratch, "--dir-cache-time", "1ms", "--addr", fmt.Sprintf("127.0.0.1:%d", port)}
		return program(dir, "usr/bin/rclone", append(args, more...)...)
	})
}
