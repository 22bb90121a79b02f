package check

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"locus/internal/render"
)

// A Finding is the result for a link, with all places of the link.
type Finding struct {
	Result

	// Link is the URL with its fragment, or without it if the page itself is not good. It may contain a password.
	Link string

	// Relative is the part of Link after the URL of the folder in which the run began, such as "docs/a.md#b". It is "" if
	// Link leads to no file in that folder, or if package report was not given the folder.
	Relative string

	// Fails means that the link makes the run fail, see [ReportOptions.FailOn].
	Fails bool

	// Archived is the URL of an archived copy of a dead page. It is "" if there is no copy, or if package report was
	// not asked to look for one.
	Archived string

	// Change says how the link differs from an earlier report: "recovered", or "newly" and a verdict, such as "newly
	// dead". It is "" if the report is not compared with an earlier one. See package report.
	Change string

	// Places are in the order of documents, lines and columns. A page that the caller named has no place.
	Places []Place
}

// A Report is the result of a run. Package report writes it in several formats.
type Report struct {
	// Findings yields the links to report in the order of Link, and then an error if there is one. It can be called
	// several times.
	Findings iter.Seq2[Finding, error]

	// Counts are the numbers of links by status. Links that differ only in their fragments count separately if their
	// page is good. If it is not, the page counts once.
	Counts [len(statuses)]int
	Moved  int // the number of good links that have moved permanently

	// NotCrawled is the number of pages that were not crawled because their robots.txt cannot be fetched. They are
	// unchecked, and their links are missing from the report.
	NotCrawled int

	// Failures is the number of links that fail, see [ReportOptions.FailOn].
	Failures int

	// Release closes the files of the report. It is nil if there are none. Callers use Close instead.
	Release func() error
}

// Failed reports whether any link fails, see [ReportOptions.FailOn].
func (r *Report) Failed() bool { return r.Failures > 0 }

// Close closes the files of the report, which cannot be read afterwards.
func (r *Report) Close() error {
	if r.Release == nil {
		return nil
	}
	return r.Release()
}

// ReportOptions say which links are reported. The zero ReportOptions report the links that are not good or have moved
// permanently.
type ReportOptions struct {
	All  bool     // also report good links
	Also []string // report these URLs even if they are good; they have no passwords

	// FailOn lists the verdicts that make the run fail, out of the verdicts that the function [FailOn] returns. nil
	// means "dead". Reports in all formats show these links as failures.
	FailOn []string

	// Create makes temporary files. If it is nil, the report is kept in memory.
	Create func() (File, error)
}

// display returns a URL in a form to show: without its password and without control characters.
func display(text string) string { return render.Redacted(text) }

// String returns text such as "README.md:3:7". It puts "./" before a name that begins with "::", because GitHub
// Actions would read such a line as a workflow command.
func (p Place) String() string {
	text := display(p.Document)
	if strings.HasPrefix(text, "::") {
		text = "./" + text
	}
	var b [48]byte
	numbers := b[:0]
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			numbers = strconv.AppendInt(append(numbers, ':'), int64(n), 10)
		}
	}
	return text + string(numbers)
}

// Summary returns text such as "12 links: 10 good (2 moved), 1 dead, 1 unchecked".
func (r *Report) Summary() string {
	total := 0
	for _, n := range r.Counts {
		total += n
	}
	text := fmt.Sprintf("%d links: %d good", total, r.Counts[Good])
	if total == 1 {
		text = fmt.Sprintf("1 link: %d good", r.Counts[Good])
	}
	if r.Moved > 0 {
		text += fmt.Sprintf(" (%d moved)", r.Moved)
	}
	for _, s := range []Status{Dead, BotWall, SoftNotFound, Parked, Unchecked, Excluded} {
		if n := r.Counts[s]; n > 0 || s == Dead {
			text += fmt.Sprintf(", %d %v", n, s)
		}
	}
	return text
}

// Label returns the Change of the link, or its verdict if Change is "".
func (f Finding) Label() string { return cmp.Or(f.Change, f.Verdict()) }

// String returns text such as "dead  http://h/x  404 Not Found".
func (f Finding) String() string {
	return strings.TrimSuffix(f.Label()+"  "+display(f.Link)+"  "+f.Explain(), "  ")
}

// Explain returns one line that says why a link is reported, where it has moved permanently, and where a copy is
// archived.
func (f Finding) Explain() string {
	text := render.Clean(f.Reason)
	if to := f.Moved(); to != "" {
		text = strings.TrimPrefix(text+"; moved permanently to "+display(to), "; ")
	}
	if f.Archived != "" {
		text += "; archived at " + display(f.Archived)
	}
	return text
}
