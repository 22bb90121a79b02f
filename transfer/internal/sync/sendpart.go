package sync

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/spill"
	"locus/retry"
	"locus/transfer/internal/fetch"
)

const (
	// resumeSize is how much of a file a server must have for its upload to be continued.
	resumeSize = 1 << 20

	// oldPart is the age after which the part of an unknown run is removed. It is this long because
	// the clocks and time zones of servers differ.
	oldPart = 48 * time.Hour

	// cleanupTimeout is how long a part may take to be removed at the end.
	cleanupTimeout = 10 * time.Second
)

// newRunID returns eight random hexadecimal digits, which name a run in the names of its parts.
func newRunID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// partOf returns the Part of [access.Request] for a version of a file, in one run.
//
//	.part-0123abcd89abcdef
//	      \______/\______/
//	      the run  a hash of the name and the version
func partOf(run, name string, v version) string {
	h := spill.HashOf(fmt.Sprintf("%s\x00%d\x00%d", name, v.Size, v.ModTime.UnixNano()))
	return fmt.Sprintf(".part-%s%x", run, h[:4])
}

// isLeftover reports whether a name is a name that an engine gives to a file until the file is
// complete: ".locus-" and 26 letters, NAME.part- and eight digits, or NAME and a result of partOf.
// of is NAME, or "" in the first case. run is the run in partOf, or "" in the other cases.
func isLeftover(name string) (of, run string, ok bool) {
	if end, found := strings.CutPrefix(name, ".locus-"); found && len(end) == 26 {
		return "", "", strings.Trim(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
	}
	const mark = ".part-"
	at := strings.LastIndex(name, mark)
	if at < 0 {
		return "", "", false
	}
	digits := name[at+len(mark):]
	if len(digits) == 16 {
		run = digits[:8]
	}
	ok = (len(digits) == 8 && at > 0 || len(digits) == 16) && strings.Trim(digits, "0123456789abcdef") == ""
	return name[:at], run, ok
}

// sortLeftover decides whether e, the named extra file of the target, is the part of an upload that
// was killed. It adds a part of an earlier run of this manifest, and an old part of any run, to
// s.leftovers. A young part that another run may be writing stays. isPart is false if the caller
// has to treat name as an ordinary file. source is the directory at the source.
func (s *sender) sortLeftover(name string, e item, source listedDir) (isPart bool) {
	of, run, ok := isLeftover(path.Base(name))
	if !ok || e.kind == access.Directory {
		return false
	}
	_, known := source.entries[of]
	changed := e.seen().ModTime
	isOld := !changed.IsZero() && time.Since(changed) > oldPart
	switch {
	case s.isOwnRun(run):
		s.update(func() {
			s.ownParts.Add(name)
			if !slices.Contains(s.ownRuns, run) {
				s.ownRuns = append(s.ownRuns, run)
			}
			s.leftovers.Add(task{name: name})
		})
	case isOld && (known || of == ""):
		s.update(func() { s.leftovers.Add(task{name: name}) })
	default:
		return !isOld
	}
	return true
}

// isOwnRun reports whether run is an earlier run of the same manifest that has ended.
func (s *sender) isOwnRun(run string) bool { return slices.Contains(s.log.earlierRuns(), run) }

// A partial is the part of a file that is being sent.
type partial struct {
	part     string // of the requests; "": the engine chooses
	mayExist bool   // the target may have it
	begun    int64  // where the upload began
}

// choosePart returns the part into which the file of t is sent. It is the part of an earlier run,
// if the target has a part of the same version of the file, and otherwise a new part of this run.
// For a small file without a manifest it is the zero partial, which leaves the choice to the
// engine.
func (s *sender) choosePart(t task) partial {
	isLarge := t.size >= resumeSize && fetch.HasSeconds(t.modTime)
	if s.log == nil && !isLarge {
		return partial{}
	}
	v := version{t.size, t.modTime}
	if !isLarge {
		return partial{part: partOf(s.thisRun, t.name, v)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, run := range s.ownRuns {
		part := partOf(run, t.name, v)
		if s.ownParts.Has(pathOfPart(t.name, part)) {
			return partial{part: part, mayExist: true}
		}
	}
	return partial{part: partOf(s.thisRun, t.name, v)}
}

// pathOfPart returns the path below the root of the part of the named file. part is the Part of
// access.Request.
func pathOfPart(name, part string) string {
	return localPath(path.Dir(name), engine.PartName(path.Base(name), part))
}

// partSize returns how many bytes of the file are in the part at the target. It returns 0 if the
// upload must begin at the start, because the part is missing, too small, or not of this file.
func (f *sending) partSize(ctx context.Context) int64 {
	if !f.mayExist || f.size < resumeSize || !fetch.HasSeconds(f.modTime) {
		return 0
	}
	u, err := f.to.at(pathOfPart(f.name, f.part), false)
	if err != nil {
		return 0
	}
	r, err := f.to.engine.Do(ctx, &access.Request{Op: access.Stat, URL: u, Login: f.Login})
	if err != nil || r.Kind == access.Directory || r.Size > f.size || r.Size < resumeSize {
		return 0
	}
	return r.Size
}

// sendAll sends the file, and tries again after transient failures. It starts another round of
// tries as long as each round has sent more bytes. stored is the entry that the target has stored.
func (f *sending) sendAll(ctx context.Context) (stored access.Entry, err error) {
	for {
		before := f.begun
		err = f.Retry.Do(ctx, func(ctx context.Context) (err error) {
			stored, err = f.send(ctx)
			return err
		}, func(err error, wait time.Duration) { f.emit(fetch.Event{Kind: fetch.Retrying, Err: err, Wait: wait}) })
		_, gaveUp := errors.AsType[*retry.GaveUp](err)
		if !gaveUp || f.begun < before+retryProgress {
			return stored, err
		}
	}
}

// retryProgress is how many more bytes the target must have for another round of tries.
const retryProgress = 64 << 10

// send sends the file once, and returns the entry that the target has stored. It sends only the
// missing bytes if the target has a part that it can extend, and otherwise the whole file.
func (f *sending) send(ctx context.Context) (access.Entry, error) {
	offset := f.partSize(ctx)
	f.mayExist = f.part != ""
	if offset == 0 {
		return f.sendFrom(ctx, 0)
	}
	stored, err := f.sendFrom(ctx, offset)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, access.ErrRange) || errors.Is(err, access.ErrChanged) {
		return f.sendFrom(ctx, 0)
	}
	return stored, err
}

// leavePart decides what happens to the part of a file that was not sent. With a manifest it keeps
// the part of a large file, because a later run continues it. It removes any other part from the
// target.
func (f *sending) leavePart(ctx context.Context) {
	name := pathOfPart(f.name, f.part)
	if f.log != nil && f.size >= resumeSize {
		f.update(func() { f.kept.Add(name) })
		return
	}
	if !f.mayExist || f.done == f.begun {
		return
	}
	u, err := f.to.at(name, false)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		_, err = f.to.engine.Do(ctx, &access.Request{Op: access.Delete, URL: u, Login: f.Login})
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.skip(name, -1, leftBehind(err))
	}
}

// leftBehind returns the reason for reporting a part of an upload that stays at the target. err is
// the error of removing it.
func leftBehind(err error) error {
	return fmt.Errorf("the part of an interrupted upload cannot be removed: %w", err)
}
