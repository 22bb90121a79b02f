package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"locus/cmd/locus/internal/flags"
)

// newEnvHere returns an Env that writes to files, and a function that returns the content of
// stderr.
func newEnvHere(t *testing.T) (e *Env, said func() string) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return NewEnv(nil, f, f), func() string {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// Each reports an error and continues with the next argument. It ends early if stdout is closed,
// the user interrupts, or the command is misused.
func TestEach(t *testing.T) {
	broken := &outputError{syscall.EPIPE}
	for _, test := range []struct {
		errs        []error // the error of each argument
		interrupted bool
		want        error
		done        int    // the number of arguments that were tried
		said        string // stderr
	}{
		{[]error{nil, nil}, false, nil, 2, ""},
		{[]error{errors.New("a"), nil, errors.New("b")}, false, ErrReported, 3, "locus: a\nlocus: b\n"},
		{[]error{ErrReported, nil}, false, ErrReported, 2, ""},
		{[]error{fs.ErrExist}, false, ErrReported, 1, "locus: file already exists\nlocus: hint: do b\n"},
		{[]error{broken, nil}, false, broken, 1, ""},
		{[]error{flags.Misuse("no"), nil}, false, nil, 1, ""},
		{[]error{errors.New("a"), nil}, true, ErrInterrupted, 1, ""},
	} {
		e, said := newEnvHere(t)
		e.Hint = func(err error) string {
			if errors.Is(err, fs.ErrExist) {
				return "do b"
			}
			return ""
		}
		ctx, cancel := context.WithCancel(t.Context())
		if test.interrupted {
			cancel()
		}
		done := 0
		err := EachOf(ctx, e, slices.Values(test.errs), func(err error) error { done++; return err })
		cancel()
		isWanted := errors.Is(err, test.want) || test.want == nil && (err == nil || flags.IsMisuse(err))
		if !isWanted || done != test.done || said() != test.said {
			t.Errorf("Each with the errors %v = %v after %d arguments, stderr %q, want %v after %d, %q", test.errs, err, done, said(), test.want, test.done, test.said)
		}
	}
}
