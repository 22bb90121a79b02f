package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Gophernicus starts gophernicus, a plain gopher server. A gophermap is the menu of its
// folder, and programs in cgi-bin answer searches. It sends text without the final "."
// line.
func Gophernicus(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "gophernicus")
	s, l := listen(t, root)
	publish(t, root)
	inetd(t, l, func() *exec.Cmd {
		return program(dir, "usr/sbin/gophernicus", "-h", s.Host, "-p", fmt.Sprint(s.Port), "-r", root, "-nv", "-nm", "-nu")
	})
	return s
}

// publish makes a folder and everything in it readable for every user, because some servers,
// such as gophernicus, serve only such files.
func publish(t testing.TB, dir string) {
	t.Helper()
	check(t, exec.Command("chmod", "-R", "a+rX", dir).Run())
}

// Pygopherd starts pygopherd, a gopher server with a part of Gopher+: "+", "!" and "$",
// with +INFO, +ADMIN, +VIEWS, and +ABSTRACT and +ASK from the files NAME.abstract and
// NAME.ask. Its plain menus lack the "." line.
func Pygopherd(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "pygopherd")
	original, err := os.ReadFile(filepath.Join(dir, "etc/pygopherd/pygopherd.conf"))
	check(t, err)
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		types := write(t, scratch, "mime.types", lines(
			"text/plain txt", "text/html html", "image/gif gif", "image/png png", "application/zip zip",
		))
		conf := write(t, scratch, "pygopherd.conf", setValues(string(original), map[string]string{
			"pidfile":    filepath.Join(scratch, "pid"),
			"port":       fmt.Sprint(port),
			"servername": "127.0.0.1",
			"interface":  "127.0.0.1",
			"usechroot":  "no",
			"root":       root,
			"logmethod":  "file",
			"cachetime":  "0",
			"servertype": "ThreadingTCPServer",
			"mimetypes":  types,
		}))
		return python(dir, filepath.Join(dir, "usr/sbin/pygopherd"), conf)
	})
}

// setValues returns the text of a configuration file with the values of the given keys changed
// in its lines "key = value", also in lines that are commented out. It does not add lines.
func setValues(conf string, values map[string]string) string {
	all := strings.Split(conf, "\n")
	for i, line := range all {
		key, _, ok := strings.Cut(line, "=")
		key = strings.Trim(key, "# ")
		if value, known := values[key]; ok && known {
			all[i] = key + " = " + value
		}
	}
	return strings.Join(all, "\n")
}
