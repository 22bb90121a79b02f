package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// GoFTP starts the FTP server of goftp.io/server for the user "alice" with "secret", with root
// as "/". It has MLSD, EPSV and UTF8, but not MFMT. It resumes an upload only if REST comes right
// before STOR. RMD deletes a directory with everything in it. Every file is writable.
func GoFTP(t testing.TB, root string) *Server {
	t.Helper()
	return goFTP(t, root)
}

// GoFTPOverTLS starts the server of GoFTP so that it offers AUTH TLS.
func GoFTPOverTLS(t testing.TB, root string) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	s := goFTP(t, root, "-cert", filepath.Join(keys, "cert.pem"), "-key", filepath.Join(keys, "key.pem"))
	s.secure(t, keys)
	return s
}

// goFTP starts the server of GoFTP with more arguments.
func goFTP(t testing.TB, root string, more ...string) *Server {
	t.Helper()
	dir := tree(t, "goftp")
	return start(t, root, func(port uint16, _ string) *exec.Cmd {
		args := []string{"-port", fmt.Sprint(port), "-root", root, "-user", "alice", "-password", "secret"}
		return program(dir, "goftp", append(args, more...)...)
	})
}

// GoWebDAV starts the server of golang.org/x/net/webdav. It does not answer GET for a folder,
// and writes an upload in place, so that half a file has its final name. Every file below root
// can be written.
func GoWebDAV(t testing.TB, root string) *Server {
	t.Helper()
	return goWebDAV(t, root)
}

// GoWebDAVSecured starts the server of GoWebDAV with TLS. It requires the user "ada" with the
// password "sesame".
func GoWebDAVSecured(t testing.TB, root string) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	s := goWebDAV(t, root, "-user", "ada", "-password", "sesame", "-cert", filepath.Join(keys, "cert.pem"), "-key", filepath.Join(keys, "key.pem"))
	s.secure(t, keys)
	return s
}

// goWebDAV starts the server of GoWebDAV with more arguments.
func goWebDAV(t testing.TB, root string, more ...string) *Server {
	t.Helper()
	dir := tree(t, "go-webdav")
	return start(t, root, func(port uint16, _ string) *exec.Cmd {
		return program(dir, "go-webdav", append([]string{"-addr", fmt.Sprintf("127.0.0.1:%d", port), "-root", root}, more...)...)
	})
}
