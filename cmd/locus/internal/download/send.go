package download

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/proto/file"
	"locus/scheme"
	"locus/transfer"
	"locus/url"
)

// IsURL reports whether an argument is a URL and not the name of a folder: it begins with a known
// scheme, or contains "://".
func IsURL(arg string) bool {
	name, _, found := strings.Cut(arg, ":")
	_, known := scheme.Lookup(strings.ToLower(name))
	return found && (known && len(name) > 1 || strings.Contains(arg, "://"))
}

// SendOptions are the flags for sending a tree.
type SendOptions struct {
	cli.Deploy
	cli.Sharded
	Delete     bool
	DryRun     bool
	MaxEntries int
	Filter     cli.Filter
}

// Send copies everything below from, a folder or a URL, to the directory at the URL to. It reports
// files that fail, and files that it does not send because they are newer at the target, and then
// returns ErrReported. A pattern of o that is invalid is a UsageError.
func (f *Fetcher) Send(ctx context.Context, from, to string, o SendOptions) error {
	defer f.reporter.close()
	options := transfer.SendOptions{
		TreeOptions: f.treeOptions(o.Divide(o.Filter.Files()), o.Delete, o.MaxDelete),
		Replace:     o.ReplaceNewer, Permissions: o.Permissions, SkipLinks: o.SkipLinks,
	}
	options.DryRun, options.MaxEntries = o.DryRun, o.MaxEntries
	if err := options.Filter.Check(); err != nil {
		return cli.Misuse("%v", err)
	}
	options.Event = func(e transfer.Event) {
		f.treeEvent(ctx, e, "put")
		if e.Kind == transfer.Skipped && errors.Is(e.Err, transfer.ErrNewer) {
			f.reporter.report(fmt.Errorf("%s: %w", e.URL.Redacted(), e.Err))
		}
	}
	source, closeSource, err := f.endpoint(from, true)
	if err != nil {
		return err
	}
	defer closeSource()
	target, closeTarget, err := f.endpoint(to, false)
	if err != nil {
		return err
	}
	defer closeTarget()
	manifest, closeManifest, err := f.manifest(o.Manifest, o.DryRun)
	if err != nil {
		return err
	}
	defer closeManifest()
	options.Manifest = manifest
	spool, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return err
	}
	defer spool.Close()
	options.TempDir = spool
	report, err := transfer.Send(ctx, source, target, options)
	if report.Newer > 0 && ctx.Err() == nil {
		f.reporter.report(&cli.Hinted{Err: fmt.Errorf("files that are newer at the target, and were not sent: %d", report.Newer), Hint: "--replace-newer sends them, too"})
	}
	err = f.result(ctx, err, ended{o.DryRun, report.Failed, report.NotDeleted, report.Summary(o.DryRun, "sent", "to send")})
	if report.Newer > 0 && err == nil {
		return cli.ErrReported
	}
	return err
}

// endpoint returns the source or the target of a copy: a URL or, for the source, also a folder of
// this machine. A folder is opened as a root, so that no symbolic link leads out of it. The caller
// calls done at the end; it is never nil.
func (f *Fetcher) endpoint(arg string, isSource bool) (p transfer.Endpoint, done func(), err error) {
	done = func() {}
	folder := arg
	if IsURL(arg) {
		u, err := url.Parse(arg)
		if err != nil {
			return p, done, cli.Explain(err)
		}
		p = transfer.Endpoint{Engine: f.timed(), URL: u}
		if folder = file.PathOf(u); folder == "" {
			return p, done, nil
		}
	} else if !isSource {
		return p, done, fmt.Errorf("%q is not a URL", arg)
	}
	full, err := f.env.Abs(folder)
	if err != nil {
		return p, done, err
	}
	shown := f.env.FileURL(file.RealPath(full))
	root, err := f.env.OpenRoot(folder)
	if !isSource && errors.Is(err, fs.ErrNotExist) { // a file that does not exist yet contains no symbolic links
		p.Shown = shown
		return p, done, nil
	}
	if err != nil {
		return p, done, err
	}
	p = transfer.Endpoint{Engine: file.System{Root: root}, URL: url.MustParse("file:///"), Shown: shown}
	return p, func() { root.Close() }, nil
}

// manifest opens the manifest that remembers which files were sent: the file name of --manifest,
// or, if name is "", a file in the user's folder for state. The caller calls done at the end; it is
// never nil.
//
// The error says that the folder of --manifest cannot be opened. The user's folder for state causes
// no error: if it is unknown or cannot be opened, the Manifest is empty, and the next copy cannot
// use it. manifest creates this folder, except in a dry run, and reports a failure to the user.
func (f *Fetcher) manifest(name string, dryRun bool) (m transfer.Manifest, done func(), err error) {
	done = func() {}
	var dir string
	switch {
	case name != "":
		dir, m.Name = filepath.Dir(f.env.Path(name)), filepath.Base(name)
	case f.env.StateDir() != "":
		dir = filepath.Join(f.env.StateDir(), "sent")
	default:
		return m, done, nil
	}
	if name == "" && !dryRun {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			f.reporter.report(fmt.Errorf("the list of sent files was not saved: %w", err))
			return m, done, nil
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil && name == "" {
		return transfer.Manifest{}, done, nil // no earlier run has sent files
	}
	if err != nil {
		return m, done, err
	}
	m.Dir = root
	return m, func() { root.Close() }, nil
}
