package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"locus/internal/vectors"
)

// fetchVectors copies the suites of the modules into folder, unless they are already there in the
// same version. The zips come from the module proxy, and Go checks their digests.
func fetchVectors(folder string, modules []vectors.Module) error {
	to := filepath.Join(folder, vectors.Suites)
	if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // the account of the servers reads it
		return err
	}
	for _, m := range modules {
		mark := filepath.Join(to, "."+path.Base(m.Path)) // written last, so the suites are whole
		if version, err := os.ReadFile(mark); err == nil && string(version) == m.Version {
			continue
		}
		from, err := downloadModule(m)
		if err != nil {
			return err
		}
		for _, name := range m.Files {
			text, err := os.ReadFile(filepath.Join(from, m.Folder, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(to, name), text, 0o644) //nolint:gosec // the account of the servers reads it
			}
			if err != nil {
				return err
			}
		}
		if err := os.WriteFile(mark, []byte(m.Version), 0o644); err != nil { //nolint:gosec // the same
			return err
		}
		fmt.Printf("%s: copied %d suites into %s\n", m.Path, len(m.Files), to)
	}
	return nil
}

// downloadModule downloads a module, and returns its folder in Go's cache.
func downloadModule(m vectors.Module) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", m.Path+"@"+m.Version).Output()
	var said struct{ Dir, Error string }
	if parseErr := json.Unmarshal(out, &said); parseErr != nil || said.Error != "" || err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %s %w", m.Path, m.Version, said.Error, err)
	}
	return said.Dir, nil
}
