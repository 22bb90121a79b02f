package cli

import (
	"path/filepath"

	"locus/transfer"
	"locus/walk"
)

// Files returns the filter that o asks for.
func (o Filter) Files() transfer.Filter {
	return transfer.Filter{Include: o.Include, Exclude: o.Exclude}
}

// Walker returns the walker that o asks for.
func (o Walk) Walker() (walk.Walker, error) {
	w := walk.Walker{Filter: o.Files(), All: o.NoIgnore}
	if err := w.Filter.Check(); err != nil {
		return w, Misuse("%v", err)
	}
	return w, nil
}

// EachFile calls do for each file that w finds below a folder that the user named. See
// walk.Walker.
func (e *Env) EachFile(w walk.Walker, folder string, do func(name string, err error) error) error {
	path := e.Path(folder)
	if path == folder {
		return w.Files(folder, do)
	}
	return w.Files(path, func(name string, err error) error {
		below, relErr := filepath.Rel(path, name)
		if relErr != nil {
			return relErr
		}
		name = filepath.Join(folder, below)
		return do(name, e.asNamed(name, err))
	})
}
