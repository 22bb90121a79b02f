package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A walk says which files below a folder are taken: those that are regular,
// not ignored by Git, and not left out by a glob.
type walk struct {
	take, leave []ignorePattern // of --glob, as lines of a .gitignore file
	all         bool            // what .gitignore says does not matter
}

// newWalk returns the walk with the values of --glob; one that starts with "!"
// leaves files out.
func newWalk(globs []string, all bool) (walk, error) {
	w := walk{all: all}
	for _, glob := range globs {
		p, ok := parseIgnore(glob)
		switch {
		case !ok:
			return w, misuse("--glob wants a pattern such as '*.md', not %q", glob)
		case p.include:
			w.leave = append(w.leave, p)
		default:
			w.take = append(w.take, p)
		}
	}
	return w, nil
}

// files calls do for every file below the folder, in the order of their names,
// and with an error for every folder that cannot be read. It does not follow
// symbolic links, nor look into .git folders. It ends when do gives an error.
func (w walk) files(root string, do func(name string, err error) error) error {
	full, err := filepath.Abs(root)
	if err != nil {
		return do(root, err)
	}
	var above *ignores
	if !w.all {
		above = ignoresAbove(full)
	}
	return w.folder(root, full, "", above, do)
}

// folder walks a folder, whose full path and path below the root are given.
func (w walk) folder(name, full, below string, above *ignores, do func(string, error) error) error {
	entries, err := os.ReadDir(name)
	if err != nil {
		return do(name, err)
	}
	in := above
	if !w.all {
		in = readIgnores(above, full)
	}
	for _, e := range entries {
		path, fullPath := filepath.Join(name, e.Name()), filepath.Join(full, e.Name())
		belowPath := strings.TrimPrefix(below+"/"+e.Name(), "/")
		if e.Name() == ".git" || in.ignored(fullPath, e.IsDir()) || matchAny(w.leave, belowPath, e.IsDir()) {
			continue
		}
		switch {
		case e.IsDir():
			err = w.folder(path, fullPath, belowPath, in, do)
		case e.Type()&fs.ModeType == 0 && (len(w.take) == 0 || matchAny(w.take, belowPath, false)):
			err = do(path, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func matchAny(patterns []ignorePattern, path string, folder bool) bool {
	for _, p := range patterns {
		if p.match(path, folder) {
			return true
		}
	}
	return false
}
