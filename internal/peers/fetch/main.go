// Command fetch unpacks the servers for tests into [peers.Folder]: `make peers`. It also copies the test suites of
// other projects into [vectors.Fetched]. It does not install packages. A server is fetched again only if its list of
// packages has changed. A server in Go is built from its source.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"locus/internal/peers"
	"locus/internal/vectors"
)

// main fetches the suites and the servers that are missing.
func main() {
	suites := again(func() error { return fetchVectors(vectors.Fetched(), vectors.Modules()) })
	if err := errors.Join(suites, fetchAll(peers.Folder(), peers.Peers(), fetch)); err != nil {
		fmt.Fprintf(os.Stderr, "peers: %v\n", err)
		os.Exit(1)
	}
}

// A fetcher unpacks the packages of p into folder, and returns their names.
type fetcher func(folder string, p peers.Peer) (names []string, err error)

// fetchAll unpacks the peers that are missing or incomplete into folder. It makes up to five attempts at each peer,
// because a registry or apt may be busy.
func fetchAll(folder string, all []peers.Peer, fetch fetcher) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // the account of the servers reads it
		return err
	}
	return again(func() (err error) {
		all, err = fetchMissing(folder, all, fetch)
		return err
	})
}

// again calls try until it succeeds, at most five times, with growing pauses, and returns the last error. It gives up
// at once if the machine lacks a program.
func again(try func() error) error {
	for pause := 5 * time.Second; ; pause *= 2 {
		err := try()
		if err == nil || errors.Is(err, exec.ErrNotFound) || pause > 40*time.Second {
			return err
		}
		fmt.Fprintf(os.Stderr, "peers: %v\npeers: again in %v\n", err, pause)
		time.Sleep(pause)
	}
}

// fetchMissing unpacks the peers that are missing or incomplete into folder. It returns the peers that could not be
// fetched, and their errors, joined.
func fetchMissing(folder string, all []peers.Peer, fetch fetcher) (left []peers.Peer, err error) {
	var failed []error
	for _, p := range all {
		tree := filepath.Join(folder, p.Name)
		if isComplete(tree, p) {
			fmt.Printf("%s: is in %s\n", p.Name, tree)
			continue
		}
		names, err := fetch(folder, p)
		if err != nil {
			left = append(left, p)
			failed = append(failed, fmt.Errorf("%s: %w", p.Name, err))
			continue
		}
		fmt.Printf("%s: unpacked %s into %s\n", p.Name, strings.Join(names, " "), tree)
	}
	return left, errors.Join(failed...)
}

// packagesFile has the packages of a peer, in its folder.
const packagesFile = ".packages"

// isComplete reports whether the folder tree was unpacked from the packages that p names now.
func isComplete(tree string, p peers.Peer) bool {
	packages, err := os.ReadFile(filepath.Join(tree, packagesFile))
	return err == nil && string(packages) == strings.Join(p.Packages, " ")
}

// replaceTree moves the folder tree to its place in folder, and replaces the old tree of p.
func replaceTree(tree, folder string, p peers.Peer) error {
	//nolint:gosec // the account of the servers reads it
	if err := os.WriteFile(filepath.Join(tree, packagesFile), []byte(strings.Join(p.Packages, " ")), 0o644); err != nil {
		return err
	}
	to := filepath.Join(folder, p.Name)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(tree, to)
}

// fetch downloads the packages of p, and the packages that they need and the machine lacks, and unpacks them. It
// returns the names of all these packages. It unpacks into a temporary folder and renames the folder at the end, so
// that the peer's folder is always complete. For a peer without packages it builds a server in Go.
func fetch(folder string, p peers.Peer) (names []string, err error) {
	if p.Packages == nil {
		return []string{p.Name}, build(filepath.Join(folder, p.Name), p.Name)
	}
	work, err := os.MkdirTemp(folder, "fetch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	archives, tree := filepath.Join(work, "archives"), filepath.Join(work, "tree")
	for _, dir := range []string{filepath.Join(archives, "partial"), tree} {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // the account of the servers reads it
			return nil, err
		}
	}
	if err := download(archives, p.Packages); err != nil {
		return nil, err
	}
	debs, _ := filepath.Glob(filepath.Join(archives, "*.deb")) // the pattern is valid
	for _, deb := range debs {
		name, _, _ := strings.Cut(filepath.Base(deb), "_")
		if name == "libc6" || name == "libc-bin" {
			continue // the machine's own libc fits its loader
		}
		if err := run("dpkg", "-x", deb, tree); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, replaceTree(tree, folder, p)
}

// download downloads packages, and their dependencies that the machine lacks, into the folder archives. It asks apt,
// because the names differ between releases of Debian.
func download(archives string, packages []string) error {
	args := []string{
		"install", "--download-only", "--reinstall", "--no-install-recommends", "--yes", "-qq",
		"-o", "Dir::Cache::archives=" + archives,
		"-o", "Debug::NoLocking=true", // a download does not need the lock of apt
		"-o", "APT::Sandbox::User=root", // the user writes to archives
	}
	args = append(args, packages...)
	err := run("apt-get", args...)
	if err == nil || os.Geteuid() != 0 {
		return err
	}
	if err := run("apt-get", "update", "-qq"); err != nil {
		return err
	}
	return run("apt-get", args...)
}

// build builds the server in Go with this name into the folder tree. The go command leaves a program unchanged if its
// source is unchanged.
func build(tree, name string) error {
	if err := os.MkdirAll(tree, 0o755); err != nil { //nolint:gosec // the account of the servers reads it
		return err
	}
	// go run starts this command in the folder of the module locus.
	return run("go", "build", "-C", "internal/peers/servers", "-o", filepath.Join(tree, name), "./"+name)
}

// run runs a program. The error has the output of the program.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, out)
	}
	return nil
}
