package cli

import (
	"os/exec"
	"path/filepath"
)

// LookPath is exec.LookPath with the PATH of e. It ignores folders in PATH that are not
// absolute.
func (e *Env) LookPath(name string) (string, error) {
	if filepath.Base(name) != name {
		return exec.LookPath(e.Path(name))
	}
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return program, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
