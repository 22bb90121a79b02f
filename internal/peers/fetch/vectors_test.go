package main

import (
	"os"
	"path/filepath"
	"testing"

	"locus/internal/vectors"
)

// The suites of a module are downloaded again only if its version has changed.
func TestFetchVectorsLeavesWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", "") // there is no go command
	suites := filepath.Join(folder, vectors.Suites)
	if err := os.Mkdir(suites, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(suites, ".suite"), []byte("v1.0.0"), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, fails := range map[string]bool{"v1.0.0": false, "v1.0.1": true} {
		err := fetchVectors(folder, []vectors.Module{{Path: "example.org/suite", Version: version, Files: []string{"x.json"}}})
		if (err != nil) != fails {
			t.Errorf("fetchVectors(%s) = %v, want an error: %v", version, err, fails)
		}
	}
}
