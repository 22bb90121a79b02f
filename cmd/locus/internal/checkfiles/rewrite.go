package checkfiles

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"locus/check"
	"locus/extract/document"
	"locus/internal/render"
)

// A Rewriting is a file whose links change.
type Rewriting struct {
	File          string
	Before, After []byte // the whole file
	Links         int    // the number of links that change
}

// Rewritings returns a Rewriting for each file that was read and has a link whose URL is a key of
// moves, which maps old URLs to new ones. A file with several names is returned once. [check.Edits]
// says which links can change.
func (r *Reader) Rewritings(moves map[string]string) ([]Rewriting, error) {
	var all []Rewriting
	for _, file := range r.filesOnce() {
		before, err := r.readAll(file)
		if err != nil {
			return nil, err
		}
		edits, err := check.Edits(before, document.ByName(file), r.baseOf(file), moves)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		if len(edits) > 0 {
			all = append(all, Rewriting{file, before, check.Apply(before, edits), len(edits)})
		}
	}
	return all, nil
}

// LeadsOut reports whether a file was found in a folder, and is a symbolic link that leads out of
// it. Such a file must not be rewritten, because the author of the folder has chosen it.
func (r *Reader) LeadsOut(file string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	leadsOut := false
	for _, folder := range r.folders {
		if !isBelow(folder, file) {
			continue
		}
		root, err := filepath.EvalSymlinks(r.path(folder))
		target, targetErr := filepath.EvalSymlinks(r.path(file))
		if err == nil && targetErr == nil && isBelow(root, target) {
			return false
		}
		leadsOut = true
	}
	return leadsOut
}

// isBelow reports whether the name of a file is in a folder or its subfolders, or is the folder
// itself. It compares only the names.
func isBelow(folder, file string) bool {
	name, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(name)
}

// readAll returns the content of a file.
func (r *Reader) readAll(file string) ([]byte, error) {
	f, err := r.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// filesOnce returns the files that were read, sorted by name. If several names lead to one file, it
// returns only the first.
func (r *Reader) filesOnce() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.names)
	seen := make(map[string]bool)
	for _, file := range r.names {
		target, err := filepath.EvalSymlinks(r.path(file))
		if err != nil {
			target = file // reading the file will fail, too
		}
		if !seen[target] {
			seen[target] = true
			all = append(all, file)
		}
	}
	return all
}

// Diff writes the lines that change in the format of diff -U0, without control characters that a
// terminal would obey.
func (w Rewriting) Diff(to io.Writer) error {
	_, err := fmt.Fprintf(to, "--- %s\n+++ %s\n", render.Clean(w.File), render.Clean(w.File))
	before, after := bytes.Split(w.Before, []byte("\n")), bytes.Split(w.After, []byte("\n"))
	for i := range min(len(before), len(after)) {
		if err == nil && !bytes.Equal(before[i], after[i]) {
			_, err = fmt.Fprintf(to, "@@ -%d +%d @@\n-%s\n+%s\n", i+1, i+1, render.Clean(string(before[i])), render.Clean(string(after[i])))
		}
	}
	return err
}
