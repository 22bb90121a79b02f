package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"locus/internal/models"
)

// useNewest makes benchmarks run the programs that `make bench-peers` has fetched, instead of the programs of this
// machine, and prints their versions.
func useNewest() {
	path := filepath.Join(models.BenchFolder(), "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	if err := os.Setenv("PATH", path); err != nil {
		panic(err)
	}
	for _, name := range models.BenchPrograms() {
		out, err := exec.Command(name, "--version").Output()
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil {
			version = "not measured: `make bench-peers` fetches it"
		}
		fmt.Printf("%s: %s\n", name, version)
	}
}
