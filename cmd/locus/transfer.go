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

// A fetcher downloads into files as the flags say.
type fetcher struct {
	*process
	opener   access.Engine
	options  transfer.Options
	jobs     int
	timeout  time.Duration
	reporter *reporter
	login    loginFunc
}

func (p *process) fetcher(c *cli.Command, client *locus.Client) (*fetcher, error) {
	f := &fetcher{process: p, opener: client, jobs: 4, timeout: c.Duration("timeout"), reporter: p.newReporter(c.Bool("json"))}
	f.login = p.logins.login(f.reporter.asking(p.passwordPrompt()))
	f.options = transfer.Options{Continue: c.Bool("continue"), Sync: c.Bool("sync"), Event: f.reporter.event}
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
	r.Retries, err = retriesOf(c)
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

// parseSize reads a number of bytes greater than 0, such as 500, 64K or 1.5M.
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
		return 0, misuse("--%s wants a number of bytes, such as 500K or 1.5M, not %q", flag, text)
	}
	return int64(n * unit), nil
}

// A download is a URL and the file for it.
type download struct {
	url    url.URL
	root   *os.Root
	name   string
	digest transfer.Digest
	err    error // why it cannot begin
}

// fetchAll downloads files, several at once. It reports errors, and continues.
func (f *fetcher) fetchAll(ctx context.Context, next func(yield func(download) bool)) error {
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	defer f.reporter.close()
	var (
		all    sync.WaitGroup
		mu     sync.Mutex
		failed bool
		parts  bool // a partial file is left
	)
	begun, turns := make(chan struct{}, 2*f.jobs), make(chan struct{}, f.jobs)
	next(func(w download) bool {
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
				f.reporter.report(err)
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
		return &hinted{errInterrupted, resumeHint}
	case ctx.Err() != nil:
		return errInterrupted
	case failed:
		return errReported
	}
	return nil
}

// fetch downloads a file. It calls leave as soon as the next download may begin.
func (f *fetcher) fetch(ctx context.Context, w download, leave func()) error {
	if w.err != nil {
		f.reporter.event(transfer.Event{Kind: transfer.Failed, URL: w.url, Size: -1, Err: w.err})
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
		return &hinted{err, resumeHint}
	}
	return err
}

const resumeHint = "--continue resumes it"

// hasPart reports whether there is a partial file to resume.
func hasPart(w download) bool {
	_, err := w.root.Lstat(w.name + ".part")
	return err == nil
}

// folderOf returns the folder of a file, and its name there. ok is false if the file
// exists and is not regular, such as a device.
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
