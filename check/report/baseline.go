package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"locus/check"
	"locus/internal/render"
	"locus/url"
)

// ReadDead returns the links that failed in a report that [JSON] wrote. These are the dead links, unless FailOn in
// [check.ReportOptions] was set. Passwords in them are replaced by "xxxxx". For a link with a Relative it also returns
// the link to the same file in folder, because the report may come from another machine. folder ends in "/", or is zero.
func ReadDead(r io.Reader, folder url.URL) ([]string, error) {
	var dead []string
	lines := json.NewDecoder(r)
	for {
		var f struct {
			URL      string       `json:"url"`
			Relative string       `json:"relative"`
			Status   check.Status `json:"status"`
			Fails    *bool        `json:"fails"` // nil in older reports
		}
		switch err := lines.Decode(&f); {
		case errors.Is(err, io.EOF):
			return dead, nil
		case err != nil:
			return nil, fmt.Errorf("it is not a report: %w", err)
		case f.Fails == nil && f.Status == check.Dead, f.Fails != nil && *f.Fails:
			dead = append(dead, f.URL)
			if here := folder.String() + f.Relative; f.Relative != "" && !folder.IsZero() && here != f.URL {
				dead = append(dead, here)
			}
		}
	}
}

// InFolder returns a Report with the findings of r, and sets Relative where it is "" and the link leads into folder.
// folder is the file URL of the folder in which the run began, and ends in "/". If it is zero, the findings do not
// change. The Report reads r.
func InFolder(r *check.Report, folder url.URL) *check.Report {
	return filter(r, func(f *check.Finding) bool {
		rest, ok := strings.CutPrefix(render.Redacted(f.Link), folder.String())
		if ok && f.Relative == "" && !folder.IsZero() {
			f.Relative = rest
		}
		return true
	})
}

// Since returns a Report with the findings of r that changed since an earlier run. failed are the links that failed in
// the earlier run. A finding has changed if the link failed only now, or if it has recovered. Links that recovered are
// in r only if Also in [check.ReportOptions] contained them. The Report reads r, and sets Change in its findings.
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

// filter returns a Report with the findings of r for which keep returns true. keep may change them.
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

// FailedNow reports whether a link fails that did not fail in the earlier run. r is the result of [Since].
func FailedNow(r *check.Report) (bool, error) {
	for f, err := range r.Findings {
		if err != nil || f.Fails {
			return err == nil, err
		}
	}
	return false, nil
}

// Without returns a Report with the findings of r that have another status. The counts do not change. The Report reads
// r.
func Without(r *check.Report, s check.Status) *check.Report {
	return filter(r, func(f *check.Finding) bool { return f.Status != s })
}

// Notable returns a Report without the good links of r that have neither moved nor changed. The Report reads r.
func Notable(r *check.Report) *check.Report {
	return filter(r, func(f *check.Finding) bool { return isNotable(*f) || f.Change != "" })
}

// isNotable reports whether f is reported by default: its link is not good, or has moved.
func isNotable(f check.Finding) bool { return f.Verdict() != check.Good.String() }
