package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"locus/check"
	"locus/url"
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

// knownResults are the good results of earlier runs, in a file.
type knownResults struct {
	file string
	mu   sync.Mutex
	all  map[string]check.Result
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
	k.known = &knownResults{file: filepath.Join(k.state, "checked.jsonl"), all: make(map[string]check.Result)}
	if err := k.known.read(time.Now().Add(-age)); err != nil {
		return err
	}
	k.Known = k.known.get
	return nil
}

// read reads the results that are not older than oldest. It skips invalid lines: their
// URLs are checked again.
func (k *knownResults) read(oldest time.Time) error {
	f, err := os.Open(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r check.Result
		if json.Unmarshal(lines.Bytes(), &r) == nil && r.Status == check.Good && !r.Time.Before(oldest) && !r.Time.After(time.Now()) {
			k.all[r.URL] = r
		}
	}
	return lines.Err()
}

func (k *knownResults) get(u string) (check.Result, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.all[u]
	return r, ok
}

// add adds a good result, unless its URL has a password.
func (k *knownResults) add(r check.Result) {
	if u, err := url.Parse(r.URL); err != nil || r.Status != check.Good || u.Redacted() != u.String() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all[r.URL] = r
}

func (k *knownResults) save() error {
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return err
	}
	return saveAs(k.file, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, r := range k.all {
			r.Known = false
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
}
