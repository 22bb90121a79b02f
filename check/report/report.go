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
// # How the pieces work together
//
// A queue of this package ([NewQueue], [OpenQueue]) collects the links and the results of one process, and its method
// Report joins them into a [check.Report]. The findings of a Report are a sequence, so a Report may be larger than
// memory.
//
// [Since], [Without], [Notable], [Archived] and [InFolder] return a Report with other findings. They read the old
// Report only while the new one is read, and change or omit one finding after the other (filter, in baseline.go).
//
// A format is a function that writes a Report: [Text] and [Markdown] (text.go), [JSON], [HTML], [JUnit], [SARIF] and
// [Annotations]. Each reads the findings in a loop, converts one finding at a time to the data of the format (jsonOf,
// caseOf, resultsOf, rowOf), and returns the first error of the Report or of the writer. [JUnit] reads the findings
// twice, because the counts are at the beginning of the file. Every text from a link or a document is written without
// passwords, and without characters that control a terminal (package render).
//
// [IsReport] recognizes a report by its start (own.go). known.go keeps good results for later runs, copies.go asks an
// archive for copies of dead pages, and progress.go shows results on a terminal while a run is in progress.
//
// Notable divergences:
//   - SARIF 2.1.0 §3.30.6: a column counts bytes, not UTF-16 code units.
package report

import (
	"locus/check"
	"locus/check/internal/run"
)

// NewQueue returns an empty queue for a run with one process. The queue calls create when it needs a temporary file,
// and Close closes the files. If create is nil, everything stays in memory.
func NewQueue(create func() (check.File, error)) check.Queue { return run.NewQueue(create) }

// OpenQueue returns a queue whose log is f. If f is empty, the queue begins a run; otherwise it resumes the run in f.
// If the process was killed, the queue returns only the jobs that the process had not finished. Only one queue may use
// f at a time. Close closes f. See [NewQueue] for create.
func OpenQueue(f check.LogFile, create func() (check.File, error)) (check.Queue, error) {
	q, err := run.OpenQueue(f, create)
	if err != nil {
		return nil, err // nil, and not a check.Queue that contains a nil pointer
	}
	return q, nil
}
