// Command fetch unpacks the programs that package compare models into [models.Folder]: `make models`. With the argument
// "bench" it unpacks the programs that benchmarks run beside locus: `make bench-peers`. It does not install packages.
// It uses apt with settings of its own, because the programs are of Debian unstable, and npm. A tree is fetched again
// only if its list of packages has changed: remove the folder to get newer packages of Debian.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"locus/internal/models"
)

// main fetches the trees that the argument names.
func main() {
	trees := models.Trees()
	if slices.Equal(os.Args[1:], []string{"bench"}) {
		trees = models.BenchTrees()
	}
	if err := fetchAll(models.Folder(), trees); err != nil {
		fmt.Fprintf(os.Stderr, "models: %v\n", err)
		os.Exit(1)
	}
}

// fetchAll unpacks the trees that are missing or incomplete into folder, which it creates. If a tree fails, it
// continues with the others, and returns all errors.
func fetchAll(folder string, trees []models.Tree) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // every account may run the programs
		return err
	}
	work, err := os.MkdirTemp(folder, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	apt := &apt{folder: filepath.Join(work, "apt")}
	var failed []error
	for _, t := range trees {
		if isComplete(filepath.Join(folder, t.Name), t) {
			fmt.Printf("%s: is in %s\n", t.Name, folder)
			continue
		}
		tree := filepath.Join(work, t.Name)
		unpack := apt.unpack
		if t.NPM {
			unpack = npmInstall
		}
		if err := errors.Join(os.Mkdir(tree, 0o755), unpack(tree, t.Packages)); err != nil { //nolint:gosec // as above
			failed = append(failed, fmt.Errorf("%s: %w", t.Name, err))
			continue
		}
		if err := replaceTree(tree, folder, t); err != nil {
			return err
		}
		fmt.Printf("%s: unpacked %s\n", t.Name, strings.Join(t.Packages, " "))
	}
	return errors.Join(failed...)
}

// packagesFile has the packages of a tree, in its folder.
const packagesFile = ".packages"

// isComplete reports whether the folder tree has the packages of t.
func isComplete(tree string, t models.Tree) bool {
	packages, err := os.ReadFile(filepath.Join(tree, packagesFile))
	return err == nil && string(packages) == strings.Join(t.Packages, " ")
}

// replaceTree moves the folder tree to its place in folder, and replaces the old tree of t. It then changes the links
// and writes the scripts.
func replaceTree(tree, folder string, t models.Tree) error {
	//nolint:gosec // every account may run the programs
	if err := os.WriteFile(filepath.Join(tree, packagesFile), []byte(strings.Join(t.Packages, " ")), 0o644); err != nil {
		return err
	}
	to := filepath.Join(folder, t.Name)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Rename(tree, to); err != nil {
		return err
	}
	return errors.Join(relink(to), writeScripts(to))
}

// writeScripts writes a script in tree/bin for each of [models.BenchPrograms] that is in the tree.
func writeScripts(tree string) error {
	bin := filepath.Join(tree, "bin")
	for _, name := range models.BenchPrograms() {
		// The patterns are valid. Debian names squid by its library of TLS.
		programs, _ := filepath.Glob(filepath.Join(tree, "usr", "*bin", name))
		if name == "squid" {
			programs, _ = filepath.Glob(filepath.Join(tree, "usr", "*bin", "squid-*"))
		}
		loaders, _ := filepath.Glob(filepath.Join(tree, "usr", "lib", "*", "ld-linux-*.so.*"))
		if len(programs) == 0 || len(loaders) == 0 {
			continue
		}
		script := fmt.Sprintf("#!/bin/sh\nexec %s --library-path %s %s \"$@\"\n", loaders[0], filepath.Dir(loaders[0]), programs[0])
		//nolint:gosec // every account may run the programs
		if err := errors.Join(os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// relink changes the absolute symbolic links in a tree so that they lead to files in the tree.
func relink(tree string) error {
	return filepath.WalkDir(tree, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Type() != fs.ModeSymlink {
			return err
		}
		target, err := os.Readlink(name)
		if err != nil || !filepath.IsAbs(target) {
			return err
		}
		return errors.Join(os.Remove(name), os.Symlink(filepath.Join(tree, target), name))
	})
}

// An apt is apt with settings of its own, in a folder.
type apt struct {
	folder string
	ready  bool // the lists of packages are there
}

// settings are the settings of apt. The lists of a mirror that is no longer updated count as valid.
const settings = `Dir "%[1]s";
Dir::Etc::sourcelist "%[1]s/sources.list";
Dir::Etc::sourceparts "%[1]s/none";
Dir::Etc::parts "%[1]s/none";
Dir::Etc::preferencesparts "%[1]s/none";
Dir::Etc::main "/dev/null";
Dir::State "%[1]s/state";
Dir::State::status "/dev/null";
Dir::Cache "%[1]s/cache";
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
`

const sources = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian unstable main\n"

// unpack downloads packages of Debian, and all packages that they need, and unpacks them into tree.
func (a *apt) unpack(tree string, packages []string) error {
	if err := a.update(); err != nil {
		return err
	}
	archives := tree + "-archives"
	if err := os.MkdirAll(filepath.Join(archives, "partial"), 0o755); err != nil { //nolint:gosec // apt reads it
		return err
	}
	args := []string{"install", "--download-only", "--no-install-recommends", "--yes", "-qq", "-o", "Dir::Cache::archives=" + archives, "-o", "Debug::NoLocking=true"}
	if err := a.run(append(args, packages...)...); err != nil {
		return err
	}
	debs, _ := filepath.Glob(filepath.Join(archives, "*.deb")) // the pattern is valid
	for _, deb := range debs {
		if err := run(exec.Command("dpkg", "-x", deb, tree)); err != nil {
			return err
		}
	}
	return os.RemoveAll(archives)
}

// update writes the settings and gets the lists of packages. Only the first call that succeeds has an effect.
func (a *apt) update() error {
	if a.ready {
		return nil
	}
	for _, dir := range []string{"none", "state/lists/partial", "cache"} {
		if err := os.MkdirAll(filepath.Join(a.folder, dir), 0o755); err != nil { //nolint:gosec // apt reads it
			return err
		}
	}
	for name, text := range map[string]string{"apt.conf": fmt.Sprintf(settings, a.folder), "sources.list": sources} {
		if err := os.WriteFile(filepath.Join(a.folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := a.run("update", "-qq"); err != nil {
		return err
	}
	a.ready = true
	return nil
}

// run runs apt-get with the settings in a.folder. The error has its output.
func (a *apt) run(args ...string) error {
	cmd := exec.Command("apt-get", args...)
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(a.folder, "apt.conf"))
	return run(cmd)
}

// npmInstall downloads packages of npm, and all packages that they need, into tree.
func npmInstall(tree string, packages []string) error {
	args := []string{"install", "--prefix", tree, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"}
	return run(exec.Command("npm", append(args, packages...)...))
}

// run runs cmd. The error has the output of cmd.
func run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}
