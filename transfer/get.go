package transfer

import (
	"context"
	"os"
	"time"

	"locus/access"
	"locus/retry"
	"locus/transfer/internal/fetch"
	"locus/url"
)

// Options say how a file is fetched. The zero Options fetch the whole file, in one request,
// and retry after transient failures.
type Options struct {
	// Retry says how often and after how long a transient failure is retried.
	Retry retry.Policy

	// Continue resumes the part of an earlier run if the resource is proved to be
	// the same, and starts again otherwise. A complete file with the size and the
	// modification time of the resource is not fetched again.
	Continue bool

	// Split is how many ranges of one file are fetched at once; 0: 1, negative: 1. It needs a
	// server that supports ranges, and a large resource of known size with a validator, which shows
	// that all ranges are of one version.
	Split int

	// SplitSize is the size of the smallest range; 0: 4 MiB, negative: 4 MiB.
	SplitSize int64

	// MaxSize is how many bytes a file may have; 0: the default, no limit, negative: no
	// limit.
	MaxSize int64

	// Digest is the digest that the file must have; the zero Digest accepts every file. The digests
	// that a web server sends in Repr-Digest or Digest are verified, too.
	Digest Digest

	// Size is how many bytes the file must have; 0: any number.
	Size int64

	// Sync flushes every file to the disk before it gets its name. Without it only
	// files that took more than five seconds are flushed, and a power cut may lose
	// the others.
	Sync bool

	// Received, if not nil, is called once all bytes are here, before the file is verified and
	// renamed. This transfer does not need the server any more then, so the next one can begin. A
	// Mirror has its own.
	Received func()

	// Event, if not nil, receives the events, one call at a time. The transfer
	// waits for it.
	Event func(Event)
}

// A Result describes a file that Get has fetched.
type Result struct {
	URL     url.URL   // where the resource was found
	Name    string    // of the file, below the root
	Size    int64     // in bytes
	ModTime time.Time // of the resource; zero if unknown
	Resumed int64     // how many bytes an earlier run had fetched
	Skipped bool      // the file was up to date and not fetched
	Linked  Linked    // other places of the file, also after an error
}

// Linked has the other places of a file that web servers name in Link header fields (RFC 6249). Use
// such a place only if the file has a Digest, because strangers wrote the fields.
type Linked struct {
	Mirrors  []url.URL // where the same file is (rel=duplicate), the best first
	Metalink url.URL   // a Metalink 4 document that describes the file; the zero URL: unknown
	Digest   Digest    // the strongest digest that the servers name; the zero Digest: unknown
}

// The errors of a file. An error that is ErrDiskFull is ErrLocal, too.
var (
	// ErrUpToDate says that a file was not fetched because the local one is complete and
	// the same.
	ErrUpToDate = fetch.ErrUpToDate

	// ErrBusy says that another Get, perhaps in another process, is writing the same
	// file, or another Mirror the same folder.
	ErrBusy = fetch.ErrBusy

	// ErrLocal says that a file could not be written on this machine. It would be the same for any
	// other URL of the resource.
	ErrLocal = fetch.ErrLocal

	// ErrDiskFull says that a disk of this machine is full.
	ErrDiskFull = fetch.ErrDiskFull

	// ErrDigest says that a file does not have its digest.
	ErrDigest = fetch.ErrDigest
)

// Get fetches the resource that req names into the named file below root. It writes the bytes into
// name.part, and the state that a later Get needs into name.part.json. Once the part is complete
// and verified, it replaces the file. The file gets the modification time of the resource. If
// Options.Continue finds the file up to date, Get leaves it, sets Result.Skipped and returns a nil
// error.
//
// After a failure the part stays if Options.Continue can resume it, and is removed otherwise. While
// one Get writes a file, another one for the same name, in any process, fails with [ErrBusy]. The
// directories in name must exist. Get does not write through a symbolic link, but those directories
// may be links below root.
//
// It uses URL, Login, Known and Client of req. It returns an error if root is nil, and an
// [ErrLocal] if the file cannot be written. Several goroutines may call Get with one engine if they
// may share it.
func Get(ctx context.Context, engine access.Engine, req *access.Request, root *os.Root, name string, opts Options) (Result, error) {
	r, err := fetch.Get(ctx, engine, req, root, name, opts.fetch())
	return Result{
		URL: r.URL, Name: r.Name, Size: r.Size, ModTime: r.ModTime, Resumed: r.Resumed, Skipped: r.Skipped,
		Linked: Linked{r.Linked.Mirrors, r.Linked.Metalink, Digest{r.Linked.Digest}},
	}, err
}

// fetch returns o as options of package fetch.
func (o Options) fetch() fetch.Options {
	return fetch.Options{
		Retry: o.Retry, Continue: o.Continue, Split: o.Split, SplitSize: o.SplitSize, MaxSize: o.MaxSize,
		Digest: o.Digest.is, Size: o.Size, Sync: o.Sync, Received: o.Received, Event: listener(o.Event),
	}
}
