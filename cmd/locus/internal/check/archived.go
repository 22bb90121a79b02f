package check

import (
	"context"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/runfile"
)

// archived returns r with links to archived copies of dead pages, if --archived asks for them: with
// proposed URLs, or only with copies that exist.
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
