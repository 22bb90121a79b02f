package check

import (
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
