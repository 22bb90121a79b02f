package run

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"locus/check"
	"locus/internal/render"
	"locus/internal/spill"
)

// Report joins the links of a finished run with their results. The caller closes the Report before q, because the
// Report reads q. The context is ignored, because q is on this machine.
func (q *Queue) Report(_ context.Context, o check.ReportOptions) (*check.Report, error) {
	return q.report(o)
}

// report makes the report of a run whose jobs are all done. It sorts the findings in temporary files of o.Create, which
// the Report closes when it is closed. It locks the store, as the Findings of the Report do while they are read.
func (s *store) report(o check.ReportOptions) (*check.Report, error) {
	if o.FailOn == nil {
		o.FailOn = []string{check.Dead.String()}
	}
	j := &joiner{store: s, log: newWindow(&s.log), all: o.All, failOn: o.FailOn, also: slices.Sorted(slices.Values(o.Also)), sorter: newSorter(o.Create)}
	j.report = &check.Report{Findings: readAhead(j.findings), Release: j.sorter.Close}
	if err := j.join(); err != nil {
		return nil, errors.Join(err, j.report.Close())
	}
	return j.report, nil
}

// A joiner makes the report of a store.
type joiner struct {
	store    *store
	log      *window // of the store's log
	all      bool
	also     []string // sorted
	failOn   []string
	report   *check.Report
	reported spill.TextSet // the links that are reported, and the subjects of their findings
	sorter   *spill.Sorter[placedLink]
	pages    pageResults
	last     foundPage
}

// A foundPage is the page that was looked up last. It is kept because most links follow others to the same page.
type foundPage struct {
	page  string // "" if none was looked up
	at    int64
	state uint64
	isIn  bool
}

// findPage returns the offset and the state of a page in the texts. ok is false if the texts lack the page. It keeps
// the result in j.last, because links to one page often follow each other.
func (j *joiner) findPage(page string) (at int64, state uint64, ok bool, err error) {
	if l := &j.last; l.page != page || page == "" {
		l.page = strings.Clone(page)
		if l.at, l.state, l.isIn, err = j.store.texts.Find(l.page); err != nil {
			l.page = ""
			return 0, 0, false, err
		}
	}
	return j.last.at, j.last.state, j.last.isIn, nil
}

// pageResults caches results with anchors by their offsets, because many links lead to anchors of one page.
type pageResults struct {
	results map[uint64]*check.Result
	anchors int // the number of anchors of all results
	last    struct {
		at     uint64
		result *check.Result
	}
}

// maxPageAnchors is how many anchors pageResults keeps. They take 8 MiB.
const maxPageAnchors = 1 << 20

// result returns the result to which state, the state of a page, refers, with sorted anchors. The caller must not
// change the anchors.
func (j *joiner) result(state uint64) (check.Result, error) {
	at := state & spill.OffsetMask
	if last := j.pages.last; last.result != nil && last.at == at {
		return *last.result, nil
	}
	r, ok := j.pages.results[at]
	if !ok {
		read, err := j.store.resultAt(j.log, state)
		if err != nil || read.Anchors == nil {
			return read, err
		}
		r = &read
		if j.pages.anchors += len(r.Anchors); j.pages.results == nil || j.pages.anchors > maxPageAnchors {
			j.pages.results, j.pages.anchors = map[uint64]*check.Result{}, len(r.Anchors)
		}
		slices.Sort(r.Anchors) // because hasAnchor searches them
		j.pages.results[at] = r
	}
	j.pages.last.at, j.pages.last.result = at, r
	return *r, nil
}

// join counts the result of every link, decides which links are reported, and sorts the places of these links.
func (j *joiner) join() error {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	err := j.store.texts.Each(func(text string, at int64, state uint64) error {
		if state&isLink == 0 {
			return nil
		}
		subject, subjectAt, state, isNew, err := j.subject(text, at, state)
		if err != nil {
			return err
		}
		if !isNew {
			j.reported.Add(at)
			return nil
		}
		r, err := j.resultOf(subject, state)
		if err != nil {
			return err
		}
		j.count(r)
		if !isNotable(r) && !j.isRequested(subject) {
			return nil
		}
		j.reported.Add(at)
		j.reported.Add(subjectAt)
		return nil
	})
	if err != nil || j.reported == nil {
		return err
	}
	return j.sortPlaces()
}

// count adds a result to the counts of the report.
func (j *joiner) count(r check.Result) {
	j.report.Counts[r.Status]++
	if r.NotCrawled {
		j.report.NotCrawled++
	}
	if r.Verdict() == check.MovedVerdict {
		j.report.Moved++
	}
	if slices.Contains(j.failOn, r.Verdict()) {
		j.report.Failures++
	}
}

// isNotable reports whether a result is reported even if the caller does not ask for its link.
func isNotable(r check.Result) bool { return r.Verdict() != check.Good.String() }

// subject returns the text that the finding for a link is about, with its offset and its state. The arguments are the
// text, the offset and the state of the link. If the link has a fragment and its page is not good, the subject is the
// page, because all links to one missing page are one finding. Otherwise it is the link. isNew is false if the finding
// of the subject is counted elsewhere, because the page is also a link or was reported before.
func (j *joiner) subject(text string, at int64, state uint64) (_ string, _ int64, _ uint64, isNew bool, err error) {
	page, hasFragment := pageOf(text)
	if !hasFragment {
		return text, at, state, true, nil
	}
	pageAt, pageState, ok, err := j.findPage(page)
	if err != nil || !ok || pageState&spill.OffsetMask == 0 || statusOf(pageState) == check.Good {
		return text, at, state, true, err
	}
	// A page that is also a link is counted when its own turn comes.
	return page, pageAt, pageState, pageState&isLink == 0 && !j.reported.Has(pageAt), nil
}

// cutFragment returns a URL without its fragment, and the fragment without "#"; "" if there is no fragment.
func cutFragment(text string) (u, fragment string) {
	u, fragment, _ = strings.Cut(text, "#")
	return u, fragment
}

// pageOf returns the URL in text, a text of textOf, without its fragment. hasFragment is false if the fragment is
// missing or empty, or if the link is bad.
func pageOf(text string) (page string, hasFragment bool) {
	u, bad := parseText(text)
	page, fragment := cutFragment(u)
	return page, bad == "" && fragment != ""
}

// statusOf returns the status of the result of a text with this state. It is Good if the text has no result.
func statusOf(state uint64) check.Status { return check.Status(state & statusMask >> statusBit) }

// resultOf returns the result for a link, including its fragment. state is the state of the link. If the link was not
// checked with its fragment, resultOf takes the result of its page. A link that was not checked is Unchecked. If the
// report does not list all links, the result for a good link may have only its URL.
func (j *joiner) resultOf(text string, state uint64) (check.Result, error) {
	u, bad := parseText(text)
	page, fragment := u, ""
	if bad == "" {
		page, fragment = cutFragment(u)
	}
	checked := u
	if state&spill.OffsetMask == 0 {
		_, pageState, _, err := j.findPage(page)
		if err != nil {
			return check.Result{}, err
		}
		checked, state = page, pageState
	}
	switch {
	case state&spill.OffsetMask == 0:
		return check.Result{URL: page, Status: check.Unchecked, Reason: "it was not checked"}, nil
	case state&hasDetails == 0 && !j.all && len(j.also) == 0:
		return check.Result{URL: page}, nil // a good link that is not reported
	}
	r, err := j.result(state)
	r.URL = checked
	r = r.At(fragment)
	r.Anchors = nil
	return r, err
}

// isRequested reports whether the options of the report ask for a link even if it is good.
func (j *joiner) isRequested(text string) bool {
	if j.all || len(j.also) == 0 {
		return j.all
	}
	link, _ := parseText(text)
	_, found := slices.BinarySearch(j.also, render.Redacted(link))
	return found
}

// sortPlaces gives the places of the links to report to the sorter, each under the subject of its link, and ends the
// sorter's input.
func (j *joiner) sortPlaces() error {
	if err := j.store.places.flushBuffer(); err != nil {
		return err
	}
	subjects := make(map[int64]string) // by the offsets of links, because most links have many places
	for l, err := range j.store.places.all() {
		if err != nil {
			return err
		}
		if !j.reported.Has(l.text) {
			continue
		}
		subject, ok := subjects[l.text]
		if !ok {
			if subject, err = j.subjectAt(l.text); err != nil {
				return err
			}
			if len(subjects) == maxSubjects {
				clear(subjects)
			}
			subjects[l.text] = subject
		}
		if err := j.sorter.Add(placedLink{subject, l.Place}); err != nil {
			return err
		}
	}
	return j.sorter.End()
}

// maxSubjects is how many subjects sortPlaces keeps.
const maxSubjects = 1 << 15

// subjectAt returns the subject, as a text, of the link whose text is at an offset.
func (j *joiner) subjectAt(at int64) (string, error) {
	text, state, err := j.store.texts.Text(at)
	if err != nil {
		return "", err
	}
	text, _, _, _, err = j.subject(text, at, state)
	return text, err
}

// findings yields the findings to report, in the order of their links. An error is the last that it yields. It locks
// the store meanwhile.
func (j *joiner) findings(yield func(check.Finding, error) bool) {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	var f check.Finding
	text, hasFinding := "", false
	for p, err := range j.sorter.All() {
		if err == nil && hasFinding && p.text != text && !yield(f, nil) {
			return
		}
		if err == nil && (!hasFinding || p.text != text) {
			text, hasFinding = p.text, true
			f, err = j.finding(text)
		}
		if err != nil {
			yield(check.Finding{}, err)
			return
		}
		if p.Document != "" && (len(f.Places) == 0 || f.Places[len(f.Places)-1] != p.Place) {
			f.Places = append(f.Places, p.Place)
		}
	}
	if hasFinding {
		yield(f, nil)
	}
}

// readAhead yields the findings of all, which a goroutine reads up to 16 findings in advance.
func readAhead(all iter.Seq2[check.Finding, error]) iter.Seq2[check.Finding, error] {
	type found struct {
		check.Finding
		err error
	}
	return func(yield func(check.Finding, error) bool) {
		next, stop := make(chan found, 16), make(chan struct{})
		go func() {
			defer close(next)
			for f, err := range all {
				select {
				case next <- found{f, err}:
				case <-stop:
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for range next { // all has ended when next is closed
			}
		}()
		for f := range next {
			if !yield(f.Finding, f.err) {
				return
			}
		}
	}
}

// finding returns the finding for text, the subject of a link, without its places.
func (j *joiner) finding(text string) (f check.Finding, err error) {
	_, state, _, err := j.store.texts.Find(text)
	if err != nil {
		return f, err
	}
	f.Link, _ = parseText(text)
	f.Result, err = j.resultOf(text, state)
	f.Fails = slices.Contains(j.failOn, f.Verdict())
	return f, err
}
