package check

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// failed reports whether the report has a failure: with --since, a new one.
func (k *checker) failed(r *check.Report) (bool, error) {
	if !k.options.Given["since"] {
		return r.Failed(), nil
	}
	return r.Since(k.dead).FailedNow()
}

// write writes the report in each form that the options ask for.
func (k *checker) write(full *check.Report) error {
	o, report := k.options, full
	if o.Given["since"] {
		report = full.Since(k.dead)
	}
	every := report // JUnit has test cases for good links, too
	if !o.All {
		every = every.Without(check.Excluded)
		report, full = every.Notable(), full.Notable()
	}
	var err error
	if o.JSON {
		err = report.JSON(k.Out)
	} else if err = report.Text(k.Out); err == nil {
		err = k.Line(report.Summary())
	}
	if err != nil {
		return err
	}
	if err := k.annotate(report); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{o.JUnit, every.JUnit},
		{o.SARIF, report.SARIF},
		{o.HTML, report.HTML},
		{o.Markdown, report.Markdown},
		{o.Since, full.JSON}, // last: then nothing is new
	} {
		if file.name == "" {
			continue
		}
		if err := k.SaveAs(file.name, file.write); err != nil {
			return err
		}
	}
	return nil
}

// annotate writes the annotations that GitHub Actions shows beside the files. They go to
// stderr, so that stdout has the report alone.
func (k *checker) annotate(report *check.Report) error {
	if k.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	if err := k.Out.Flush(); err != nil {
		return err
	}
	w := bufio.NewWriter(k.Stderr)
	return cmp.Or(report.Annotations(w), w.Flush())
}

// readSince reads the dead links in the report of an earlier run. The report may not
// exist yet.
func readSince(e *cli.Env, name string) ([]string, error) {
	f, err := e.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dead, err := check.ReadDead(f)
	if err != nil {
		return nil, &cli.Hinted{Err: fmt.Errorf("read %q: %w", name, err), Hint: "--since wants a file that --since or --json wrote"}
	}
	return dead, nil
}
