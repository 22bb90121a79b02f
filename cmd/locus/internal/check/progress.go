package check

import (
	"fmt"
	"io"
	"strings"
	"time"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// checkProgress shows the progress of a check on a terminal. If the check takes longer
// than a moment it also shows dead links as they are found.
type checkProgress struct {
	results  chan check.Result
	finished chan struct{}
}

// progress returns a checkProgress. Without a terminal it shows nothing.
func (k *checker) progress() *checkProgress {
	g := &checkProgress{results: make(chan check.Result, 64), finished: make(chan struct{})}
	if !cli.IsTerminal(k.Stderr) {
		close(g.finished)
		return g
	}
	go func() {
		defer close(g.finished)
		showResults(k.Stderr, g.results, time.Second)
	}()
	return g
}

// showResults shows the progress and the dead links on a terminal. It shows nothing
// before the delay is over.
func showResults(w io.Writer, results <-chan check.Result, delay time.Duration) {
	const most = 1000 // dead links that are shown at once
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
		_, _ = io.WriteString(w, b.String()) // progress is not worth an error
		pending, next, shown = pending[:0], now.Add(time.Second/5), true
	}
	if shown {
		_, _ = io.WriteString(w, "\r\x1b[K")
	}
}

func (g *checkProgress) result(r check.Result) {
	select {
	case <-g.finished: // there is no terminal
	case g.results <- r:
	}
}

func (g *checkProgress) close() {
	close(g.results)
	<-g.finished
}
