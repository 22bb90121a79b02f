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

// isCompared reports whether only what changed is reported.
func (o Options) isCompared() bool { return o.Given.First("since", "baseline") != "" }

// onStdout returns the flags that write a report to stdout. Without any, that has the report
// as text.
func (o Options) onStdout() []string {
	var all []string
	if o.JSON {
		all = append(all, "--json")
	}
	for _, report := range [][2]string{{"--junit", o.JUnit}, {"--sarif", o.SARIF}, {"--html", o.HTML}, {"--markdown", o.Markdown}} {
		if report[1] == "-" {
			all = append(all, report[0]+" -")
		}
	}
	return all
}

// failed reports whether the report has a failure: if it is compared, a new one.
func (k *checker) failed(r *check.Report) (bool, error) {
	if !k.options.isCompared() {
		return r.Failed(), nil
	}
	return r.Since(k.dead).FailedNow()
}

// write writes the report in each form that the options ask for.
func (k *checker) write(full *check.Report) error {
	o, report := k.options, full
	if o.isCompared() {
		report = full.Since(k.dead)
	}
	every := report // JUnit has test cases for good links, too
	if !o.All {
		every = every.Without(check.Excluded)
		report, full = every.Notable(), full.Notable()
	}
	var err error
	switch {
	case o.JSON:
		err = report.JSON(k.Out)
	case len(o.onStdout()) > 0: // that report follows below
	default:
		if err = report.Text(k.Out); err == nil {
			err = k.Line(report.Summary())
		}
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
		var err error
		switch file.name {
		case "":
		case "-":
			err = file.write(k.Out)
		default:
			err = k.SaveAs(file.name, file.write)
		}
		if err != nil {
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

// readDead reads the dead links in the report of an earlier run. The report of --since may
// not exist yet.
func readDead(e *cli.Env, o Options) ([]string, error) {
	name := cmp.Or(o.Since, o.Baseline)
	f, err := e.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Given["since"]:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &cli.Hinted{Err: err, Hint: "locus check --json … > FILE writes it"}
	case err != nil:
		return nil, err
	}
	defer f.Close()
	dead, err := check.ReadDead(f)
	if err != nil {
		return nil, &cli.Hinted{Err: fmt.Errorf("read %q: %w", name, err), Hint: "--since and --baseline want a file that --since or --json wrote"}
	}
	return dead, nil
}
