package serve

import (
	"io/fs"
	"os"
	"path/filepath"
)

// documentation returns the pages of the documentation that are installed with program, the file of this
// program, or nil if they are missing. Packages install them as /usr/share/doc/locus/html for /usr/bin/locus, and the
// archives of a release have them in the folder "documentation" beside the program.
func documentation(program string) fs.FS {
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return nil
	}
	folder := filepath.Dir(program)
	for _, dir := range []string{filepath.Join(folder, "../share/doc/locus/html"), filepath.Join(folder, "documentation")} {
		if _, err := os.Stat(filepath.Join(dir, "index.html")); err == nil {
			return os.DirFS(dir)
		}
	}
	return nil
}
