package walk

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// A Reader reads several files at once, and yields their values in the order of the files.
// All fields must be set.
type Reader[T any] struct {
	// Workers is how many files are read at once, at least 1.
	Workers int

	// Waiting is how many values of a file may wait while the values of earlier files are
	// yielded.
	Waiting int

	// Read yields the values of a file. err is the error of finding the file. isAlone is
	// the result of IsAlone. Several goroutines call Read at once.
	Read func(name string, err error, isAlone bool) iter.Seq[T]

	// IsAlone reports whether a file is read only when its turn comes, by the caller of
	// All. It is for long files, because Read can read several parts of such a file at
	// once.
	IsAlone func(name string) bool
}

// A turn is a file whose values will be yielded.
type turn[T any] struct {
	name   string
	values chan T // nil: the file is read alone
}

// All yields the values of the files that each finds, in the order of the files. each, such as a
// call of [Walker.Files], runs in a goroutine, and calls do with each file or with the error of
// finding it, which r.Read gets. If the loop over the values ends early, do returns an error, and
// then each must return that error. All waits for its goroutines before it returns.
//
// With one worker, All starts no goroutines, because passing the values on would only cost time.
func (r Reader[T]) All(each func(do func(name string, err error) error) error) iter.Seq[T] {
	if r.Workers == 1 {
		return r.inTurn(each)
	}
	return func(yield func(T) bool) {
		ctx, quit := context.WithCancel(context.Background())
		var all sync.WaitGroup
		defer all.Wait()
		defer quit()
		for t := range r.begin(ctx, each, &all) {
			for value := range r.valuesOf(t) {
				if !yield(value) {
					return
				}
			}
		}
	}
}

// errStopped says that the loop over the values has ended.
var errStopped = errors.New("the loop over the values has ended")

// inTurn implements All in the goroutine of the caller.
func (r Reader[T]) inTurn(each func(do func(name string, err error) error) error) iter.Seq[T] {
	return func(yield func(T) bool) {
		_ = each(func(name string, err error) error { // an error is only errStopped
			for value := range r.Read(name, err, err == nil && r.IsAlone(name)) {
				if !yield(value) {
					return errStopped
				}
			}
			return nil
		})
	}
}

// valuesOf yields the values of the file of t. It reads a file that is read alone, and
// otherwise waits for the values.
func (r Reader[T]) valuesOf(t turn[T]) iter.Seq[T] {
	if t.values == nil {
		return r.Read(t.name, nil, true)
	}
	return func(yield func(T) bool) {
		for value := range t.values {
			if !yield(value) {
				return
			}
		}
	}
}

// begin calls each in a goroutine, and reads the files that each finds in further goroutines, until
// ctx is done. The channel has the files in the order of each, and is closed at the end. all counts
// the goroutines.
func (r Reader[T]) begin(ctx context.Context, each func(func(string, error) error) error, all *sync.WaitGroup) <-chan turn[T] {
	order, reading := make(chan turn[T], 4*r.Workers), make(chan struct{}, r.Workers)
	all.Go(func() {
		defer close(order)
		// An error means only that ctx is done.
		_ = each(func(name string, err error) error {
			t := turn[T]{name: name}
			if err != nil || !r.IsAlone(name) {
				t.values = make(chan T, r.Waiting)
			}
			if err := send(ctx, order, t); err != nil || t.values == nil {
				return err
			}
			if err := send(ctx, reading, struct{}{}); err != nil {
				return err
			}
			all.Go(func() {
				defer func() { <-reading }()
				defer close(t.values)
				for value := range r.Read(name, err, false) {
					if send(ctx, t.values, value) != nil {
						return // the caller has stopped
					}
				}
			})
			return nil
		})
	})
	return order
}

// send sends value to a channel and returns nil. If ctx is done first, it returns the error of
// ctx.
func send[T any](ctx context.Context, to chan<- T, value T) error {
	select {
	case to <- value:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
