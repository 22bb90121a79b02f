package check

import (
	"context"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/runfile"
)

// archived returns r with a link to an archived copy beside each dead page, as --archived asks: for
// "propose" it makes the URL of the copy without asking the archive, and for "check" it adds only
// copies that the archive has. Without the flag it returns r.
func (k *checker) archived(ctx context.Context, r *check.Report) (*check.Report, error) {
	propose := func(page string) string { return report.ArchiveURL(k.options.Archive, page) }
	switch k.options.Archived {
	case "":
		return r, nil
	case "propose":
		return report.Archived(r, propose), nil
	}
	copies, err := report.FindCopies(ctx, &k.Checker, r, propose, runfile.Temporary)
	if err != nil {
		return nil, err
	}
	return report.Archived(r, copies), nil
}
