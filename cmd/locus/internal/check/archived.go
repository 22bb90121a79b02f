package check

import (
	"context"
	"strings"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// checkArchive returns an error if --archive is no template.
func (o Options) checkArchive() error {
	switch {
	case o.Archive != check.ArchiveTemplate && o.Archived == "":
		return cli.Misuse("--archive is for --archived")
	case !strings.Contains(o.Archive, "{url}"):
		return cli.Misuse("--archive wants a URL with {url} in it, not %q", o.Archive)
	}
	return nil
}

// archived returns the report with archived copies of dead pages, as --archived asks.
func (k *checker) archived(ctx context.Context, r *check.Report) (*check.Report, error) {
	propose := func(page string) string { return check.ArchiveURL(k.options.Archive, page) }
	switch k.options.Archived {
	case "":
		return r, nil
	case "propose":
		return r.Archived(propose), nil
	}
	copies, err := k.findCopies(ctx, r, propose)
	if err != nil {
		return nil, err
	}
	return r.Archived(func(page string) string { return copies[propose(page)] }), nil
}

// archivePerHost is how many requests run at once at the archive.
const archivePerHost = 2

// findCopies asks the archive for the dead pages. It maps the URLs that it has to those of
// its copies.
func (k *checker) findCopies(ctx context.Context, r *check.Report, propose func(string) string) (map[string]string, error) {
	q := check.NewSpool(temporaryFile)
	defer q.Close()
	var wanted check.Source
	for f, err := range r.Archived(propose).Findings {
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
	archive := k.Checker
	archive.Known, archive.Notify, archive.Policy = nil, nil, check.Policy{
		PerServer: archivePerHost, Rate: k.Rate, Timeout: k.Timeout, Retries: k.Retries, Wait: k.Wait,
	}
	if err := archive.Run(ctx, q); err != nil {
		return nil, err
	}
	answers, err := q.Report(check.ReportOptions{All: true, Create: temporaryFile})
	if err != nil {
		return nil, err
	}
	defer answers.Close()
	copies := make(map[string]string)
	for f, err := range answers.Findings {
		if err != nil {
			return nil, err
		}
		if f.Status == check.Good {
			copies[f.Link] = f.FinalURL()
		}
	}
	return copies, nil
}
