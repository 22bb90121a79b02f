package check

import (
	"cmp"
	"context"
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
	// Findings are about links that are not good or have moved for good, or about
	// all if those were wanted, in the order of Link.
	Findings []Finding

	// Counts are how many URLs there are of each status, by their fragments too.
	Counts [len(statuses)]int
	Moved  int // how many of the good have moved for good
}

// Failed reports whether a link is dead.
func (r *Report) Failed() bool { return r.Counts[Dead] > 0 }

// NewReport joins what was found with where it stands: about the links that are
// not good or have moved for good, about those that also names, and about all if
// all is set. Memory is taken for what is reported, and for a number for each
// fragment and each good link.
func NewReport(ctx context.Context, q Queue, all bool, also ...string) (*Report, error) {
	j := joiner{all: all, also: also, told: make(map[string]*Finding), good: make(map[uint64]struct{}), results: make(map[string]Result)}
	slices.Sort(j.also)
	for r, err := range q.Results(ctx) {
		if err != nil {
			return nil, err
		}
		j.result(r)
	}
	for s, err := range q.Sources(ctx) {
		if err != nil {
			return nil, err
		}
		for _, l := range s.Links {
			j.link(s.Document, l)
		}
	}
	return j.report(), nil
}

// A joiner makes a report.
type joiner struct {
	all     bool
	also    []string          // sorted
	results map[string]Result // of URLs about which there is something to say
	told    map[string]*Finding
	good    map[uint64]struct{} // links that are good, as AnchorOf makes numbers
	counts  [len(statuses)]int
}

// result takes note of a result. Of two about one URL the one that says more is
// kept.
func (j *joiner) result(r Result) {
	before, twice := j.results[r.URL]
	if twice && before.Anchors != nil {
		return
	}
	if j.all || r.Status != Good || r.Moved() != "" || r.Anchors != nil || twice {
		j.results[r.URL] = r
	}
}

// link takes note of where a link stands.
func (j *joiner) link(document string, l Link) {
	f := j.told[l.URL]
	if f == nil {
		id := AnchorOf(l.URL)
		if _, good := j.good[id]; good {
			return
		}
		result := j.judge(l)
		j.counts[result.Status]++
		if result.Status == Good && result.Moved() == "" && !j.wanted(l.URL) {
			j.good[id] = struct{}{}
			return
		}
		result.Anchors = nil
		f = &Finding{Result: result, Link: l.URL}
		j.told[l.URL] = f
	}
	if document != "" {
		f.Places = append(f.Places, Place{Document: document, Line: l.Line, Column: l.Column})
	}
}

// wanted reports whether a link is reported even if it is good.
func (j *joiner) wanted(link string) bool {
	if j.all || len(j.also) == 0 {
		return j.all
	}
	_, found := slices.BinarySearch(j.also, shown(link))
	return found
}

// judge returns what is known about a link, with its fragment.
func (j *joiner) judge(l Link) Result {
	bare, fragment := l.URL, ""
	if l.Bad == "" {
		bare, fragment = cutFragment(l.URL)
	}
	r, ok := j.results[bare]
	if !ok {
		return Result{URL: bare} // good, with nothing to say
	}
	if r.Status == Good && r.Anchors != nil && wantsAnchor(fragment) && !hasAnchor(r.Anchors, fragment) {
		r.Status, r.Reason = Dead, "the page has nothing named "+quoted(fragment)
	}
	return r
}

func (j *joiner) report() *Report {
	r := &Report{Counts: j.counts}
	for _, f := range j.told {
		slices.SortFunc(f.Places, func(a, b Place) int {
			return cmp.Or(strings.Compare(a.Document, b.Document), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		f.Places = slices.Compact(f.Places)
		if f.Status == Good && f.Moved() != "" {
			r.Moved++
		}
		r.Findings = append(r.Findings, *f)
	}
	slices.SortFunc(r.Findings, func(a, b Finding) int { return strings.Compare(a.Link, b.Link) })
	return r
}
