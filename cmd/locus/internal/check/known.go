package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/cli"
)

// loadKnown reads the good results of earlier runs that are younger than --max-age, and makes k use
// them, so that these links are not checked again. A page with a link that --since or --baseline
// calls dead is checked in any case. Without --max-age, loadKnown does nothing.
func (k *checker) loadKnown() error {
	if k.options.MaxAge == 0 {
		return nil
	}
	if k.state == "" {
		return &cli.UsageError{Text: "there is no user folder for state", Hint: "name a folder with --state DIR"}
	}
	f, err := k.Open(k.knownFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.known = new(report.Known)
	case err != nil:
		return err
	default:
		defer f.Close()
		if k.known, err = report.ReadKnown(f, time.Now().Add(-k.options.MaxAge)); err != nil {
			return err
		}
	}
	failed := make(map[string]bool) // from the file of --since
	for _, link := range k.dead {
		page, _, _ := strings.Cut(link, "#")
		failed[page] = true
	}
	k.Known = func(u string) (check.Result, bool) {
		page, _, _ := strings.Cut(u, "#")
		if failed[page] {
			return check.Result{}, false
		}
		return k.known.Get(u)
	}
	return nil
}

// knownFile returns the name of the file that keeps good results for later runs.
func (k *checker) knownFile() string { return filepath.Join(k.state, "checked.jsonl") }

// saveKnown writes the good results, of this run and of earlier ones, to knownFile.
func (k *checker) saveKnown() error {
	if err := os.MkdirAll(k.state, 0o700); err != nil {
		return err
	}
	return k.SaveAs(k.knownFile(), k.known.Write)
}
