package check

import (
	"context"
	"errors"
	"fmt"
	"io"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/cli"
)

// How machines that do not talk to each other divide a run: each has --shard I/N, reads all arguments, and keeps only
// the links whose hosts are in its part. It writes a report with --json, which begins with a line about the part. Then
// --join-reports reads all these reports, and writes the report that one machine would have written.

// A partQueue is a queue that drops the links and jobs of other parts.
type partQueue struct {
	check.Queue
	options Options
}

// Seed adds the links of s and the jobs whose URLs belong to the part, and drops the others.
func (q partQueue) Seed(ctx context.Context, s check.Source, jobs []check.Job) error {
	part := check.Source{Document: s.Document}
	for _, l := range s.Links {
		if q.options.hasURL(l.URL) {
			part.Links = append(part.Links, l)
		}
	}
	var own []check.Job
	for _, j := range jobs {
		if q.options.hasURL(j.URL) {
			own = append(own, j)
		}
	}
	return q.Queue.Seed(ctx, part, own)
}

// hasURL reports whether u belongs to the part of the run that this process checks. Without --shard it returns true.
func (o Options) hasURL(u string) bool { return check.InShard(u, o.Shard.Part, o.Shard.Count) }

// checkShard returns a UsageError if --shard is given and an argument is the URL of a page, whose links --shard
// cannot divide.
func (o Options) checkShard(e *cli.Env) error {
	for _, arg := range o.Args {
		if page, ok := e.ArgumentURL(arg); ok && o.Given["shard"] && arg != "-" {
			return &cli.UsageError{
				Text: "--shard divides the links of files, not of the page " + page.Redacted(),
				Hint: "check the list that locus extract makes of the page, or divide the pages of a site with --nats",
			}
		}
	}
	return nil
}

// joinReports writes the report of a run from the reports of its parts. The error is ErrReported if the run has failed,
// or if one of its parts is incomplete.
func joinReports(e *cli.Env, o Options) error {
	if err := o.checkJoining(); err != nil {
		return err
	}
	if err := o.canSave(e); err != nil {
		return err
	}
	var parts []func() (io.ReadCloser, error)
	for _, name := range o.Args {
		parts = append(parts, func() (io.ReadCloser, error) { return e.Open(name) })
	}
	joined, about, err := report.Join(parts)
	if wrong, ok := errors.AsType[*report.PartError](err); ok {
		return &cli.UsageError{Text: fmt.Sprintf("--join-reports: %s: %v", o.Args[wrong.Index], err), Hint: "it needs one report for each part of a run"}
	}
	if err != nil {
		return cli.FileError("--join-reports", err)
	}
	if flag := o.Given.First("all", "junit"); flag != "" && !about.IsWhole {
		return &cli.UsageError{Text: flag + " needs reports with every link", Hint: "add --all to each run with --shard"}
	}
	k := &checker{Env: e, options: o}
	if err := k.write(joined); err != nil {
		return err
	}
	if joined.NotCrawled > 0 {
		e.Report(errNotCrawled)
	}
	if joined.Failed() || about.IsIncomplete || joined.NotCrawled > 0 {
		return cli.ErrReported
	}
	return nil
}

// checkJoining returns a UsageError if flags or arguments do not go with --join-reports.
func (o Options) checkJoining() error {
	excluded := cli.Rule{Flags: notForJoining(), Excludes: "join-reports", Text: "--join-reports does not take %s; give it to the runs with --shard"}
	if err := o.Given.Check(excluded); err != nil {
		return err
	}
	if len(o.Args) == 0 {
		return &cli.UsageError{Text: "--join-reports needs the report of each part", Hint: "locus check --shard 1/2 --json list.txt > 1.json writes one"}
	}
	return o.checkOutputs()
}
