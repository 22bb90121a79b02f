package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadDead returns the links that were dead by a report that Report.JSON wrote,
// without their passwords, as they stand there.
func ReadDead(r io.Reader) ([]string, error) {
	var dead []string
	lines := json.NewDecoder(r)
	for {
		var f struct {
			URL    string `json:"url"`
			Status Status `json:"status"`
			Change string `json:"change"`
		}
		switch err := lines.Decode(&f); {
		case errors.Is(err, io.EOF):
			return dead, nil
		case err != nil:
			return nil, fmt.Errorf("it is no report: %w", err)
		case f.Status == Dead:
			dead = append(dead, f.URL)
		}
	}
}

// Since returns what of r changed since a run after which some links were dead:
// those that are dead now and were not, and those that were and are good. For
// the latter r must have been told to report them. It reads r.
func (r *Report) Since(dead []string) *Report {
	before := slices.Sorted(slices.Values(dead))
	return r.each(func(f *Finding) bool {
		_, was := slices.BinarySearch(before, shown(f.Link))
		switch {
		case f.Status == Dead && !was:
			f.Change = "newly dead"
		case f.Status == Good && was:
			f.Change = "recovered"
		}
		return f.Change != ""
	})
}

// each returns r with the findings about which do says so.
func (r *Report) each(do func(*Finding) bool) *Report {
	changed := *r
	changed.Findings = func(yield func(Finding, error) bool) {
		for f, err := range r.Findings {
			if (err != nil || do(&f)) && !yield(f, err) {
				return
			}
		}
	}
	return &changed
}

// FailedNow reports whether a link is newly dead, by [Report.Since].
func (r *Report) FailedNow() (bool, error) {
	for f, err := range r.Findings {
		if err != nil || f.Status == Dead {
			return err == nil, err
		}
	}
	return false, nil
}

// Without returns r without findings about links of a status, but with their
// count. It reads r.
func (r *Report) Without(s Status) *Report {
	return r.each(func(f *Finding) bool { return f.Status != s })
}
