package get

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/download"
	"locus/transfer"
	"locus/url"
)

// intoFiles reports whether each URL becomes a whole file, which gets its name when it is complete.
// Parts of files, answers of forms, and output to a device are written as they arrive instead.
func (g *getter) intoFiles() bool {
	switch {
	case g.MARCXML || g.Offset > 0 || g.Search != nil || len(g.answers) > 0 || g.MaxSize != nil && *g.MaxSize == 0:
		return false
	case g.file == "":
		return g.hasRemoteNames()
	}
	info, err := g.Stat(g.file)
	return err != nil || info.IsDir() || info.Mode().IsRegular()
}

// getFiles fetches URLs into files. If two URLs have the same file name, the second is an error.
func (g *getter) getFiles(ctx context.Context, urls iter.Seq[given]) error {
	f := g.fetcher()
	if g.file != "" {
		f.Jobs = 1 // there is only one URL
	}
	digests, err := g.digests(ctx)
	if err != nil {
		return err
	}
	root, base, err := g.folder()
	if err != nil {
		return err
	}
	defer root.Close()
	return f.Fetch(ctx, root, func(yield func(download.File) bool) {
		taken := make(map[string]bool)
		for one := range urls {
			file := download.File{File: transfer.File{URL: one.url, Name: base}, Err: one.err}
			if file.Err == nil && base == "" {
				file.Name, file.Err = transfer.FileName(one.url)
			}
			if file.Err == nil && taken[file.Name] {
				file.Err = fmt.Errorf("%s: another URL is also saved as %q", one.url.Redacted(), file.Name)
			}
			if file.Err == nil {
				taken[file.Name] = true
				file.Digest, file.Err = digests(file.Name)
			}
			if !yield(file) {
				return
			}
		}
	})
}

// fetcher returns a Fetcher of single files, with the flags of get.
func (g *getter) fetcher() *download.Fetcher {
	f := download.New(g.Env, g.client, g.Files, g.Timeout)
	f.Options.Continue = g.Continue
	if g.MaxSize != nil {
		f.Options.MaxSize = *g.MaxSize
	}
	return f
}

// folder opens the folder to write into, and makes the folder of --output-dir if it is missing.
// base is the name of the file in the folder for --output, and otherwise "". The caller closes
// root.
func (g *getter) folder() (root *os.Root, base string, err error) {
	if g.file == "" {
		root, err = g.MakeRoot(cmp.Or(g.OutputDir, "."), 0o777)
		return root, "", err
	}
	info, err := g.Stat(g.file)
	switch {
	case err != nil:
		root, err = g.OpenRoot(filepath.Dir(g.file))
		return root, filepath.Base(g.file), err
	case info.IsDir():
		return nil, "", fmt.Errorf("write %q: it is a folder", g.file)
	}
	path, err := filepath.EvalSymlinks(g.Path(g.file))
	if err != nil {
		return nil, "", err
	}
	root, err = os.OpenRoot(filepath.Dir(path))
	return root, filepath.Base(path), err
}

// digests returns a function from the name of a file to the digest that the file must have: the
// digest of --sha256, or its digest in --checksum-file. Without these flags the digest is zero. A
// file that --checksum-file does not list is an error of the function.
func (g *getter) digests(ctx context.Context) (func(name string) (transfer.Digest, error), error) {
	if g.Given["sha256"] {
		same, err := transfer.ParseDigest(g.SHA256)
		if err != nil {
			return nil, cli.Misuse("--sha256: %v", err)
		}
		return func(string) (transfer.Digest, error) { return same, nil }, nil
	}
	if !g.Given["checksum-file"] {
		return func(string) (transfer.Digest, error) { return transfer.Digest{}, nil }, nil
	}
	r, err := g.OpenInput(ctx, g.ChecksumFile)
	if err != nil {
		return nil, fmt.Errorf("--checksum-file: %w", err)
	}
	defer r.Close()
	sums, err := transfer.ParseDigests(r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, cli.FileError("--checksum-file", fmt.Errorf("read %q: %w", g.ChecksumFile, err))
	}
	return func(name string) (transfer.Digest, error) {
		found, err := sums.Of(name)
		if err != nil {
			err = fmt.Errorf("%q has %w for %q", g.ChecksumFile, err, name)
		}
		return found, err
	}, nil
}

// getTrees copies everything below each URL into a folder named after the URL.
func (g *getter) getTrees(ctx context.Context, urls iter.Seq[given]) error {
	f := download.New(g.Env, g.client, g.Files, g.Timeout)
	if err := f.LimitSize(g.MaxSize); err != nil {
		return err
	}
	return g.each(ctx, urls, 0, func(ctx context.Context, u url.URL) error {
		name, err := transfer.FolderName(u)
		if err != nil {
			return err
		}
		return f.Mirror(ctx, u, filepath.Join(g.OutputDir, name), download.MirrorOptions{Tree: g.Tree})
	})
}
