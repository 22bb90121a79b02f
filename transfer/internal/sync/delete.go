package sync

import (
	"context"
	"errors"
)

// A deletion has the parts of Options.Delete that differ by the target. A run asks for them
// in this order, and removes nothing unless all of them allow it.
type deletion struct {
	incomplete error                                                    // the reason if a part of the source was not read
	empty      error                                                    // the reason if the source has no files
	refuse     func() error                                             // a further reason against it; nil: there is none
	find       func(ctx context.Context, order *taskQueue) (int, error) // adds what the source does not have, a directory after its content, and counts it
	confirm    func(ctx context.Context) error                          // asks the source again
	remove     func(ctx context.Context, order *taskQueue) error
}

// errNoMatch is why nothing is deleted if the filter leaves no file of the source.
var errNoMatch = errors.New("no file matches the patterns")

// A fatal error of a deletion ends the run. Other errors are the reason why it removes nothing.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// deleteExtra removes what the source does not have, unless Delete is off or something speaks
// against it. Then the report has the reason. A listing that was cut off between two lines
// looks complete, so the source is asked twice.
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

// whyNotDelete adds what to delete to order. It returns why nothing may be deleted.
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
	if err := r.checkDeletes(n); err != nil {
		return err
	}
	return d.confirm(ctx)
}

// removeAll calls remove for what is in order, until the run is stopped.
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
