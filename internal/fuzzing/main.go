// Command fuzzing runs the fuzz targets of packages one after the other, those without a
// corpus in testdata/fuzz first, because nothing has been learned about them yet.
//
// With -done FILE it skips the targets that FILE lists, and adds each target that has run,
// so that a run of many hours may be interrupted and continued.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// main reads the flags, and runs the fuzz targets of the packages.
func main() {
	var o options
	flag.StringVar(&o.time, "time", "10s", "run each target for this `duration`, or so many times, as in 100x")
	flag.StringVar(&o.done, "done", "", "skip the targets that this `file` lists, and add each that has run")
	flag.Parse()
	if o.packages = flag.Args(); len(o.packages) == 0 {
		o.packages = []string{"./..."}
	}
	if err := o.run(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "fuzzing: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	packages []string // patterns of go list
	time     string   // of go test -fuzztime
	done     string   // the file of the targets that have run; "" if there is none
}

// A target is a fuzz function.
type target struct {
	pkg, name string
	corpus    bool // testdata/fuzz has inputs for it
}

// String returns the package and the name, as in the file of -done.
func (t target) String() string { return t.pkg + " " + t.name }

// run runs the targets one after another, except the targets in the file of -done, and writes
// the progress to w. The targets after one that fails run, too. The error names all targets that failed.
func (o options) run(w io.Writer) error {
	all, err := o.targets()
	if err != nil {
		return err
	}
	done, err := o.readDone()
	if err != nil {
		return err
	}
	var failures []error
	for i, t := range all {
		if done[t.String()] {
			continue
		}
		fmt.Fprintf(w, "%d of %d: %s\n", i+1, len(all), t)
		executions, err := o.fuzz(t)
		if err != nil {
			fmt.Fprintf(w, "%v\n", err)
			failures = append(failures, err)
			continue
		}
		fmt.Fprintf(w, "%s executions\n", executions)
		if err := o.addDone(fmt.Sprintf("%s %s %s\n", t, o.time, executions)); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

// targets returns the fuzz targets of the packages. Targets without a corpus come first.
func (o options) targets() ([]target, error) {
	list := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}"}, o.packages...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []target
	for line := range strings.Lines(string(out)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		found, err := targetsIn(pkg, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(number(a.corpus), number(b.corpus)) })
	return all, nil
}

// number returns 1 for true and 0 for false, so that targets can be compared.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// targetsIn returns the fuzz targets in the test files of the folder dir. pkg is the import
// path of its package.
func targetsIn(pkg, dir string) ([]target, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var all []target
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			t := target{pkg: pkg, name: string(m[1])}
			_, err := os.Stat(filepath.Join(dir, "testdata", "fuzz", t.name))
			t.corpus = err == nil
			all = append(all, t)
		}
	}
	return all, nil
}

// minimizeTime is how long go test makes one input smaller. Its default of a minute is most of the time of
// a target that has many inputs with new coverage: one target had 20 times as many executions with a second.
const minimizeTime = "1s"

// fuzz runs a target for o.time, and returns the number of executions in digits. If the target
// fails, the error has the output of go test.
func (o options) fuzz(t target) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$",
		"-fuzztime", o.time, "-fuzzminimizetime", minimizeTime, t.pkg)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", t, err, &out)
	}
	return lastExecutions(out.String()), nil
}

var progress = regexp.MustCompile(`execs: (\d+)`)

// lastExecutions returns the number of executions in the last line of progress that go test
// printed, or "0" if there is none.
func lastExecutions(out string) string {
	all := progress.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return "0"
	}
	return all[len(all)-1][1]
}

// readDone returns the targets that the file o.done lists. The result is empty if the file does
// not exist or o.done is "".
func (o options) readDone() (map[string]bool, error) {
	done := map[string]bool{}
	if o.done == "" {
		return done, nil
	}
	text, err := os.ReadFile(o.done)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) >= 2 {
			done[words[0]+" "+words[1]] = true
		}
	}
	return done, nil
}

// addDone appends line to the file o.done, which it creates if necessary. It does nothing if
// o.done is "".
func (o options) addDone(line string) error {
	if o.done == "" {
		return nil
	}
	f, err := os.OpenFile(o.done, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}
