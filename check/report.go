package check

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
)

// A Finding is what there is to say about a link, and everywhere it stands.
type Finding struct {
	Result

	// Link is the URL as it is linked to, with its fragment. It may have a
	// password.
	Link string

	// Change says what is new since an earlier run: "newly dead" or "recovered".
	// It is "" unless [Report.Since] has looked.
	Change string

	// Places are in the order of their documents, lines and columns. Without any
	// it is a page that was asked for.
	Places []Place
}

// A Report says what came of a run.
type Report struct {
	// Findings yields what there is to say about links that are not good or have
	// moved for good, or about all if those were wanted, in the order of Link,
	// each time anew; and then an error if there is one.
	Findings iter.Seq2[Finding, error]

	// Counts are how many URLs there are of each status, by their fragments too.
	Counts [len(statuses)]int
	Moved  int // how many of the good have moved for good

	// Unwalked is how many of the unchecked were to be walked through, and were
	// not, because a robots.txt cannot be had. So links may be missing.
	Unwalked int

	close func() error
}

// Failed reports whether a link is dead.
func (r *Report) Failed() bool { return r.Counts[Dead] > 0 }

// Close closes the files of the report. It cannot be read any more.
func (r *Report) Close() error { return r.close() }

// ReportOptions say what is reported. The zero ReportOptions are about links that
// are not good or have moved for good.
type ReportOptions struct {
	All  bool     // report good links, too
	Also []string // report these, even if they are good; without passwords

	// Create makes files as for [NewSpool]; nil: what is reported is in memory.
	Create func() (File, error)
}

// NewReport joins what was found with where it stands, when a run is over. The
// report of a [Spool], or of what has one embedded, reads that, which is closed
// after it. It is closed by the caller.
func NewReport(ctx context.Context, q Queue, o ReportOptions) (*Report, error) {
	j := &joiner{all: o.All, also: slices.Sorted(slices.Values(o.Also)), sorter: sorter{runs: journal{create: o.Create}}}
	closeAll := j.sorter.runs.close
	var err error
	if own, ok := q.(interface{ spool() *Spool }); ok {
		j.Spool = own.spool()
	} else {
		j.Spool = NewSpool(o.Create)
		closeAll = func() error { return errors.Join(j.sorter.runs.close(), j.Close()) }
		err = j.pour(ctx, q)
	}
	if err == nil {
		err = j.join()
	}
	if err != nil {
		return nil, errors.Join(err, closeAll())
	}
	return &Report{Findings: j.findings, Counts: j.counts, Moved: j.moved, Unwalked: j.unwalked, close: closeAll}, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// pour keeps the links and the results of another queue.
func (s *Spool) pour(ctx context.Context, q Queue) error {
	for from, err := range q.Sources(ctx) {
		if err != nil {
			return err
		}
		if err := s.Seed(ctx, from, nil); err != nil {
			return err
		}
	}
	for r, err := range q.Results(ctx) {
		if err != nil {
			return err
		}
		if err := s.Done(ctx, Job{URL: r.URL, Walk: r.Anchors != nil}, r, Found{}); err != nil {
			return err
		}
	}
	return nil
}

// A joiner makes a report.
type joiner struct {
	*Spool
	all    bool
	also   []string // sorted
	counts [len(statuses)]int
	moved  int
	sorter sorter

	unwalked int
}

// join judges every link, and sorts the places of those that are reported.
func (j *joiner) join() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	told := false
	err := j.texts.each(func(text string, at int64, state uint64) error {
		if state&isLink == 0 {
			return nil
		}
		r, err := j.judge(text, state)
		if err != nil {
			return err
		}
		j.counts[r.Status]++
		if r.Unwalked {
			j.unwalked++
		}
		marked := state &^ isTold
		moved := r.Status == Good && r.Moved() != ""
		if moved {
			j.moved++
		}
		if u, _ := ofEntry(text); r.Status != Good || moved || j.wanted(u) {
			marked, told = marked|isTold, true
		}
		if marked == state {
			return nil
		}
		return j.texts.mark(text, at, marked)
	})
	if err != nil || !told {
		return err
	}
	return j.places()
}

// judge returns what is known about a link, with its fragment.
func (j *joiner) judge(text string, state uint64) (Result, error) {
	u, bad := ofEntry(text)
	bare, fragment := u, ""
	if bad == "" {
		bare, fragment = cutFragment(u)
	}
	if state&atMask == 0 {
		_, ofBare, _, err := j.texts.find(bare)
		if err != nil {
			return Result{}, err
		}
		state = ofBare
	}
	switch {
	case state&atMask == 0:
		return Result{URL: bare, Status: Unchecked, Reason: "it was not checked"}, nil
	case state&hasMore == 0 && !j.all && len(j.also) == 0:
		return Result{URL: bare}, nil // good, with nothing to say
	}
	r, err := j.resultAt(state)
	if r.Status == Good && r.Anchors != nil && wantsAnchor(fragment) && !r.hasOwnFragment() && !hasAnchor(r.Anchors, fragment) {
		r.Status, r.Reason = Dead, "the page has nothing named "+quoted(fragment)
	}
	r.Anchors = nil
	return r, err
}

// wanted reports whether a link is reported even if it is good.
func (j *joiner) wanted(link string) bool {
	if j.all || len(j.also) == 0 {
		return j.all
	}
	_, found := slices.BinarySearch(j.also, shown(link))
	return found
}

// places sorts the places of the links that are reported.
func (j *joiner) places() error {
	for group, err := range j.groups() {
		if err != nil {
			return err
		}
		document := ""
		for _, l := range group.links {
			text, state, err := j.texts.text(l.text)
			if err != nil {
				return err
			}
			if state&isTold == 0 {
				continue
			}
			if document == "" {
				if document, _, err = j.texts.text(group.document); err != nil {
					return err
				}
			}
			if err := j.sorter.add(placed{text, Place{document, l.line, l.column}}); err != nil {
				return err
			}
		}
	}
	return j.sorter.end()
}

// findings yields what there is to say about each link.
func (j *joiner) findings(yield func(Finding, error) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var f Finding
	text, begun := "", false
	for p, err := range j.sorter.all() {
		if err == nil && begun && p.text != text && !yield(f, nil) {
			return
		}
		if err == nil && (!begun || p.text != text) {
			text, begun = p.text, true
			f, err = j.finding(text)
		}
		if err != nil {
			yield(Finding{}, err)
			return
		}
		if p.Document != "" && (len(f.Places) == 0 || f.Places[len(f.Places)-1] != p.Place) {
			f.Places = append(f.Places, p.Place)
		}
	}
	if begun {
		yield(f, nil)
	}
}

func (j *joiner) finding(text string) (f Finding, err error) {
	_, state, _, err := j.texts.find(text)
	if err != nil {
		return f, err
	}
	f.Link, _ = ofEntry(text)
	f.Result, err = j.judge(text, state)
	return f, err
}

// Moves returns where links have moved to for good, by the links.
func (r *Report) Moves() (map[string]string, error) {
	moves := make(map[string]string)
	for f, err := range r.Findings {
		if err != nil {
			return nil, err
		}
		if to := f.Moved(); f.Status == Good && to != "" {
			moves[f.Link] = withFragment(to, f.Link)
		}
	}
	return moves, nil
}

// withFragment returns to with the fragment of from, if it has none itself.
func withFragment(to, from string) string {
	_, fragment, has := strings.Cut(from, "#")
	if !has || strings.Contains(to, "#") {
		return to
	}
	return to + "#" + fragment
}
