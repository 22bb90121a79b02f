package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"locus/check"
)

// stateDir returns the state folder of this command for the user; "" if there is none.
func stateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "locus")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "state", "locus")
	}
	return ""
}

// remember sets up --max-age.
func (k *linkChecker) remember(c *cli.Command) error {
	if !c.IsSet("max-age") {
		return nil
	}
	age, err := durationOf(c, "max-age")
	if err != nil {
		return err
	}
	if k.state == "" {
		return &usageError{text: "there is no state folder", hint: "--state DIR names one"}
	}
	if k.known, err = readKnown(k.knownFile(), age); err != nil {
		return err
	}
	k.Known = k.known.Get
	return nil
}

// knownFile returns the name of the file with the good results of earlier runs.
func (k *linkChecker) knownFile() string { return filepath.Join(k.state, "checked.jsonl") }

// readKnown reads the results that are not older than age. The file may not exist yet.
func readKnown(name string, age time.Duration) (*check.Known, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return new(check.Known), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return check.ReadKnown(f, time.Now().Add(-age))
}

// saveKnown writes the results to the file.
func (k *linkChecker) saveKnown() error {
	if err := os.MkdirAll(k.state, 0o700); err != nil {
		return err
	}
	return saveAs(k.knownFile(), k.known.Write)
}
