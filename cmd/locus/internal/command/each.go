package command

import (
	"context"
	"errors"
	"iter"
	"slices"

	"locus/cmd/locus/internal/flags"
)

// ErrReported ends the command with status 1. The reason has been reported.
var ErrReported = errors.New("failed")

// ErrInterrupted ends the command after the user has interrupted it.
var ErrInterrupted = errors.New("interrupted")

// Each calls do for each argument in turn. It reports errors of do and continues, and returns
// ErrReported at the end if there were any. A UsageError, or an error because the reader of stdout
// has gone, ends it at once. If do fails after ctx is done, Each returns ErrInterrupted.
func (e *Env) Each(ctx context.Context, args []string, do func(string) error) error {
	return EachOf(ctx, e, slices.Values(args), do)
}

// EachOf calls do for each value of a sequence, which may still wait for input while do handles its
// first values. It reports errors of do and continues, and returns ErrReported at the end if there
// were any. A UsageError, or an error because the reader of stdout has gone, ends it at once. If do
// fails after ctx is done, EachOf returns ErrInterrupted.
func EachOf[T any](ctx context.Context, e *Env, all iter.Seq[T], do func(T) error) error {
	failed := false
	for one := range all {
		err := do(one)
		switch {
		case err == nil:
			continue
		case IsBrokenPipe(err), flags.IsMisuse(err):
			return err
		case ctx.Err() != nil:
			return ErrInterrupted
		}
		failed = true
		if !errors.Is(err, ErrReported) {
			e.Report(err)
		}
	}
	if failed {
		return ErrReported
	}
	return nil
}
