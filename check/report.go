package check

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"locus/internal/render"
)

// A Finding is the result for a link, with all its places.
type Finding struct {
	Result

	// Link is the URL with its fragment; without it if the page itself is not good. It
	// may have a password.
	Link string

	// Fails means that the link makes the run fail, see [ReportOptions.FailOn].
	Fails bool

	// Archived is the URL of an archived copy of a dead page; "" if nobody looked for one, or
	// there is none. See package report.
	Archived string

	// Change is "newly dead" or another verdict after "newly", or "recovered"; "" if the
	// report is not compared with an earlier one. See package report.
	Change string

	// Places are in the order of documents, lines and columns. A page that the
	// caller named has none.
	Places []Place
}

// A Report is the result of a run. Package report writes it in several formats.
type Report struct {
	// Findings yields the links to report in the order of Link, and last an error,
	// if there is one. It can be called again.
	Findings iter.Seq2[Finding, error]

	// Counts are the numbers of links by status. Links that differ in their fragments
	// count separately, unless their page is not good: then it counts once.
	Counts [len(statuses)]int
	Moved  int // how many of the good links have moved for good

	// NotCrawled is how many pages were not crawled because a robots.txt cannot be
	// fetched. They are unchecked, and their links are missing.
	NotCrawled int

	// Failures is how many links fail, see [ReportOptions.FailOn].
	Failures int

	// Release closes the files of the report; nil: it has none. Call Close instead.
	Release func() error
}

// Failed reports whether a link fails, see [ReportOptions.FailOn].
func (r *Report) Failed() bool { return r.Failures > 0 }

// Close closes the files of the report. It cannot be read any more.
func (r *Report) Close() error {
	if r.Release == nil {
		return nil
	}
	return r.Release()
}

// ReportOptions say which links are reported. Those of the zero ReportOptions are not
// good or have moved for good.
type ReportOptions struct {
	All  bool     // report good links, too
	Also []string // report these, even if they are good; without passwords

	// FailOn are the verdicts that make the run fail, some of those that [FailOn]
	// returns; nil: "dead". Reports of all formats show these links as failures.
	FailOn []string

	// Create makes temporary files; nil: the report is in memory.
	Create func() (File, error)
}

// display returns a URL without its password, and without control characters.
func display(text string) string { return render.Redacted(text) }

// String gives "README.md:3:7". A name that begins with "::" gets "./" before it: GitHub
// Actions would take a line of it for a workflow command.
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

// Summary gives "12 links: 10 good (2 moved), 1 dead, 1 unchecked".
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

// Label returns the change or the verdict of a link.
func (f Finding) Label() string { return cmp.Or(f.Change, f.Verdict()) }

// String gives "dead  http://h/x  404 Not Found".
func (f Finding) String() string {
	return strings.TrimSuffix(f.Label()+"  "+display(f.Link)+"  "+f.Explain(), "  ")
}

// Explain returns why a link is reported, in one line: the reason, where it has moved for
// good, and where a copy is archived.
func (f Finding) Explain() string {
	text := render.Clean(f.Reason)
	if to := f.Moved(); to != "" {
		text = strings.TrimPrefix(text+"; moved for good to "+display(to), "; ")
	}
	if f.Archived != "" {
		text += "; archived at " + display(f.Archived)
	}
	return text
}
