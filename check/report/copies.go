package report

import (
	"context"
	"errors"
	"strings"

	"locus/check"
	"locus/url"
)

// ArchiveTemplate is the template for [ArchiveURL] of the last copy of a page in the Internet Archive.
const ArchiveTemplate = "https://web.archive.org/web/{url}"

// ArchiveURL returns the address of an archive's copy of the page u. It replaces "{url}" in template with u without its
// fragment. It escapes u if "{url}" is in the query of template. It returns "" if u is not a web URL or may contain a
// password.
func ArchiveURL(template, u string) string {
	if !isWebText(u) || mayHavePassword(u) {
		return ""
	}
	page, _, _ := strings.Cut(u, "#")
	if before, _, _ := strings.Cut(template, "{url}"); strings.Contains(before, "?") {
		page = url.Escape(page, url.RFC3986.Unreserved())
	}
	return strings.ReplaceAll(template, "{url}", page)
}

// Archived returns a Report with the findings of r. For each dead link it calls of with the page of the link, and sets
// Finding.Archived to the result. The Report reads r.
func Archived(r *check.Report, of func(page string) string) *check.Report {
	return filter(r, func(f *check.Finding) bool {
		if f.Status == check.Dead {
			page, _, _ := strings.Cut(f.Link, "#")
			f.Archived = of(page)
		}
		return true
	})
}

// archivePerServer is how many requests run at the same time at an archive.
const archivePerServer = 2

// FindCopies asks an archive for copies of the dead pages in a report. propose returns the URL at which a copy of a
// page may be, or "" to skip the page, as [ArchiveURL] does. copyOf, which is an argument for [Archived], returns the
// URL of the copy of a page, or "" if the archive has no copy. FindCopies reads the report, and creates temporary files
// with create; see [NewQueue].
//
// FindCopies opens the archive with the Engine of c and with the Rate, Timeout, Retries and Wait of its Policy, but
// with two requests at the same time. Known and Notify of c are not used.
func FindCopies(ctx context.Context, c *check.Checker, r *check.Report, propose func(page string) string, create func() (check.File, error)) (copyOf func(page string) string, err error) {
	q := NewQueue(create)
	defer func() { err = errors.Join(err, q.Close()) }()
	var wanted check.Source
	for f, err := range Archived(r, propose).Findings {
		if err != nil {
			return nil, err
		}
		if f.Archived != "" {
			wanted.Links = append(wanted.Links, check.Link{URL: f.Archived})
		}
	}
	if err := check.Seed(ctx, q, wanted); err != nil {
		return nil, err
	}
	archive := *c
	archive.Known, archive.Notify, archive.Policy = nil, nil, check.Policy{
		PerServer: archivePerServer, Rate: c.Rate, Timeout: c.Timeout, Retries: c.Retries, Wait: c.Wait,
	}
	if err := archive.Run(ctx, q); err != nil {
		return nil, err
	}
	answers, err := q.Report(ctx, check.ReportOptions{All: true, Create: create})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, answers.Close()) }()
	copies := make(map[string]string) // by the proposed URLs
	for f, err := range answers.Findings {
		if err != nil {
			return nil, err
		}
		if f.Status == check.Good {
			copies[f.Link] = f.FinalURL()
		}
	}
	return func(page string) string { return copies[propose(page)] }, nil
}
