// Package walk finds the files below a folder. It leaves out the files that Git ignores.
package walk

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"locus/internal/glob"
)

// A Walker selects files of a folder. The zero Walker finds every regular file that Git
// does not ignore.
type Walker struct {
	// Filter matches the paths below the folder, such as "sub/a.txt". It must pass its
	// Check.
	Filter glob.Filter

	// All finds files that Git ignores, too.
	All bool

	// Links finds symbolic links to regular files, too. Links to folders are skipped,
	// because they may lead in a circle.
	Links bool
}

// Files calls do for each regular file below a folder, in the order of their names, and with an
// error for each folder that cannot be read. It skips .git folders, files that Filter does not
// choose and, without All, ignored files. Without Links, it skips symbolic links. When do returns
// an error, Files ends and returns it.
func (w Walker) Files(root string, do func(name string, err error) error) error {
	full, err := filepath.Abs(root)
	if err != nil {
		return do(root, err)
	}
	var above *ignores
	if !w.All {
		above = ignoresAbove(full)
	}
	return w.walkFolder(root, full, "", above, do)
}

// walkFolder calls do for the files below the folder name. full is the absolute path of the
// folder, and below is its path below the root. above has the patterns of the folders above it.
// walkFolder leaves out .git, ignored files and files that Filter excludes. It returns the first
// error of do.
func (w Walker) walkFolder(name, full, below string, above *ignores, do func(string, error) error) error {
	entries, err := os.ReadDir(name)
	if err != nil {
		return do(name, err)
	}
	in := above
	if !w.All {
		in = readIgnores(above, full)
	}
	for _, e := range entries {
		path, fullPath := filepath.Join(name, e.Name()), filepath.Join(full, e.Name())
		belowPath := strings.TrimPrefix(below+"/"+e.Name(), "/")
		if e.Name() == ".git" || in.ignored(fullPath, e.IsDir()) || !w.Filter.Match(belowPath, e.IsDir()) {
			continue
		}
		switch {
		case e.IsDir():
			err = w.walkFolder(path, fullPath, belowPath, in, do)
		case e.Type()&fs.ModeType == 0, w.Links && isLinkToFile(path, e):
			err = do(path, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isLinkToFile reports whether e, the entry of path, is a symbolic link to a regular file.
func isLinkToFile(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
