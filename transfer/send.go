package transfer

import (
	"context"
	"os"

	"locus/access"
	"locus/transfer/internal/sync"
	"locus/url"
)

// A Place is the root of a tree, and the Engine that opens it. The scheme of URL is file,
// ftp, ftps, http or https, and URL names a directory, whether or not it ends in "/".
type Place struct {
	Engine access.Engine
	URL    url.URL

	// Shown is the URL of the root in events and for the manifest, if URL is not what
	// people call it: that of a folder that Engine has as its root. Zero: URL. Two places
	// with the same Shown are the same.
	Shown url.URL
}

// SendOptions say what Send sends. The zero SendOptions send everything that is new or
// has changed.
type SendOptions struct {
	TreeOptions

	// Replace replaces files that were changed at the target after the last change of the
	// source, and not by an earlier Send. Otherwise they are reported and stay.
	Replace bool

	// Permissions gives each file the permissions that it has in a file tree. Other
	// sources have none.
	Permissions bool

	// SkipLinks skips symbolic links. Otherwise a link to a file is sent as that file.
	// Links to directories are never followed.
	SkipLinks bool

	// Manifest is the file that remembers what was sent, for servers that do not store
	// the time of a file; the zero Manifest remembers nothing.
	Manifest Manifest
}

// A Manifest is where Send remembers what it has sent: one file for each target. It is
// never sent. The zero Manifest is none.
type Manifest struct {
	Dir  *os.Root // the folder of the file
	Name string   // of the file in Dir; "": a name made of the URL of the target
}

// Send copies everything below from to the directory to, which it makes if there is
// none. A file is sent if it is missing, or if its size or time differs. See
// doc/deploy.md for what is compared where a server does not store times.
//
// Each file is stored by one Put, so it appears under its name when it is complete, as
// far as the engine promises that. A file that changes while it is read is not stored.
// An interrupted Send is resumed by the same call: files that were sent are not sent
// again.
//
// No name leads out of to: names that have a slash, or mean another directory, fail.
//
// The error is that of ctx, or says that nothing could be sent at all, or that the trees
// are too large, or wraps [ErrOverlap]. Then nothing is deleted. Failures of single files and directories are
// sent to SendOptions.Event and counted in the report.
func Send(ctx context.Context, from, to Place, opts SendOptions) (Report, error) {
	report, err := sync.Send(ctx, sync.End(from), sync.End(to), sync.SendOptions{Options: opts.sync(), Sending: sync.Sending{
		Replace: opts.Replace, Permissions: opts.Permissions, SkipLinks: opts.SkipLinks, Manifest: sync.Manifest(opts.Manifest),
	}})
	return Report(report), err
}
