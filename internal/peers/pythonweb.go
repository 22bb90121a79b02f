package peers

import (
	"fmt"
	"os/exec"
	"testing"
)

// PythonHTTP starts http.server of Python, which lists folders. It speaks HTTP/1.0, and has
// neither ranges nor validators besides Last-Modified.
func PythonHTTP(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "python")
	return start(t, root, func(port uint16, _ string) *exec.Cmd {
		return python(dir, "-m", "http.server", "--bind", "127.0.0.1", "--directory", root, fmt.Sprint(port))
	})
}
