// Package report makes the reports of checks, and writes them in several formats.
//
//	q := report.NewQueue(nil)
//	err := check.Seed(ctx, q, check.Source{Document: "README.md", Links: links})
//	…
//	err = (&check.Checker{Engine: client}).Run(ctx, q)
//	…
//	r, err := q.Report(ctx, check.ReportOptions{})
//	defer r.Close()
//	err = report.Text(os.Stdout, r)
//
// A queue of this package ([NewQueue], [OpenQueue]) collects the links and the results of one
// process, and joins them into a [check.Report]. A format is a function of a Report: [Text],
// [JSON], [Markdown], [HTML], [JUnit], [SARIF] and [Annotations]. It reads the findings one
// after the other, so a Report may be larger than memory. [Since], [Without], [Notable] and
// [Archived] return a Report with other findings, which they make while it is read.
//
// baseline.go compares a report with an earlier one, known.go keeps good results for later
// runs, and copies.go asks an archive for copies of dead pages. Every text from a link or a
// document is shown without passwords, and without characters that control a terminal.
//
// Notable divergences:
//   - SARIF 2.1.0 §3.30.6: a column counts bytes, not UTF-16 code units.
package report

import (
	"locus/check"
	"locus/check/internal/run"
)

// NewQueue returns an empty queue for one process. It calls create for each temporary file
// when it needs one, and Close closes the files. If create is nil, everything stays in memory.
func NewQueue(create func() (check.File, error)) check.Queue { return run.NewSpool(create) }

// OpenQueue returns a queue whose log is in f. The queue resumes the run in f, and begins
// one if f is empty. After a process was killed, only the jobs that it had not done are
// left. Only one queue may use f at a time. Close closes f. For create see [NewQueue].
func OpenQueue(f check.LogFile, create func() (check.File, error)) (check.Queue, error) {
	q, err := run.OpenSpool(f, create)
	if err != nil {
		return nil, err // and no queue that is nil inside
	}
	return q, nil
}
