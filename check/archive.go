package check

import (
	"context"
	"errors"
	"strings"

	"locus/url"
)

// ArchiveTemplate is where the Internet Archive has the last copy of a page.
const ArchiveTemplate = "https://web.archive.org/web/{url}"

// ArchiveURL returns where an archive has a copy of a page, by a template with {url}. The
// URL is escaped if it stands in a query. It returns "" if u is no page of the web, or
// has a password.
func ArchiveURL(template, u string) string {
	if !isWebText(u) || mayHavePassword(u) {
		return ""
	}
	page, _ := cutFragment(u)
	if before, _, _ := strings.Cut(template, "{url}"); strings.Contains(before, "?") {
		page = url.Escape(page, url.RFC3986.Unreserved())
	}
	return strings.ReplaceAll(template, "{url}", page)
}

// Archived returns r with the Archived that of returns for the page of each dead link. It
// reads r.
func (r *Report) Archived(of func(page string) string) *Report {
	return r.filter(func(f *Finding) bool {
		if f.Status == Dead {
			page, _ := cutFragment(f.Link)
			f.Archived = of(page)
		}
		return true
	})
}

// archivePerServer is how many requests run at once at an archive.
const archivePerServer = 2

// FindCopies asks an archive for copies of the dead pages in a report. propose returns
// where a copy of a page may be, such as [ArchiveURL]; "" if nowhere. The result returns
// the URL of the copy of a page, for [Report.Archived]; "" if there is none. FindCopies
// reads the report, and creates temporary files with create; see [NewSpool].
//
// It opens the archive with the Engine of c, and with the limits and retries of its Policy,
// but with two requests at once. Known and Notify of c are not used.
func (c *Checker) FindCopies(ctx context.Context, r *Report, propose func(page string) string, create func() (File, error)) (copyOf func(page string) string, err error) {
	q := NewSpool(create)
	defer func() { err = errors.Join(err, q.Close()) }()
	var wanted Source
	for f, err := range r.Archived(propose).Findings {
		if err != nil {
			return nil, err
		}
		if f.Archived != "" {
			wanted.Links = append(wanted.Links, Link{URL: f.Archived})
		}
	}
	if err := Seed(ctx, q, wanted); err != nil {
		return nil, err
	}
	archive := *c
	archive.Known, archive.Notify, archive.Policy = nil, nil, Policy{
		PerServer: archivePerServer, Rate: c.Rate, Timeout: c.Timeout, Retries: c.Retries, Wait: c.Wait,
	}
	if err := archive.Run(ctx, q); err != nil {
		return nil, err
	}
	answers, err := q.Report(ctx, ReportOptions{All: true, Create: create})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, answers.Close()) }()
	copies := make(map[string]string) // by the URL that was proposed
	for f, err := range answers.Findings {
		if err != nil {
			return nil, err
		}
		if f.Status == Good {
			copies[f.Link] = f.FinalURL()
		}
	}
	return func(page string) string { return copies[propose(page)] }, nil
}
