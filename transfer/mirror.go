package transfer

import (
	"context"
	"net/netip"
	"os"

	"locus/access"
	"locus/internal/glob"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/sync"
	"locus/url"
)

// MirrorOptions choose the files of a mirror. Only Delete, MaxDelete and DeleteNone remove files.
type MirrorOptions struct {
	TreeOptions

	// How each file is fetched.

	// Split is Options.Split for each file; 0: 1, negative: 1.
	Split int

	// SplitSize is Options.SplitSize for each file; 0: 4 MiB, negative: 4 MiB.
	SplitSize int64

	// MaxSize is Options.MaxSize for each file; 0: the default, no limit, negative: no limit.
	MaxSize int64

	// Sync is Options.Sync for each file.
	Sync bool

	// The files, and their form.

	// Level is how many levels below the root are mirrored; 0: the default, no limit,
	// negative: no limit. Level 1 is the
	// files of the root, or the pages that the first page links to.
	Level int

	// Listings keeps the directory pages that web servers generate, as index.html.
	// Otherwise they are only read for their links. If such a page lists a file of that
	// name, the file is fetched, and the page is not kept.
	Listings bool

	// IgnoreRobots follows links that robots.txt disallows for all programs or for
	// "locus". Otherwise Mirror skips them. If robots.txt cannot be fetched, it
	// skips all links (RFC 9309 §2.3.1). The URL of the mirror is always fetched.
	IgnoreRobots bool

	// Parts also fetches the files that pages load, from anywhere on their server and at any Level:
	// style sheets and the files that those load, images, scripts, fonts, media, frames. Files from
	// outside of the directory are in the local directory "_outside".
	Parts bool

	// OtherHosts are patterns of other hosts, such as "*.example.net". Parts may come from them,
	// and so may files to which directories of Prospero and documents of WAIS lead, and items of menus
	// of gopher whose selectors begin with the selector of the root, at any port. Without a
	// pattern, all files come from the server of the mirror. A host that a pattern with "*" matches
	// must have a public address, if the engine obeys Request.PublicOnly.
	OtherHosts []string

	// Lookup returns the addresses of a host. A name in a menu of gopher whose addresses include the one to which the
	// mirror is connected, with the same port, is another name of its server. Nil: a server has one name.
	// Leave it nil behind a proxy, because the connection then leads to the proxy.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Convert makes the copy readable from a folder. URLs of pages and style sheets
	// become relative if their target is in the copy, and absolute otherwise. Names get
	// the extension of their type. It implies Listings and Portable. The pages as they
	// were fetched are kept in ".locus-mirror/pages".
	Convert bool

	// Portable makes names that are valid on every system. Windows implies it.
	Portable bool

	// How much.

	// MaxFiles is how many files the copy may have; 0: DefaultMaxFiles, negative: no limit
	// but MaxEntries. If there are more, Mirror fails with ErrTooManyFiles.
	MaxFiles int

	// MaxTotal is how many bytes all files of the copy may have, including the files that are up to
	// date; negative: no limit. 0: the fetched files may have nine tenths of the disk's free space,
	// where the system tells it (Linux, macOS). If they have more, Mirror fails with
	// ErrTooManyBytes.
	MaxTotal int64
}

// DefaultMaxFiles is MirrorOptions.MaxFiles if that is 0.
const DefaultMaxFiles = sync.DefaultMaxFiles

// Mirror copies everything below u into root:
//
//   - ftp and file: the directory and its directories
//   - http: the pages and files in the directory of u that links lead to. If the server refuses GET of u and
//     lists it by WebDAV, all files in that listing and the listings below it
//   - gopher: the items whose selectors begin with that of the menu
//   - prospero: the directory and its directories at the same server
//   - wais: the documents in the catalog of a database, or those that a search finds
//
// It fetches only new and changed files. It compares size and modification time, or
// the ETag if the server gives no time. It sets the modification times of files and
// directories. It does not follow symbolic links to directories. Where a
// server shows one as a directory, it does not follow it to a directory above.
//
// Local names are made safe, see doc/transfer.md. If two URLs have the same local name, the second
// one fails. Mirror does not write through a symbolic link. Incomplete files are in the directory
// ".locus-mirror" below root, which is removed at the end. A Mirror that was interrupted at any
// moment is resumed by the same call. A second Mirror into the same root fails with [ErrBusy]. If
// the file system does not support locks, both run, and the files are still right.
//
// Mirror needs about 20 MB of memory for any number of entries. The rest is in temporary files,
// without names if the system allows that.
//
// Mirror returns the error of ctx, or an error if it cannot copy anything, if all links lead to other servers, or if the tree is too
// large. Then it keeps all local files. Failures of single files and directories are sent to
// MirrorOptions.Event and counted in the Report.
func Mirror(ctx context.Context, engine access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	return mirrorWithin(ctx, spill.UsualBounds(), engine, u, root, opts)
}

// mirrorWithin is like Mirror, but keeps its collections within the given memory bounds.
func mirrorWithin(ctx context.Context, bounds spill.Bounds, engine access.Engine, u url.URL, root *os.Root, opts MirrorOptions) (Report, error) {
	o := sync.MirrorOptions{Options: opts.sync(), Mirroring: sync.Mirroring{
		File:  fetch.Options{Split: opts.Split, SplitSize: opts.SplitSize, MaxSize: opts.MaxSize, Sync: opts.Sync},
		Level: opts.Level, Listings: opts.Listings, IgnoreRobots: opts.IgnoreRobots,
		Parts: opts.Parts, OtherHosts: opts.OtherHosts, Lookup: opts.Lookup, Convert: opts.Convert, Portable: opts.Portable,
		MaxFiles: opts.MaxFiles, MaxTotal: opts.MaxTotal,
	}}
	o.Bounds = bounds
	report, err := sync.Mirror(ctx, engine, u, root, o)
	return Report(report), err
}

// CheckOverlap returns an error that wraps ErrOverlap if a Mirror of the folder source into the folder target would
// copy a folder into itself or, with Delete, remove the source. Both are file URLs without symbolic links. A folder
// that opts.Filter excludes is safe.
func (opts MirrorOptions) CheckOverlap(source, target url.URL) error {
	return sync.CheckOverlap(source, target, glob.Filter(opts.Filter), opts.Delete)
}
