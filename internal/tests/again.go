package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// mostAgain is how many failed tests run again. More failures than that have a common cause.
const mostAgain = 3

// again runs the failed tests once more, each alone, and reports whether all of them pass then. The summary names them
// as disturbed, so that somebody makes them robust.
//
// Only tests of packages whose tests start other programs get this second chance: beside all other tests, a server or a
// browser may be too slow for a test that is right. A test of our code alone must always pass, and so must
// every test that has found a data race, has panicked or has not ended. Nor is there a second chance if `go test` has
// ended before some packages, for example because it was killed.
func (r *result) again(flags []string, w io.Writer) bool {
	names := topLevel(r.failed)
	if len(names) == 0 || len(names) > mostAgain || r.isFinal || r.ended < r.packages {
		return false
	}
	for _, t := range names {
		if starts, err := startsPrograms(t.Package); err != nil || !starts {
			return false
		}
	}
	for _, t := range names {
		fmt.Fprintf(w, "\n%s %s failed and runs again, alone\n", t.Package, t.Test)
		if !runAlone(t, flags, w) {
			return false
		}
	}
	r.disturbed, r.failed = names, nil
	r.passed += len(names)
	return true
}

// isFinal reports whether the output of a test has a data race or a panic, such as the one of a timeout.
func isFinal(output string) bool {
	return strings.Contains(output, "DATA RACE") || strings.Contains(output, "race detected during execution") || strings.Contains(output, "panic: ")
}

// topLevel returns the tests without the subtests, sorted.
func topLevel(failed []test) []test {
	var names []test
	for _, t := range failed {
		t.Test, _, _ = strings.Cut(t.Test, "/")
		if !slices.Contains(names, t) {
			names = append(names, t)
		}
	}
	slices.SortFunc(names, func(a, b test) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Test, b.Test))
	})
	return names
}

// runAlone runs one test with the flags of `go test`, writes the output of failures, and reports whether the test
// passes. A test that is skipped does not pass.
func runAlone(t test, flags []string, w io.Writer) bool {
	alone := &result{packages: 1}
	err := alone.goTest(slices.Concat([]string{"-count=1"}, flags, []string{"-run", "^" + t.Test + "$", t.Package}), w)
	isSkipped := slices.ContainsFunc(alone.skipped, func(s skip) bool { return s.test == t })
	return err == nil && !isSkipped
}

// programs are the packages with which tests start other programs.
var programs = []string{"os/exec", "locus/internal/peers", "locus/cmd/locus/internal/clitest"}

// startsPrograms reports whether tests of a package start other programs.
func startsPrograms(pkg string) (bool, error) {
	cmd := exec.Command("go", "list", "-f", `{{join .TestImports " "}} {{join .XTestImports " "}}`, pkg)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return false, fmt.Errorf("go list: %w: %s", err, problem.Bytes())
	}
	imports := strings.Fields(string(out))
	return slices.ContainsFunc(imports, func(name string) bool { return slices.Contains(programs, name) }), nil
}
