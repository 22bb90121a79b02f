package main

import (
	"io"
	"strings"
	"testing"
)

func TestAgain(t *testing.T) {
	for _, test := range []struct {
		name, args string
		want       string // in the summary
		fails      bool
	}{
		{"fails once", "-run ^Test(Once|Program)$ .", "2 tests passed, 0 failed, 0 skipped\ndisturbed disturbed TestOnce: it failed beside the others and passed alone\n", false},
		{"fails always", "-run ^TestAlways$ .", "failed  disturbed TestAlways", true},
		{"one of two fails always", "-run ^Test(Once|Always)$ .", "failed  disturbed TestOnce", true},
		{"fails once, then is skipped", "-run ^TestSkipped$ .", "failed  disturbed TestSkipped", true},
		{"data race", "-run ^TestRace$ .", "failed  disturbed TestRace", true},
		{"panic", "-run ^TestPanic$ .", "failed  disturbed TestPanic", true},
		{"three", "-run ^TestMany[1-3]$ .", "3 tests passed, 0 failed", false},
		{"more than three", "-run ^TestMany[1-4]$ .", "0 tests passed, 4 failed", true},
		{"no other program", "./pure", "failed  disturbed/pure TestPure", true},
		{"another package cannot be built", "-run ^TestOnce$ . ./broken", "failed  disturbed TestOnce", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir("testdata/disturbed")
			t.Setenv("FIRST", t.TempDir())
			var w strings.Builder
			err := run(strings.Fields(test.args), &w, true)
			if (err != nil) != test.fails || !strings.Contains(w.String(), test.want) {
				t.Errorf("run(%q) = %v, want an error %v, and %q in\n%s", test.args, err, test.fails, test.want, w.String())
			}
		})
	}
}

// A failed test gets no second chance if `go test` has ended before other packages, because nobody knows their results.
func TestAgainAfterKill(t *testing.T) {
	t.Chdir("testdata/disturbed")
	t.Setenv("FIRST", t.TempDir())
	failedProgram := []test{{Package: "disturbed", Test: "TestProgram"}}
	for _, test := range []struct {
		ended int
		want  bool
	}{{1, false}, {2, true}} {
		r := &result{packages: 2, ended: test.ended, failed: failedProgram}
		if got := r.again(nil, io.Discard); got != test.want {
			t.Errorf("again after %d of 2 packages = %v, want %v", test.ended, got, test.want)
		}
	}
}
