package growth_test

import (
	"fmt"
	"strings"
	"testing"

	"locus/internal/growth"
)

// A recorder is a testing.TB that records whether the test failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

// sink keeps the compiler from removing work whose result is not used.
var sink string

// Check accepts linear work, and finds quadratic work.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name  string
		work  func(n int)
		fails bool
	}{
		{"nothing", func(int) {}, false},
		{"repeat", func(n int) { sink = strings.Repeat("x", n) }, false},
		{"builder", func(n int) {
			var b strings.Builder
			for range n {
				b.WriteString("some words ")
			}
			sink = b.String()
		}, false},
		{"concatenation", func(n int) {
			s := ""
			for range n {
				s += "x"
			}
			sink = s
		}, true},
		{"pairs", func(n int) {
			for i := range n * n / 100 {
				sink = fmt.Sprint(i)
			}
		}, true},
	} {
		r := &recorder{TB: t}
		if growth.Check(r, test.name, 400, func(n int) func() { return func() { test.work(n) } }); r.failed != test.fails {
			t.Errorf("Check(%s) fails: %v, want %v", test.name, r.failed, test.fails)
		}
	}
}
