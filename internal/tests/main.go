// Command tests runs `go test` with its arguments. It prints a line for each package, with a
// count, and the output of failed tests. At the end it lists the skipped tests with their reasons. It
// fails if a test failed or, with CI=true, was skipped. But a test may be skipped in CI,
// too, if the system forbids it regardless of the installed programs, as in a container, or
// if it needs programs or data that CI does not fetch: see forbidden, newest and unpublished.
//
// With -race, packages without goroutines are tested without it: see withoutRace.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// main runs the tests that the arguments name, and exits with 1 if run returns an error.
func main() {
	if err := run(os.Args[1:], os.Stdout, os.Getenv("CI") == "true"); err != nil {
		fmt.Fprintf(os.Stderr, "tests: %v\n", err)
		os.Exit(1)
	}
}

// run runs `go test` with args, writes the results to w, and summarizes them. It returns an error if a test fails or,
// if ci is set, if a test is skipped without an excuse.
func run(args []string, w io.Writer, ci bool) error {
	packages, err := list(args)
	if err != nil {
		return err
	}
	plural := "s"
	if len(packages) == 1 {
		plural = ""
	}
	fmt.Fprintf(w, "%d package%s to compile and test\n", len(packages), plural)
	runs := split(args, packages)
	result := &result{packages: len(packages)}
	errs := make([]error, len(runs))
	var all sync.WaitGroup
	for i, args := range runs {
		all.Go(func() { errs[i] = result.goTest(args, w) })
	}
	all.Wait()
	failed := errors.Join(errs...)
	result.summarize(w)
	if failed != nil {
		return failed
	}
	avoidable := slices.DeleteFunc(slices.Clone(result.skipped), skip.isExcused)
	if ci && len(avoidable) > 0 {
		return fmt.Errorf("%d skipped: with CI=true every test must run", len(avoidable))
	}
	return nil
}

// goTest runs `go test` with args, and adds the results of its tests to r. It writes the output of
// packages to w. It returns an error if `go test` fails, also because a test failed.
func (r *result) goTest(args []string, w io.Writer) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.Env = environ()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := r.read(out, w); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}

// environ returns the environment of `go test`. It sets GORACE unless that is set, because with the race detector each
// package would wait for a second after its last test.
func environ() []string {
	return append([]string{"GORACE=atexit_sleep_ms=10"}, os.Environ()...) // the last value of a name counts
}

// A test names one test of one package; Test is "" for the package itself.
type test struct {
	Package string
	Test    string
}

// An event is a line that `go test -json` writes.
type event struct {
	test
	Action string
	Output string
}

// A result has the results of all tests. Several goroutines may call goTest.
type result struct {
	packages int // how many there are

	mu      sync.Mutex // also held while output is written
	ended   int        // how many packages have ended
	passed  int
	failed  []test
	skipped []skip
}

// A skip is a test that was not run, with the reason.
type skip struct {
	test
	reason string
}

// forbidden marks the reason of a skip if the system does not allow the test. Package peers
// writes it.
const forbidden = "the system forbids it: "

// newest marks the reason of a skip if the test needs the newest version of a program. CI
// does not fetch it, because CI must not fail when a program changes. Package models writes
// it.
const newest = "needs the newest programs: "

// unpublished marks the reason of a skip if the test reads data that no registry has. Package vectors
// writes it.
const unpublished = "no registry has the data: "

// isExcused reports whether the test may be skipped in CI.
func (s skip) isExcused() bool {
	return slices.ContainsFunc([]string{forbidden, newest, unpublished}, func(mark string) bool { return strings.Contains(s.reason, mark) })
}

// read reads the events of `go test -json` to their end, and adds them to r.
func (r *result) read(in io.Reader, w io.Writer) error {
	output := map[test]*strings.Builder{}
	for dec := json.NewDecoder(bufio.NewReader(in)); ; {
		var e event
		if err := dec.Decode(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("the output of go test: %w", err)
		}
		r.take(e, output, w)
	}
}

// take adds the event e to r. It collects the output of each test in output, and writes the output of packages to w.
func (r *result) take(e event, output map[test]*strings.Builder, w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.Action == "output" && e.Test == "" && isEnd(e.Output):
		r.ended++
		total := strconv.Itoa(r.packages)
		fmt.Fprintf(w, "%*d/%s %s", len(total), r.ended, total, e.Output)
	case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
		fmt.Fprint(w, e.Output)
	case e.Action == "output":
		if output[e.test] == nil {
			output[e.test] = &strings.Builder{}
		}
		output[e.test].WriteString(e.Output)
	case e.Test != "":
		r.end(e, output[e.test], w)
	case e.Action == "fail":
		r.breakOff(e.Package, output, w)
	}
}

// isEnd reports whether a line of the output of a package is its result, such as "ok  \t…".
func isEnd(line string) bool {
	return slices.ContainsFunc([]string{"ok  \t", "FAIL\t", "?   \t"}, func(start string) bool { return strings.HasPrefix(line, start) })
}

// end counts a test that e ends, and prints the output of the test if it failed. It ignores other events.
func (r *result) end(e event, output *strings.Builder, w io.Writer) {
	text := ""
	if output != nil {
		text = output.String()
	}
	switch e.Action {
	case "pass":
		r.passed++
	case "fail":
		r.failed = append(r.failed, e.test)
		fmt.Fprint(w, text)
	case "skip":
		r.skipped = append(r.skipped, skip{e.test, reason(text)})
	default:
		return // the test still runs
	}
	if output != nil {
		output.Reset()
	}
}

// breakOff counts the tests that still ran when their package failed by a panic or a timeout as failed, and prints
// their output.
func (r *result) breakOff(pkg string, output map[test]*strings.Builder, w io.Writer) {
	var open []test
	for t, text := range output {
		if t.Package == pkg && t.Test != "" && text.Len() > 0 {
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b test) int { return strings.Compare(a.Test, b.Test) })
	for _, t := range open {
		r.end(event{test: t, Action: "fail"}, output[t], w)
	}
}

// reason returns the reason in the output of a skipped test, which is its last line without a mark of `go test`.
func reason(output string) string {
	var last string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "--- ") {
			last = line
		}
	}
	return last
}

// summarize writes the numbers of passed, failed and skipped tests, and lists the failed and skipped tests.
func (r *result) summarize(w io.Writer) {
	fmt.Fprintf(w, "\n%d tests passed, %d failed, %d skipped\n", r.passed, len(r.failed), len(r.skipped))
	for _, f := range r.failed {
		fmt.Fprintf(w, "failed  %s %s\n", f.Package, f.Test)
	}
	for _, s := range r.skipped {
		fmt.Fprintf(w, "skipped %s %s: %s\n", s.Package, s.Test, s.reason)
	}
}
