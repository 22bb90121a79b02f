package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadDead returns the links that failed in a report that Report.JSON wrote: the dead
// ones, or others by [ReportOptions.FailOn]. They have no passwords.
func ReadDead(r io.Reader) ([]string, error) {
	var dead []string
	lines := json.NewDecoder(r)
	for {
		var f struct {
			URL    string `json:"url"`
			Status Status `json:"status"`
			Fails  *bool  `json:"fails"` // not in older reports
		}
		switch err := lines.Decode(&f); {
		case errors.Is(err, io.EOF):
			return dead, nil
		case err != nil:
			return nil, fmt.Errorf("it is not a report: %w", err)
		case f.Fails == nil && f.Status == Dead, f.Fails != nil && *f.Fails:
			dead = append(dead, f.URL)
		}
	}
}

// Since returns the findings of r that changed since an earlier run in which those links
// failed: links that fail now and did not, and links that have recovered. The latter need
// [ReportOptions.Also]. It reads r.
func (r *Report) Since(failed []string) *Report {
	before := slices.Sorted(slices.Values(failed))
	return r.filter(func(f *Finding) bool {
		_, was := slices.BinarySearch(before, display(f.Link))
		switch {
		case f.Fails && !was:
			f.Change = "newly " + f.Verdict()
		case f.Status == Good && !f.Fails && was:
			f.Change = "recovered"
		}
		return f.Change != ""
	})
}

// filter returns r with only the findings for which keep returns true.
func (r *Report) filter(keep func(*Finding) bool) *Report {
	changed := *r
	changed.Findings = func(yield func(Finding, error) bool) {
		for f, err := range r.Findings {
			if (err != nil || keep(&f)) && !yield(f, err) {
				return
			}
		}
	}
	return &changed
}

// FailedNow reports whether a link fails that did not before. r is the result of [Report.Since].
func (r *Report) FailedNow() (bool, error) {
	for f, err := range r.Findings {
		if err != nil || f.Fails {
			return err == nil, err
		}
	}
	return false, nil
}

// Without returns r without the findings of a status. Their count stays. It reads r.
func (r *Report) Without(s Status) *Report {
	return r.filter(func(f *Finding) bool { return f.Status != s })
}

// Notable returns r without good links that have neither moved nor changed. It reads r.
func (r *Report) Notable() *Report {
	return r.filter(func(f *Finding) bool { return f.isNotable() || f.Change != "" })
}
