package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// remember obeys --max-age: it reads the good results of earlier runs.
func (k *checker) remember() error {
	if k.options.MaxAge == 0 {
		return nil
	}
	if k.state == "" {
		return &cli.UsageError{Text: "there is no state folder", Hint: "--state DIR names one"}
	}
	f, err := k.Open(k.knownFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.known = new(check.Known)
	case err != nil:
		return err
	default:
		defer f.Close()
		if k.known, err = check.ReadKnown(f, time.Now().Add(-k.options.MaxAge)); err != nil {
			return err
		}
	}
	k.Known = k.known.Get
	return nil
}

// knownFile returns the name of the file with the good results of earlier runs.
func (k *checker) knownFile() string { return filepath.Join(k.state, "checked.jsonl") }

// saveKnown writes the good results to the file.
func (k *checker) saveKnown() error {
	if err := os.MkdirAll(k.state, 0o700); err != nil {
		return err
	}
	return k.SaveAs(k.knownFile(), k.known.Write)
}
