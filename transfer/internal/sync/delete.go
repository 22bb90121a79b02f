package sync

import (
	"context"
	"errors"
)

// A deletion has the parts of Options.Delete that differ by the target. A run calls them in this
// order, and removes files only if all of them allow it.
type deletion struct {
	incomplete error                                                    // the reason if the source was not read completely
	empty      error                                                    // the reason if the source has no files
	refuse     func() error                                             // returns a further reason against it, or nil
	find       func(ctx context.Context, order *taskQueue) (int, error) // adds the files that only the target has, and counts them; a directory comes after its content
	confirm    func(ctx context.Context) error                          // asks the source again
	remove     func(ctx context.Context, order *taskQueue) error
}

// errNoMatch is the reason for keeping all files if the filter excludes the whole source. The
// patterns may be wrong.
var errNoMatch = errors.New("no file matches the patterns")

// A fatal error of a deletion ends the run. Any other error becomes Report.NotDeleted, and the run
// goes on without removing files.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// deleteExtra removes the files of the target that the source does not have, if Delete is set. If
// it must not remove them, it sets Report.NotDeleted and returns nil, or the error of ctx. It asks
// the source twice, because a listing that was cut off between two lines looks complete.
func (r *run) deleteExtra(ctx context.Context, d deletion) error {
	if !r.Delete {
		return nil
	}
	order := newTasks(r.store)
	r.report.NotDeleted = r.whyNotDelete(ctx, d, order)
	if f, ok := errors.AsType[fatal](r.report.NotDeleted); ok {
		r.report.NotDeleted = nil
		return f.error
	}
	if r.report.NotDeleted != nil {
		return ctx.Err()
	}
	return d.remove(ctx, order)
}

// whyNotDelete adds the files to delete to order. It returns nil if they may be deleted, and
// otherwise the reason. A reason that is fatal ends the run.
func (r *run) whyNotDelete(ctx context.Context, d deletion, order *taskQueue) error {
	if r.incomplete {
		return d.incomplete
	}
	if err := d.refuse(); err != nil {
		return err
	}
	if r.found == 0 && r.hasPatterns() {
		return errNoMatch
	}
	if r.found == 0 {
		return d.empty
	}
	n, err := d.find(ctx, order)
	if err != nil {
		return err
	}
	if err := r.checkDeletes(n); err != nil || n == 0 {
		return err
	}
	return d.confirm(ctx)
}

// removeAll calls remove for each file in order. It stops at the first error of remove, or when
// the run is stopped, and returns that error.
func (r *run) removeAll(ctx context.Context, order *taskQueue, remove func(t task) error) error {
	for t := range order.All() {
		if err := r.stopped(ctx); err != nil {
			return err
		}
		if err := remove(t); err != nil {
			return err
		}
	}
	return nil
}
