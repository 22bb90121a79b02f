package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/transfer"
)

// A walk finds the files below a folder. It takes regular files that Git does not
// ignore and that the filter matches.
type walk struct {
	filter transfer.Filter
	all    bool // take files that Git ignores, too
}

// newWalk returns the walk that the flags of c ask for.
func newWalk(c *cli.Command) (walk, error) {
	w := walk{filter: filterOf(c), all: c.Bool("no-ignore")}
	if err := w.filter.Check(); err != nil {
		return w, misuse("%v", err)
	}
	return w, nil
}

// filterOf returns the values of --include and --exclude.
func filterOf(c *cli.Command) transfer.Filter {
	return transfer.Filter{Include: c.StringSlice("include"), Exclude: c.StringSlice("exclude")}
}

// files calls do for each file below the folder, in the order of their names, and with
// an error for each folder that cannot be read. It skips symbolic links and .git folders.
// It ends when do returns an error.
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

// folder walks a folder. full is its full path, below its path below the root.
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
		if e.Name() == ".git" || in.ignored(fullPath, e.IsDir()) || !w.filter.Match(belowPath, e.IsDir()) {
			continue
		}
		switch {
		case e.IsDir():
			err = w.folder(path, fullPath, belowPath, in, do)
		case e.Type()&fs.ModeType == 0:
			err = do(path, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
