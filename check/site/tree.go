package site

import (
	"io/fs"
	"path"
	"strings"
	"sync"
)

// A tree knows which names in a file system are names of files, and which are names of folders. It reads each folder
// once. Names are case-sensitive even if the file system is not. Several goroutines may use it at once, always with the
// same file system.
type tree struct {
	mu      sync.Mutex
	folders map[string]map[string]bool // the entries of the folders that were read; true for a file
}

// isFile reports whether files has a file with exactly this name. It is false for a name with elements such as "..".
func (t *tree) isFile(files fs.FS, name string) bool {
	if path.Clean("/"+name) != "/"+name {
		return false
	}
	isFile, ok := t.entries(files, path.Dir(name))[path.Base(name)]
	return ok && isFile
}

// entries returns the entries of a folder by their names, with true for a file and false for a folder. The map is empty
// if there is no folder with exactly this name, or it cannot be read. entries looks for the folder from the root on and
// stops at the first missing name, because a link may lead through a hundred thousand of them.
func (t *tree) entries(files fs.FS, folder string) map[string]bool {
	if names, ok := t.known(folder); ok {
		return names
	}
	names := t.readOnce(files, ".")
	if folder == "." {
		return names
	}
	for from := 0; from < len(folder); {
		to := len(folder)
		if n := strings.IndexByte(folder[from:], '/'); n >= 0 {
			to = from + n
		}
		if isFile, ok := names[folder[from:to]]; !ok || isFile {
			return nil
		}
		names, from = t.readOnce(files, folder[:to]), to+1
	}
	return names
}

// known returns the entries of a folder that was read before. ok is false if it was not.
func (t *tree) known(folder string) (names map[string]bool, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	names, ok = t.folders[folder]
	return names, ok
}

// readOnce returns the entries of a folder that exists. It reads the folder at the first call.
func (t *tree) readOnce(files fs.FS, folder string) map[string]bool {
	if names, ok := t.known(folder); ok {
		return names
	}
	names := readFolder(files, folder)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.folders == nil {
		t.folders = map[string]map[string]bool{}
	}
	t.folders[folder] = names
	return names
}

// readFolder reads the entries of a folder, and returns them by their names, with true for a file and false for a
// folder. It follows symbolic links.
func readFolder(files fs.FS, folder string) map[string]bool {
	names := map[string]bool{}
	entries, _ := fs.ReadDir(files, folder)
	for _, e := range entries {
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := fs.Stat(files, path.Join(folder, e.Name()))
			if err != nil {
				continue
			}
			mode = info.Mode()
		}
		names[e.Name()] = !mode.IsDir()
	}
	return names
}
