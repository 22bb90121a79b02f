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

// newEnvHere returns an Env that writes to files, and a function that returns what is in
// that of stderr.
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

// An error is reported and the next argument follows, unless nobody reads any more, the
// user interrupts, or the command is misused.
func TestEach(t *testing.T) {
	broken := &outputError{syscall.EPIPE}
	for _, tt := range []struct {
		errs        []error // of each argument
		interrupted bool
		want        error
		done        int    // how many arguments were tried
		said        string // to stderr
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
		if tt.interrupted {
			cancel()
		}
		done := 0
		err := EachOf(ctx, e, slices.Values(tt.errs), func(err error) error { done++; return err })
		cancel()
		isWanted := errors.Is(err, tt.want) || tt.want == nil && (err == nil || flags.IsMisuse(err))
		if !isWanted || done != tt.done || said() != tt.said {
			t.Errorf("%v: %v after %d, %q, want %v after %d, %q", tt.errs, err, done, said(), tt.want, tt.done, tt.said)
		}
	}
}
