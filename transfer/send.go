package transfer

import (
	"context"
	"os"

	"locus/access"
	"locus/transfer/internal/sync"
	"locus/url"
)

// An Endpoint is the root of a tree, and the Engine that opens it. The scheme of URL is file,
// ftp, ftps, http or https, and URL names a directory, whether or not it ends in "/".
type Endpoint struct {
	Engine access.Engine
	URL    url.URL

	// Shown is the URL of the root in events and for the manifest, if people know the root by
	// another URL. For a folder that is the root of Engine, it is the URL of that folder. The zero
	// URL means URL. Two endpoints with the same Shown are the same.
	Shown url.URL
}

// SendOptions choose the files to send. The zero SendOptions send all files that are new or have
// changed.
type SendOptions struct {
	TreeOptions

	// Replace replaces files that were changed at the target after the last change of the
	// source, and not by an earlier Send. Otherwise they are reported and stay.
	Replace bool

	// Permissions gives each file the permissions that it has in a file tree. Other sources do not
	// give permissions.
	Permissions bool

	// SkipLinks skips symbolic links. Otherwise a link to a file is sent as that file.
	// Links to directories are never followed.
	SkipLinks bool

	// Manifest is the file that records the files that were sent. It is for servers that do not
	// store the time of a file. With the zero Manifest, Send records no files.
	Manifest Manifest
}

// A Manifest is the file in which Send records the files that it has sent to one target. The file
// itself is never sent. With the zero Manifest, Send records no files.
type Manifest struct {
	Dir  *os.Root // the folder of the file
	Name string   // of the file in Dir; "": a name made of the URL of the target
}

// Send copies everything at and below the source from into the directory to, which it makes if it
// does not exist. A file is sent if it is missing, or if its size or time differs. See
// doc/deploy.md for servers that do not store times.
//
// Each file is stored by one Put, so it appears under its name when it is complete, as far as the
// engine promises that. A file that changes while it is read is not stored. An interrupted Send is
// resumed by the same call: files that were sent are not sent again.
//
// A name cannot lead out of the target: a name that has a slash, or means another directory, fails.
//
// Send returns the error of ctx, or an error if it cannot send anything or if the trees are too
// large, or an [ErrOverlap]. Then it deletes no files. Failures of single files and directories are
// sent to SendOptions.Event and counted in the report.
func Send(ctx context.Context, from, to Endpoint, opts SendOptions) (Report, error) {
	report, err := sync.Send(ctx, sync.Endpoint(from), sync.Endpoint(to), sync.SendOptions{Options: opts.sync(), Sending: sync.Sending{
		Replace: opts.Replace, Permissions: opts.Permissions, SkipLinks: opts.SkipLinks, Manifest: sync.Manifest(opts.Manifest),
	}})
	return Report(report), err
}
