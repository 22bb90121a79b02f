package transfer

import (
	"os"

	"locus/access"
	"locus/internal/glob"
	"locus/internal/spill"
	"locus/retry"
	"locus/transfer/internal/sync"
)

// TreeOptions are the options that [Mirror] and [Send] share. Zero means the documented default,
// and a negative value of a limit means no limit.
type TreeOptions struct {
	// Retry says how often and after how long a transient failure is retried.
	Retry retry.Policy

	// Event, if not nil, receives the events, one call at a time. The copy waits for it.
	Event func(Event)

	// Login is the Login of each [access.Request].
	Login access.Login

	// The files.

	// Filter chooses files and directories. A web page that does not match is still
	// read for its links, and not kept.
	Filter Filter

	// Delete removes files and directories of the target that are not in the source, unless
	// Filter.Exclude matches them. It keeps all files if the source could not be read completely or
	// is empty, because then a missing file may still exist. A Mirror needs Level 0 for it.
	Delete bool

	// MaxDelete is how many files and directories Delete may remove; 0: the default, no limit,
	// negative: no limit. If there are more, it keeps them all.
	MaxDelete int

	// DeleteNone is a MaxDelete of no file, because MaxDelete 0 means no limit. With it,
	// Report.NotDeleted says if there are files to remove.
	DeleteNone bool

	// DryRun reports changes without making them.
	DryRun bool

	// How much.

	// Jobs is how many files and directories are copied at once; 0: 4, negative: 1, because
	// a copy without a limit would open a connection for each file.
	Jobs int

	// MaxEntries is how many entries of listings and links of pages are read; 0: ten
	// million, negative: no limit. If there are more, the copy fails with ErrTooManyEntries.
	MaxEntries int

	// MaxTemp is the size of all temporary files in bytes; 0: 1 GiB, negative: no limit. A copy
	// of more than some hundred thousand entries needs them. If it needs more,
	// it fails with ErrTempFull.
	MaxTemp int64

	// TempDir is the folder of the temporary files; nil: the local root of a Mirror. A dry run
	// or a Send without one fails if it needs temporary files.
	TempDir *os.Root
}

// sync returns o as options of package sync.
func (o TreeOptions) sync() sync.Options {
	return sync.Options{
		Retry: o.Retry, Event: listener(o.Event), Login: o.Login, Filter: glob.Filter(o.Filter),
		Delete: o.Delete, MaxDelete: o.MaxDelete, DeleteNone: o.DeleteNone, DryRun: o.DryRun,
		Jobs: o.Jobs, MaxEntries: o.MaxEntries, MaxTemp: o.MaxTemp, TempDir: o.TempDir,
	}
}

// A Report counts the files of a [Mirror] or a [Send].
type Report struct {
	Files      int   // copied; in a dry run, to be copied
	Bytes      int64 // copied
	Skipped    int   // files that were up to date
	Newer      int   // files that Send left, because they are newer at the target
	Failed     int   // files and directories that could not be copied
	Disallowed int   // links that robots.txt disallows
	Converted  int   // pages and style sheets that were written with other URLs
	Missing    int   // files that pages load and that are not in the copy
	Omitted    int   // entries of listings that are not in the copy, and not failures
	Deleted    int   // files and directories removed; in a dry run, to be removed
	NotDeleted error // why Delete removed nothing; nil if it was free to

	MissingElsewhere int // the part of Missing at hosts that OtherHosts leaves out
	OmittedElsewhere int // the part of Omitted at servers that OtherHosts leaves out
}

// The errors of a tree. The first four belong to MaxEntries, MaxFiles, MaxTotal and MaxTemp.
var (
	ErrTooManyEntries = sync.ErrTooManyEntries
	ErrTooManyFiles   = sync.ErrTooManyFiles
	ErrTooManyBytes   = sync.ErrTooManyBytes
	ErrTempFull       = spill.ErrFull

	// ErrNoAnswer says that a copy ended because several files in a row failed without an answer
	// of their server: eight, or two for each job if that is more. The same call resumes the copy.
	ErrNoAnswer = sync.ErrNoAnswer

	// ErrOtherHost is the reason of Missing for a file on a host that OtherHosts leaves out.
	ErrOtherHost = sync.ErrOtherHost

	// ErrNewer says that a file of the target is newer than the file of the source.
	ErrNewer = sync.ErrNewer

	// ErrOverlap says that one of two trees is in the other: a copy would copy a tree into
	// itself, or delete its source.
	ErrOverlap = sync.ErrOverlap
)
