package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"locus/check"
	"locus/internal/render"
)

// ReadDead returns the links that failed in a report that Report.JSON wrote: the dead
// ones, or others by [ReportOptions.FailOn]. They have no passwords.
func ReadDead(r io.Reader) ([]string, error) {
	var dead []string
	lines := json.NewDecoder(r)
	for {
		var f struct {
			URL    string       `json:"url"`
			Status check.Status `json:"status"`
			Fails  *bool        `json:"fails"` // not in older reports
		}
		switch err := lines.Decode(&f); {
		case errors.Is(err, io.EOF):
			return dead, nil
		case err != nil:
			return nil, fmt.Errorf("it is not a report: %w", err)
		case f.Fails == nil && f.Status == check.Dead, f.Fails != nil && *f.Fails:
			dead = append(dead, f.URL)
		}
	}
}

// Since returns the findings of r that changed since an earlier run in which those links
// failed: links that fail now and did not, and links that have recovered. The latter need
// [ReportOptions.Also]. It reads r.
func Since(r *check.Report, failed []string) *check.Report {
	before := slices.Sorted(slices.Values(failed))
	return filter(r, func(f *check.Finding) bool {
		_, was := slices.BinarySearch(before, render.Redacted(f.Link))
		switch {
		case f.Fails && !was:
			f.Change = "newly " + f.Verdict()
		case f.Status == check.Good && !f.Fails && was:
			f.Change = "recovered"
		}
		return f.Change != ""
	})
}

// filter returns r with only the findings for which keep returns true.
func filter(r *check.Report, keep func(*check.Finding) bool) *check.Report {
	changed := *r
	changed.Findings = func(yield func(check.Finding, error) bool) {
		for f, err := range r.Findings {
			if (err != nil || keep(&f)) && !yield(f, err) {
				return
			}
		}
	}
	return &changed
}

// FailedNow reports whether a link fails that did not before. r is the result of [Report.Since].
func FailedNow(r *check.Report) (bool, error) {
	for f, err := range r.Findings {
		if err != nil || f.Fails {
			return err == nil, err
		}
	}
	return false, nil
}

// Without returns r without the findings of a status. Their count stays. It reads r.
func Without(r *check.Report, s check.Status) *check.Report {
	return filter(r, func(f *check.Finding) bool { return f.Status != s })
}

// Notable returns r without good links that have neither moved nor changed. It reads r.
func Notable(r *check.Report) *check.Report {
	return filter(r, func(f *check.Finding) bool { return isNotable(*f) || f.Change != "" })
}

// isNotable reports whether a finding is reported in any case: it is not simply good.
func isNotable(f check.Finding) bool { return f.Verdict() != check.Good.String() }
