package check

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/cli"
	"locus/url"
)

// isCompared reports whether --since or --baseline is given, so that the report has only links
// whose state has changed.
func (o Options) isCompared() bool { return o.Given.First("since", "baseline") != "" }

// onStdout returns the flags that write a report to stdout, such as "--json" and "--junit -". If it
// returns nil, stdout gets the report as text.
func (o Reports) onStdout() []string {
	var all []string
	if o.JSON {
		all = append(all, "--json")
	}
	for _, to := range [][2]string{{"--junit", o.JUnit}, {"--sarif", o.SARIF}, {"--html", o.HTML}, {"--markdown", o.Markdown}} {
		if to[1] == "-" {
			all = append(all, to[0]+" -")
		}
	}
	return all
}

// canSave returns an error if the report probably cannot be written to one of the files of the
// flags. It does not change the files.
func (o Options) canSave(e *cli.Env) error {
	for _, file := range []string{o.JUnit, o.SARIF, o.HTML, o.Markdown, o.Since} {
		if file == "" || file == "-" {
			continue
		}
		if err := e.CanSave(file); err != nil {
			return err
		}
	}
	return nil
}

// failed reports whether the report has a verdict of --fail-on. With --since or --baseline, only a
// new failure counts.
func (k *checker) failed(r *check.Report) (bool, error) {
	if !k.options.isCompared() {
		return r.Failed(), nil
	}
	return report.FailedNow(report.Since(r, k.dead))
}

// write writes the report in each format that the options ask for, the annotations for GitHub
// Actions, and the file of --since. Text goes to stdout unless another format does.
func (k *checker) write(full *check.Report) error {
	full = report.InFolder(full, folderURL(k.Env))
	o, shown := k.options, full
	if o.isCompared() {
		shown = report.Since(full, k.dead)
	}
	every := shown // JUnit also has test cases for good links
	if !o.All {
		every = report.Without(every, check.Excluded)
		shown, full = report.Notable(every), report.Notable(full)
	}
	var err error
	switch {
	case o.JSON && o.Shard.Count > 0:
		err = report.WritePart(k.Out, shown, report.Part{Number: o.Shard.Part, Of: o.Shard.Count, IsWhole: o.All, IsIncomplete: k.isIncomplete})
	case o.JSON:
		err = report.JSON(k.Out, shown)
	case len(o.onStdout()) > 0: // that report is written below
	default:
		text := report.Text
		if o.AllPlaces {
			text = report.FullText
		}
		if err = text(k.Out, shown); err == nil {
			err = k.Line(shown.Summary())
		}
	}
	if err != nil {
		return err
	}
	if err := k.annotate(shown); err != nil {
		return err
	}
	for _, file := range []struct {
		name   string
		format func(io.Writer, *check.Report) error
		report *check.Report
	}{
		{o.JUnit, report.JUnit, every},
		{o.SARIF, report.SARIF, shown},
		{o.HTML, report.HTML, shown},
		{o.Markdown, report.Markdown, shown},
		{o.Since, report.JSON, full}, // written last, because after it every link is known
	} {
		var err error
		switch file.name {
		case "":
		case "-":
			err = file.format(k.Out, file.report)
		default:
			err = k.SaveAs(file.name, func(w io.Writer) error { return file.format(w, file.report) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// annotate writes the annotations that GitHub Actions shows beside the files. They go to stderr, so
// that stdout has the report alone. Outside GitHub Actions, annotate does nothing.
func (k *checker) annotate(shown *check.Report) error {
	if k.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	if err := k.Out.Flush(); err != nil {
		return err
	}
	w := bufio.NewWriter(k.Stderr)
	return cmp.Or(report.Annotations(w, shown), w.Flush())
}

// readDead returns the links that were dead in an earlier run, from the file of --since or
// --baseline. If the file of --since does not exist yet, the list is empty.
func readDead(e *cli.Env, o Options) ([]string, error) {
	name := cmp.Or(o.Since, o.Baseline)
	f, err := e.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Given["since"]:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &cli.Hinted{Err: cli.FileError("--baseline", err), Hint: "locus check --json … > FILE writes it"}
	case err != nil:
		return nil, cli.FileError(o.Given.First("since", "baseline"), err)
	}
	defer f.Close()
	dead, err := report.ReadDead(f, folderURL(e))
	if err != nil {
		return nil, &cli.UsageError{Text: fmt.Sprintf("read %q: %v", name, err), Hint: "--since and --baseline need a file that --since or --json wrote"}
	}
	return dead, nil
}

// folderURL returns the URL of the current folder, which ends in "/"; the zero URL if no file URL can name the folder.
func folderURL(e *cli.Env) url.URL {
	folder, _ := e.FileURL(".").JoinPath("") // the zero URL has no path, and JoinPath returns it
	return folder
}
