package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/limit"
	"locus/retry"
	"locus/transfer"
	"locus/url"
)

// A fetcher fetches into files as the flags say.
type fetcher struct {
	*process
	opener  access.Engine
	options transfer.Options
	jobs    int
	timeout time.Duration
	teller  *teller
	login   loginFunc
}

func (p *process) fetcher(c *cli.Command, client *locus.Client) (*fetcher, error) {
	f := &fetcher{process: p, opener: client, jobs: 4, timeout: c.Duration("timeout"), teller: p.newTeller(c.Bool("json"))}
	f.login = p.logins.login(f.teller.asking(p.passwordPrompt()))
	f.options = transfer.Options{Continue: c.Bool("continue"), Sync: c.Bool("sync"), Event: f.teller.event}
	var err error
	if f.options.Retry, err = retryPolicy(c); err != nil {
		return nil, err
	}
	if err = setLimits(c, client); err != nil {
		return nil, err
	}
	if f.jobs, err = countOf(c, "jobs", f.jobs); err != nil {
		return nil, err
	}
	f.options.Split, err = countOf(c, "split", 1)
	return f, err
}

func retryPolicy(c *cli.Command) (retry.Policy, error) {
	var r retry.Policy
	var err error
	if r.Time, err = durationOf(c, "retry-time"); err != nil {
		return r, err
	}
	if r.Wait, err = durationOf(c, "retry-wait"); err != nil {
		return r, err
	}
	r.Tries, err = retriesOf(c)
	return r, err
}

// setLimits gives a client the limits that the flags set.
func setLimits(c *cli.Command, client *locus.Client) error {
	connections, err := perHost(c)
	if err != nil {
		return err
	}
	client.Limiter = &limit.Limiter{PerServer: connections}
	if !c.IsSet("limit-rate") {
		return nil
	}
	rate, err := parseSize("limit-rate", c.String("limit-rate"))
	client.Rate = &limit.Rate{PerSecond: rate}
	return err
}

// parseSize reads a number of octets greater than 0, such as 500, 64K or 1.5M.
func parseSize(flag, text string) (int64, error) {
	digits, unit := strings.TrimRight(text, "KMGkmg"), float64(1)
	switch strings.ToUpper(text[len(digits):]) {
	case "":
	case "K":
		unit = 1 << 10
	case "M":
		unit = 1 << 20
	case "G":
		unit = 1 << 30
	default:
		digits = ""
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n*unit >= 1 && n*unit <= 1<<60) {
		return 0, misuse("--%s wants a number of octets, such as 500K or 1.5M, not %q", flag, text)
	}
	return int64(n * unit), nil
}

// An aim is a URL and the file that it is to be fetched into.
type aim struct {
	url    url.URL
	root   *os.Root
	name   string
	digest transfer.Digest
	err    error // why it cannot be
}

// fetchAll fetches files, several at once, reports errors, and goes on after
// them.
func (f *fetcher) fetchAll(ctx context.Context, next func(yield func(aim) bool)) error {
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	defer f.teller.close()
	var (
		all    sync.WaitGroup
		mu     sync.Mutex
		failed bool
		parts  bool // are left, to be gone on with
	)
	begun, turns := make(chan struct{}, 2*f.jobs), make(chan struct{}, f.jobs)
	next(func(w aim) bool {
		begun <- struct{}{}
		turns <- struct{}{}
		leave := sync.OnceFunc(func() { <-turns })
		all.Go(func() {
			defer func() { <-begun }()
			defer leave()
			err := f.fetch(ctx, w, leave)
			if err == nil {
				return
			}
			if ctx.Err() == nil {
				f.teller.report(err)
			}
			mu.Lock()
			defer mu.Unlock()
			failed = true
			parts = parts || w.err == nil && hasPart(w)
		})
		return ctx.Err() == nil
	})
	all.Wait()
	switch {
	case ctx.Err() != nil && parts:
		return &hinted{errInterrupted, goOnByFlag}
	case ctx.Err() != nil:
		return errInterrupted
	case failed:
		return errReported
	}
	return nil
}

// fetch fetches a file, and calls leave when the next one may begin, or returns.
func (f *fetcher) fetch(ctx context.Context, w aim, leave func()) error {
	if w.err != nil {
		f.teller.event(transfer.Event{Kind: transfer.Failed, URL: w.url, Size: -1, Err: w.err})
		return w.err
	}
	ctx, cancel := deadline(ctx, f.timeout)
	defer cancel()
	options := f.options
	options.Digest, options.Received = w.digest, leave
	req := &access.Request{URL: w.url, Login: f.login}
	_, err := transfer.Get(ctx, f.opener, req, w.root, w.name, options)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &timeoutError{w.url, f.timeout, err}
	case hintFor(err) != "":
		return err
	}
	if hasPart(w) {
		return &hinted{err, goOnByFlag}
	}
	return err
}

const goOnByFlag = "--continue goes on where it ended"

// hasPart reports whether a part of a file is there to be gone on with.
func hasPart(w aim) bool {
	_, err := w.root.Lstat(w.name + ".part")
	return err == nil
}

// folderOf returns the folder and the name in it for a file. ok is false if what is
// there is no regular file, such as a device.
func folderOf(name string) (root *os.Root, base string, ok bool, err error) {
	switch info, err := os.Stat(name); {
	case err != nil:
	case info.IsDir():
		return nil, "", true, fmt.Errorf("write %q: it is a directory", name)
	case !info.Mode().IsRegular():
		return nil, "", false, nil
	default:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, "", true, err
		}
	}
	root, err = os.OpenRoot(filepath.Dir(name))
	return root, filepath.Base(name), true, err
}
