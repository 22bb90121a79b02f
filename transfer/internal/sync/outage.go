package sync

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"locus/access"
	"locus/internal/errno"
	"locus/retry"
	"locus/transfer/internal/fetch"
	"locus/url"
)

// ErrNoAnswer says that a copy ended because several files in a row failed without an answer
// of their server: eight, or two for each job if that is more. The same call resumes the copy.
var ErrNoAnswer = errors.New("the server no longer answers")

// watchOutage returns a function that passes each event to event. After eight failures in a row, or
// two for each job if that is more, it calls stop with an [ErrNoAnswer], so that the run does not
// try each remaining file in vain. Only failures without an answer count, and only at URLs for which
// counts returns true. A success sets the number back to 0.
func watchOutage(event func(fetch.Event), jobs int, counts func(url.URL) bool, stop func(error)) func(fetch.Event) {
	limit := int64(max(8, 2*jobs)) // the files that are sent at once may all fail in one moment
	var failures atomic.Int64
	return func(e fetch.Event) {
		event(e)
		switch e.Kind {
		case fetch.Done, fetch.Listed, fetch.Skipped, fetch.WouldFetch:
			failures.Store(0)
		case fetch.Failed:
			if isUnanswered(e.Err) && counts(e.URL) && failures.Add(1) == limit {
				stop(fmt.Errorf("%w: %d files in a row failed, and the others were not tried", ErrNoAnswer, limit))
			}
		}
	}
}

// isUnanswered reports whether err says that a server could not be reached, or broke off without an
// answer. It returns false if the server broke off while a file was read, because such a server may
// still have other files.
func isUnanswered(err error) bool {
	e, isAccess := errors.AsType[*access.Error](err)
	if !isAccess {
		return false
	}
	for ok := true; ok; e, ok = errors.AsType[*access.Error](e.Err) { // a put may have failed in a read
		if e.Reply != nil || e.Op == "read" {
			return false
		}
	}
	for _, unreachable := range []syscall.Errno{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		if errno.Is(err, unreachable) {
			return true
		}
	}
	return retry.Transient(err)
}
