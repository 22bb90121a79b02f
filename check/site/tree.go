package site

import (
	"io/fs"
	"path"
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

// isFolder reports whether files has a folder with exactly this name. "." is a folder.
func (t *tree) isFolder(files fs.FS, name string) bool {
	if name == "." {
		return true
	}
	isFile, ok := t.entries(files, path.Dir(name))[path.Base(name)]
	return ok && !isFile
}

// entries returns the entries of a folder by their names, with true for a file and false for a folder. It reads each
// folder only once. The map is empty if there is no folder with exactly this name, or it cannot be read.
func (t *tree) entries(files fs.FS, folder string) map[string]bool {
	t.mu.Lock()
	names, ok := t.folders[folder]
	t.mu.Unlock()
	if !ok {
		names = t.read(files, folder)
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.folders == nil {
			t.folders = map[string]map[string]bool{}
		}
		t.folders[folder] = names
	}
	return names
}

// read reads the entries of a folder, and returns them by their names, with true for a file and false for a folder. It
// follows symbolic links. It returns nil if files lacks a folder with exactly this name.
func (t *tree) read(files fs.FS, folder string) map[string]bool {
	if !t.isFolder(files, folder) {
		return nil
	}
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
