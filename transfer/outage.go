package transfer

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"locus/access"
	"locus/internal/errno"
	"locus/retry"
	"locus/url"
)

// ErrNoAnswer says that a copy ended because the server could not be reached for several
// files in a row. The same call goes on when the server is back.
var ErrNoAnswer = errors.New("the server does not answer any more")

// watchOutage returns a function for events that passes them to event. If so many files fail
// in a row because their server gives no answer that it seems to be gone, it calls stop, once.
// Otherwise each file that is left would be tried, and fail. Only the servers for which counts
// returns true count.
func watchOutage(event func(Event), jobs int, counts func(url.URL) bool, stop func(error)) func(Event) {
	limit := int64(max(8, 2*jobs)) // those that are sent at once may all fail in one moment
	var failures atomic.Int64
	return func(e Event) {
		event(e)
		switch e.Kind {
		case Done, Listed, Skipped, WouldFetch:
			failures.Store(0)
		case Failed:
			if isUnanswered(e.Err) && counts(e.URL) && failures.Add(1) == limit {
				stop(fmt.Errorf("%w: %d files in a row failed", ErrNoAnswer, limit))
			}
		}
	}
}

// isUnanswered reports whether err says that a server could not be reached, or broke off
// without an answer.
func isUnanswered(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply != nil {
		return false
	}
	for _, unreachable := range []syscall.Errno{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		if errno.Is(err, unreachable) {
			return true
		}
	}
	return retry.Transient(err)
}
