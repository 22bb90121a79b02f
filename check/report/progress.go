package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"locus/check"
)

// ShowProgress writes the number of results and the dead links to a terminal until the channel is closed. It writes
// nothing until delay has passed, so that a quick check shows no progress.
func ShowProgress(w io.Writer, results <-chan check.Result, delay time.Duration) {
	const most = 1000 // dead links that are shown together
	start := time.Now()
	next := start.Add(delay)
	done, dead, pending, shown := 0, 0, []check.Result(nil), false
	for r := range results {
		done++
		if r.Status == check.Dead {
			if dead++; len(pending) < most {
				pending = append(pending, r)
			}
		}
		now := time.Now()
		if now.Before(next) {
			continue
		}
		var b strings.Builder
		b.WriteString("\r\x1b[K")
		for _, r := range pending {
			fmt.Fprintln(&b, check.Finding{Result: r, Link: r.URL})
		}
		fmt.Fprintf(&b, "%d checked, %d dead, %.0f/s", done, dead, float64(done)/now.Sub(start).Seconds())
		_, _ = io.WriteString(w, b.String()) // the report is complete without progress
		pending, next, shown = pending[:0], now.Add(time.Second/5), true
	}
	if shown {
		_, _ = io.WriteString(w, "\r\x1b[K")
	}
}
