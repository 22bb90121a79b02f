package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
	s.commands.file = filepath.Join(s.scratch, "output")
	s.commands.line = func(line string) (string, bool) {
		_, to, ok := strings.Cut(line, "connected to ")
		return to, ok
	}
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
	s.commands.file = filepath.Join(s.scratch, "log")
	s.commands.line = func(line string) (string, bool) {
		_, request, ok := strings.Cut(line, "Request (file descriptor ")
		if !ok {
			return "", false
		}
		_, request, ok = strings.Cut(request, "): ")
		return request, ok
	}
	return s
}
