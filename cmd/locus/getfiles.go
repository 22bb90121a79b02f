package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/retry"
	"locus/transfer"
	"locus/url"
)

// checkGet rejects flags that exclude each other.
func checkGet(c *cli.Command, g *getter) error {
	recursive := c.Bool("recursive")
	files := g.file != "" || g.toName || c.IsSet("output-dir")
	switch {
	case recursive && (c.IsSet("output") || g.toName):
		return misuse("-r makes a folder: it goes with --output-dir, not with -o and -O")
	case c.IsSet("output-dir") && c.IsSet("output"):
		return misuse("-o and --output-dir exclude each other")
	case c.IsSet("sha256") && c.IsSet("checksum-file"):
		return misuse("--sha256 and --checksum-file exclude each other")
	case recursive && (c.IsSet("sha256") || c.IsSet("checksum-file")):
		return misuse("digests are not for -r")
	case !recursive && !files:
		for _, flag := range []string{"json", "continue", "sha256", "checksum-file", "split", "jobs", "sync"} {
			if c.IsSet(flag) {
				return &usageError{text: dashed(flag) + " is for files", hint: "-o FILE, -O and --output-dir DIR write into files"}
			}
		}
	}
	if !recursive {
		for name := range strings.FieldsSeq(treeFlags) {
			if c.IsSet(name) {
				return misuse("%s is for -r", dashed(name))
			}
		}
		return nil
	}
	for _, name := range []string{"offset", "search", "answer", "raw", "max-size"} {
		if c.IsSet(name) {
			return misuse("%s is not for -r", dashed(name))
		}
	}
	return nil
}

// retrying sets the limits of client, and returns an engine that retries, both as the
// flags of c say.
func retrying(c *cli.Command, client *locus.Client, note func(url.URL, error, time.Duration)) (access.Engine, error) {
	policy, err := retryPolicy(c)
	if err != nil {
		return nil, err
	}
	return retry.Engine{Engine: client, Policy: policy, Notify: note}, setLimits(c, client)
}

// note reports a retry, which may take a while.
func (p *process) note(_ url.URL, err error, wait time.Duration) {
	if p.quiet || isBrokenPipe(p.out.Flush()) {
		return
	}
	text := err.Error() + "; trying again"
	if wait = wait.Round(time.Second / 10); wait > 0 {
		text += fmt.Sprintf(" in %v", wait)
	}
	p.say(text)
}

// eachGiven calls do with each URL that was given, and a context with the timeout. It
// continues after errors.
func (p *process) eachGiven(ctx context.Context, c *cli.Command, timeout time.Duration, do func(context.Context, url.URL) error) error {
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	all, err := p.urls(ctx, c)
	if err != nil {
		return err
	}
	failed := false
	for one := range all {
		err := p.each(ctx, []string{""}, func(string) error {
			if one.err != nil {
				return one.err
			}
			ctx, cancel := deadline(ctx, timeout)
			defer cancel()
			err := do(ctx, one.url)
			if err != nil && ctx.Err() != nil {
				return &timeoutError{one.url, timeout, err}
			}
			return err
		})
		switch {
		case errors.Is(err, errReported):
			failed = true
		case err != nil:
			return err
		}
	}
	if failed {
		return errReported
	}
	return nil
}

// intoFiles reports whether each URL becomes a whole file. A part, the answer of a form,
// and the output to a device are written as they arrive.
func (g *getter) intoFiles() bool {
	if g.file == "" && !g.toName || g.offset > 0 || g.search.Present || len(g.answers) > 0 || g.maxSize == 0 {
		return false
	}
	info, err := os.Stat(g.file)
	return g.file == "" || err != nil || info.IsDir() || info.Mode().IsRegular()
}

// getFiles fetches URLs into files.
func (g *getter) getFiles(ctx context.Context, c *cli.Command) error {
	f, err := g.fetcher(c, g.opener)
	if err != nil {
		return err
	}
	if g.file != "" {
		f.jobs = 1 // there is one URL
	}
	if g.maxSize > 0 {
		f.options.MaxSize = g.maxSize
	}
	digests, err := g.digests(c)
	if err != nil {
		return err
	}
	all, err := g.urls(ctx, c)
	if err != nil {
		return err
	}
	root, base, err := g.folder(c)
	if err != nil {
		return err
	}
	defer root.Close()
	taken := make(map[string]bool)
	downloads := func(yield func(download) bool) {
		for one := range all {
			w := download{url: one.url, err: one.err, root: root, name: base}
			if w.err == nil && base == "" {
				w.name, w.err = fileName(one.url)
			}
			if w.err == nil && taken[w.name] {
				w.err = fmt.Errorf("%s: another URL is fetched into %q", one.url.Redacted(), w.name)
			}
			if w.err == nil {
				taken[w.name] = true
				w.digest, w.err = digests(w.name)
			}
			if !yield(w) {
				return
			}
		}
	}
	return f.fetchAll(ctx, downloads)
}

// folder returns the folder to write into, and the name in it if there is only one
// file.
func (g *getter) folder(c *cli.Command) (root *os.Root, base string, err error) {
	switch {
	case g.file != "":
		root, base, _, err = folderOf(g.file)
		return root, base, err
	case c.IsSet("output-dir"):
		dir := c.String("output-dir")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, "", err
		}
		root, err = os.OpenRoot(dir)
		return root, "", err
	}
	root, err = os.OpenRoot(".")
	return root, "", err
}

// digests returns a function that returns the digest that a file must have.
func (g *getter) digests(c *cli.Command) (func(name string) (transfer.Digest, error), error) {
	var same transfer.Digest
	if c.IsSet("sha256") {
		var err error
		if same, err = transfer.ParseDigest(c.String("sha256")); err != nil {
			return nil, misuse("--sha256: %v", err)
		}
	}
	if !c.IsSet("checksum-file") {
		return func(string) (transfer.Digest, error) { return same, nil }, nil
	}
	file := c.String("checksum-file")
	r, err := g.source(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	sums, err := transfer.ParseDigests(r)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", file, err)
	}
	return func(name string) (transfer.Digest, error) { return digestOf(sums, file, name) }, nil
}

// digestOf returns the digest of a file: that of its name, or of the only path that
// ends in its name.
func digestOf(sums map[string]transfer.Digest, file, name string) (transfer.Digest, error) {
	found, ok := sums[name]
	if ok {
		return found, nil
	}
	for path, d := range sums {
		if filepath.Base(path) != name {
			continue
		}
		if ok && d != found {
			return transfer.Digest{}, fmt.Errorf("%q has several digests for %q", file, name)
		}
		found, ok = d, true
	}
	if !ok {
		return transfer.Digest{}, fmt.Errorf("%q has no digest for %q", file, name)
	}
	return found, nil
}

// getTrees copies everything below URLs into folders.
func (p *process) getTrees(ctx context.Context, c *cli.Command) error {
	m, err := p.mirrorer(c)
	if err != nil {
		return err
	}
	defer m.reporter.close()
	return p.eachGiven(ctx, c, 0, func(ctx context.Context, u url.URL) error {
		name, err := treeName(u)
		if err != nil {
			return err
		}
		return m.mirror(ctx, u, filepath.Join(c.String("output-dir"), name))
	})
}
