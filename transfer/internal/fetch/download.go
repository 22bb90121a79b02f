package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"locus/access"
	"locus/retry"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A Download fetches one resource into one file.
type Download struct {
	Options
	Hooks
	engine retry.Engine
	req    access.Request
	target
	part partFile
	answer

	saving sync.Mutex // held while the state is saved, which may wait for the disk; locked before mu

	mu sync.Mutex // guards progress while several ranges are fetched
	progress
}

// A target is the file that a download writes.
type target struct {
	root   *os.Root
	name   string // below root
	Absent bool   // no file had that name a moment ago
}

// An answer holds the facts about the resource from the first response.
type answer struct {
	found      url.URL // where it was found
	mediaType  string
	fromServer []Digest // the digests that servers say it has
	linked     Linked
}

// Hooks let a mirror take part in a download. Each may be nil.
type Hooks struct {
	ChooseName func(r *access.Resource) (name string, err error)                     // names the file once the server has answered
	Inspect    func(f io.Reader, u url.URL, mediaType string) (keep bool, err error) // reads the file before it gets its name
	IsQuiet    func(err error) bool                                                  // reports whether the mirror itself reports err
	CountBytes func(n int64) error                                                   // counts n more bytes; it fails if there are too many
	ListedTime time.Time                                                             // the modification time in the listing
}

// A progress holds the state of a download since its last restart.
type progress struct {
	state     state      // of the resource
	segments  []*segment // still to fetch
	ranged    bool       // bytes come in ranges, so the part may have holes
	done      int64      // bytes in the part
	resumed   int64      // of these, bytes of an earlier run
	reserved  int64      // bytes that reserve has counted
	resumable bool       // the part can be resumed

	accepted    bool // the server has answered, and the file has its name
	writeFailed bool // a local write failed
	times
}

// The times of a download since its last restart.
type times struct {
	began    time.Time // when fetchOnce began to fetch
	saved    time.Time // when the state was saved last
	reported time.Time // when a Progress event was sent last
}

// New returns a Download of the resource that req names into the named file below root. ChooseName
// may change the name. [Download.Run] fetches the file. opts.Event must not be nil. Offset, Length
// and IfMatch of req are ignored.
func New(opts Options, engine access.Engine, req *access.Request, root *os.Root, name string) *Download {
	d := &Download{Options: opts, req: *req, target: target{root: root, name: name}, answer: answer{found: req.URL}, progress: progress{state: state{Size: -1}}}
	d.req.Offset, d.req.Length, d.req.IfMatch = 0, 0, access.Validator{}
	d.req.Moved = d.addRedirect
	d.engine = retry.Engine{Engine: engine, Policy: opts.Retry, Notify: func(_ url.URL, err error, wait time.Duration) {
		d.mu.Lock()
		isSmall := d.resumable && d.done > 0 && d.state.Size <= smallSize
		d.mu.Unlock()
		if isSmall {
			_ = d.save() // on failure the file is fetched from its start
		}
		d.emit(Event{Kind: Retrying, Err: err, Wait: wait})
	}}
	return d
}

// fetchOnce fetches the file from the end of an earlier part, if the part can be resumed, or else
// from its start. It then verifies the file and gives it its name. The error is a *restart if the
// file must be fetched again from its start, and a *Skip if it need not be fetched.
func (d *Download) fetchOnce(ctx context.Context) error {
	if err := d.loadPart(); err != nil {
		return Local(err)
	}
	d.began = time.Now()
	d.saved = d.began
	if d.resumed > 0 {
		if err := d.resume(ctx); err != nil {
			return err
		}
		d.received()
		return d.finish()
	}
	if d.Continue && d.ChooseName == nil {
		if err := d.checkUpToDate(ctx); err != nil {
			return err
		}
	}
	r, err := d.engine.Do(ctx, &d.req)
	if errors.Is(err, access.ErrNotModified) {
		return &Skip{ErrUpToDate}
	}
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if err := d.begin(r); err != nil {
		return err
	}
	if err := d.fetchAll(ctx, r); err != nil {
		return err
	}
	r.Body.Close()
	d.received()
	return d.finish()
}

// Part sets the names of the part file. Call it before Run.
func (d *Download) Part(names PartName) { d.part.PartName = names }

// Name returns the name of the file, once ChooseName has chosen it.
func (d *Download) Name() string { return d.name }

// received calls the function Received, if there is one. A second call of received does nothing.
func (d *Download) received() {
	if call := d.Received; call != nil {
		d.Received = nil
		call()
	}
}

// loadPart opens the part of an earlier run. It sets segments to the ranges that the part lacks, and
// resumed to the number of its bytes. It removes a part that cannot be resumed, and then resumed is
// 0, as without a part.
func (d *Download) loadPart() error {
	if d.part.IsNew {
		return d.reset()
	}
	size, err := d.part.openEarlier()
	if err != nil {
		return err
	}
	var s *state
	if d.Continue && size >= 0 {
		s = LoadState(d.part.Dir, d.part.Name+StateSuffix)
	}
	if s == nil || s.URL != tree.Anonymous(d.req.URL) || s.SHA256 != d.Digest.String() ||
		s.Done == nil && s.Size >= 0 && size > s.Size {
		return d.reset()
	}
	if d.state = *s; s.Done == nil {
		d.segments = []*segment{{pos: size, end: s.Size}}
	} else {
		d.segments, d.ranged = gaps(s.Done, s.Size), true
		if last := len(s.Done) - 1; len(d.segments) == 0 && last >= 0 { // all bytes are here, but not compared with the resource
			d.segments = []*segment{{start: s.Done[last][0], pos: s.Size, end: s.Size}}
		}
	}
	d.done = s.Size
	for _, seg := range d.segments {
		if seg.end < 0 {
			d.done = seg.pos
		} else {
			d.done -= seg.end - seg.pos
		}
	}
	if d.done == 0 {
		return d.reset()
	}
	d.resumable, d.part.stateValid, d.resumed = true, true, d.done
	return nil
}

// checkUpToDate returns a *Skip if the local file has the digest or, without a digest, the size and
// the modification time of the resource. It then sets state and done for the last event, which has
// the size of the file. It returns nil if the file does not exist or differs.
func (d *Download) checkUpToDate(ctx context.Context) error {
	info, err := d.root.Lstat(d.name)
	if err != nil {
		return nil // there is no file to compare
	}
	upToDate := &Skip{ErrUpToDate}
	d.state.Size, d.state.ModTime, d.done = info.Size(), info.ModTime(), info.Size()
	if !d.Digest.IsZero() {
		f, err := d.root.Open(d.name)
		if err != nil {
			return err
		}
		defer f.Close()
		if d.Digest.Check(f) == nil {
			return upToDate
		}
	} else if e, err := d.engine.Do(ctx, d.req.WithOp(access.Stat)); err == nil && e.Size == info.Size() && !e.ModTime.IsZero() && IsSameTime(e.ModTime, info.ModTime()) {
		return upToDate
	}
	d.state, d.done = state{Size: -1}, 0
	return nil
}

// onResponse records where the first response r found the resource, its media type, links and
// digests, and lets a mirror choose the name of the file. For a later response it returns nil. It
// returns an error if the digests contradict each other, or if the name belongs to a link or a
// directory.
func (d *Download) onResponse(r *access.Resource) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.accepted {
		return nil
	}
	d.accepted, d.found, d.mediaType = true, r.URL, r.Type
	d.addLinked(r.Header, r.URL)
	var err error
	if d.fromServer, err = combineDigests(append(d.fromServer, serverDigests(r)...)); err != nil {
		return &access.Error{Op: "verify", URL: d.found, Err: err}
	}
	if len(d.fromServer) > 0 {
		d.linked.Digest = d.fromServer[0]
	}
	if d.ChooseName == nil {
		return nil
	}
	name, err := d.ChooseName(r)
	if err != nil {
		return err
	}
	d.name = name
	if !d.Absent {
		_, err = Regular(d.root, name)
	}
	return Local(err)
}

// smallSize is the size up to which the state of a file is saved only after a failed request,
// because fetching a small file again is cheaper than saving its state.
const smallSize = 256 << 10

// begin prepares the download of r, the first response: it records the version of the resource,
// counts its bytes, makes the part with one segment, and sends Started. It also saves the state of a
// large file whose version or size is known. It returns an error if r is too large or has another
// size than required.
func (d *Download) begin(r *access.Resource) error {
	if err := d.onResponse(r); err != nil {
		return err
	}
	d.state = state{URL: tree.Anonymous(d.req.URL), Size: r.Size, ETag: r.ETag, ModTime: r.ModTime, SHA256: d.Digest.String()}
	if err := d.checkSize(r.Size); err != nil && r.Size >= 0 {
		return err
	}
	if d.MaxSize > 0 && r.Size > d.MaxSize {
		return TooLarge(d.req.URL, d.MaxSize)
	}
	if err := d.reserve(r.Size); err != nil {
		return err
	}
	if d.part.file == nil {
		if err := d.part.create(); err != nil {
			return Local(err)
		}
	}
	d.segments = []*segment{{end: r.Size}}
	d.resumable = true
	d.emit(Event{Kind: Started})
	if d.state.isProvable() && (r.Size < 0 || r.Size > smallSize) {
		return Local(d.save())
	}
	return nil
}

// TooLarge returns the error for a resource of more than limit bytes.
func TooLarge(u url.URL, limit int64) error {
	return fmt.Errorf("%s has more than %d bytes", u.Redacted(), limit)
}

// reserve counts the bytes of the file up to offset n with CountBytes, and returns its error. Bytes
// that were counted before are not counted again.
func (d *Download) reserve(n int64) error {
	if n <= d.reserved {
		return nil
	}
	return d.reserveMore(n - d.reserved)
}

// reserveMore adds n, which may be negative, to the bytes that CountBytes has counted for this file.
// It returns the error of CountBytes, or nil if CountBytes is nil.
func (d *Download) reserveMore(n int64) error {
	if d.CountBytes == nil {
		return nil
	}
	err := d.CountBytes(n)
	if err == nil {
		d.reserved += n
	}
	return err
}

// fetchAll fetches every segment. The first segment gets the body of r, the first response. The other
// segments, if Split divides the file, are requested at the same time.
func (d *Download) fetchAll(ctx context.Context, r *access.Resource) error {
	first := d.segments[0]
	if r.Size >= 0 && r.Offset == 0 {
		if err := d.split(r.Validator()); err != nil {
			return err
		}
	}
	if len(d.segments) == 1 {
		return d.copy(r.Body, first)
	}
	return d.fetchSegments(ctx, func(ctx context.Context, s *segment) error {
		if s != first {
			return d.fetchSegment(ctx, s)
		}
		defer context.AfterFunc(ctx, func() { r.Body.Close() })()
		return d.copy(r.Body, s)
	})
}

// resume sends Started, and fetches the segments that the part of an earlier run lacks.
func (d *Download) resume(ctx context.Context) error {
	if err := d.reserve(max(d.state.Size, d.done)); err != nil {
		return err
	}
	d.emit(Event{Kind: Started})
	if d.state.Size >= 0 {
		if err := d.split(d.state.version()); err != nil {
			return err
		}
	}
	return d.fetchSegments(ctx, d.fetchSegment)
}

// split divides the segments, until Split ranges can be fetched at once. It does nothing if v, the
// version of the resource, is zero, because then ranges of two versions could be mixed. It saves the
// state before the part has its first hole, so that a run after a crash knows of the holes.
func (d *Download) split(v access.Validator) error {
	if d.Split < 2 || v.IsZero() {
		return nil
	}
	n, least := len(d.segments), max(d.SplitSize, 0)
	if least <= 0 {
		least = 4 << 20
	}
	d.segments = divide(d.segments, d.Split, least)
	if d.ranged || len(d.segments) == n {
		return nil
	}
	d.ranged = true
	return Local(d.save())
}

// fetchSegments calls fetch for all segments, for up to Split of them at once, and waits for the
// calls. The first error ends the others, and is returned.
func (d *Download) fetchSegments(ctx context.Context, fetch func(context.Context, *segment) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, max(d.Split, 1))
	var workers sync.WaitGroup
	for _, s := range d.segments {
		workers.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := fetch(ctx, s); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// Overlap is how many bytes of the part are fetched again and compared before it is
// resumed.
const Overlap = 4 << 10

// fetchSegment requests the rest of s, and writes it into the part. It also requests bytes before the
// rest, and compares them with the part, because the resource may have changed meanwhile: up to
// Overlap bytes, or all bytes before s.pos if neither the version nor the size of the resource is
// known. The error is a *restart if the resource has changed, or if the server does not send ranges.
func (d *Download) fetchSegment(ctx context.Context, s *segment) error {
	req := d.req
	before := min(Overlap, s.pos-s.start)
	if !d.state.isProvable() {
		before = s.pos
	}
	req.Offset = s.pos - before
	req.IfMatch = d.state.version()
	if s.end >= 0 && s.end != d.state.Size {
		req.Length = s.end - req.Offset
	}
	changed := &restart{why: access.ErrChanged}
	r, err := d.engine.Do(ctx, &req)
	again := restartAfter(err)
	switch {
	case again != nil:
		return again
	case req.Offset > 0 && retry.RefusesRange(err):
		return &restart{why: fmt.Errorf("the server refuses ranges: %w", err), noRanges: true}
	case err != nil:
		return err
	}
	defer r.Body.Close()
	if r.Offset == 0 && req.Offset > 0 {
		return &restart{why: errors.New("the server ignores ranges"), noRanges: true}
	}
	if retry.IsChanged(d.state.version(), r.Validator()) || r.Size >= 0 && d.state.Size >= 0 && r.Size != d.state.Size {
		return changed
	}
	if err := d.onResponse(r); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, r.Body, req.Offset-r.Offset); err != nil { // servers may send whole blocks
		return retry.UnexpectedEOF(err)
	}
	if err := d.comparePart(r.Body, req.Offset, before); err != nil {
		return err
	}
	return d.copy(r.Body, s)
}

// comparePart reads n bytes from r, which are the bytes of the resource from offset on. It returns a
// *restart if the part has other bytes there, or if r ends before.
func (d *Download) comparePart(r io.Reader, offset, n int64) error {
	changed := &restart{why: access.ErrChanged}
	size := min(n, 32<<10)
	local, remote := make([]byte, size), make([]byte, size)
	for end := offset + n; offset < end; {
		got, err := r.Read(remote[:min(size, end-offset)])
		if _, err := d.part.file.ReadAt(local[:got], offset); err != nil {
			return &restart{why: fmt.Errorf("the part: %w", retry.UnexpectedEOF(err))}
		}
		if !bytes.Equal(local[:got], remote[:got]) {
			return changed
		}
		offset += int64(got)
		switch {
		case err == nil || offset == end:
		case access.IsEnd(err), errors.Is(err, access.ErrChanged):
			return changed
		default:
			return err
		}
	}
	return nil
}
