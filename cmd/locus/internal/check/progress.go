package check

import (
	"time"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/cli"
)

// A checkProgress shows the progress of a check on a terminal. If the check takes longer than a
// moment, it also shows dead links as soon as they are found.
type checkProgress struct {
	results  chan check.Result
	finished chan struct{}
}

// progress returns a checkProgress that the caller must close. Without a terminal, the
// checkProgress drops all results.
func (k *checker) progress() *checkProgress {
	g := &checkProgress{results: make(chan check.Result, 64), finished: make(chan struct{})}
	if !cli.IsTerminal(k.Stderr) {
		close(g.finished)
		return g
	}
	go func() {
		defer close(g.finished)
		report.ShowProgress(k.Stderr, g.results, time.Second)
	}()
	return g
}

// result shows r, or drops it if there is no terminal. It may wait for the display.
func (g *checkProgress) result(r check.Result) {
	select {
	case <-g.finished: // without a terminal
	case g.results <- r:
	}
}

// close ends the display, and returns when the last result was shown. Do not call result after it.
func (g *checkProgress) close() {
	close(g.results)
	<-g.finished
}
