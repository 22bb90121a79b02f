package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"locus/access"
	"locus/url"
)

// A download is one file on its way.
type download struct {
	Options
	opener access.Engine
	req    access.Request
	root   *os.Root
	name   string   // of the file
	from   string   // of what it is renamed from, below the root: the part
	parts  *os.Root // where the part is
	part   string   // its name there, into which is written
	state  string   // and that of what is known of it
	left   string   // the name there of the part of an earlier run, if there is one
	fresh  bool     // there is none
	alone  bool     // nobody else writes there
	absent bool     // there was nothing of its name a moment ago

	// How a mirror takes part: each may be nil.
	choose  func(r *access.Resource) (name string, err error)                // names the file once the server has answered
	inspect func(f io.Reader, u url.URL, mime string) (keep bool, err error) // reads it before it gets its name
	quiet   func(err error) bool                                             // reports whether a failure is told by the mirror itself

	listed time.Time // when it was last changed, if the server tells only in a listing

	found url.URL // where the resource was found
	mime  string  // its media type
	file  *os.File
	old   *state    // of an earlier run; nil if there is none
	mine  bool      // the part may be removed
	noted bool      // there is a state, or what was to be one
	good  bool      // and it is of what is in the part
	held  io.Closer // keeps others from the part; nil if nothing does

	mu      sync.Mutex // of what follows, once the segments are fetched
	known   state
	todo    []*segment
	split   bool // octets came in ranges: the length of the part says nothing
	done    int64
	resumed int64
	keep    bool // the part can be gone on with
	chosen  bool // it has its final name
	local   bool // it failed on this side
	began   time.Time
	saved   time.Time
	told    time.Time
}

// once fetches the file, from its start or from where it is.
func (d *download) once(ctx context.Context) error {
	d.began = time.Now()
	d.saved = d.began
	if err := d.prepare(); err != nil {
		return err
	}
	if d.old != nil {
		if err := d.proceed(ctx); err != nil {
			return err
		}
		d.received()
		return d.finish()
	}
	if d.Continue && d.choose == nil {
		if err := d.lookHere(ctx); err != nil {
			return err
		}
	}
	r, err := d.retrying().Do(ctx, d.first())
	if errors.Is(err, access.ErrNotModified) {
		return &skip{Skipped, ErrHere}
	}
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if err := d.accept(r); err != nil {
		return err
	}
	if err := d.copyAll(ctx, r); err != nil {
		return err
	}
	r.Body.Close()
	d.received()
	return d.finish()
}

// received tells, once, that the server is not needed any more.
func (d *download) received() {
	if tell := d.Received; tell != nil {
		d.Received = nil
		tell()
	}
}

// prepare finds out what there is of the file.
func (d *download) prepare() error {
	if d.fresh {
		return d.forget()
	}
	info, err := regular(d.parts, d.left)
	if err == nil && info != nil {
		if err = d.hold(d.left, os.O_RDWR); err == nil {
			d.noted = true // for all that is known
			info, err = d.file.Stat()
		}
	}
	if err == nil && info != nil {
		err = d.claim()
	}
	if err != nil {
		return err
	}
	if d.Continue && info != nil {
		d.old = loadState(d.parts, d.state)
	}
	if d.old == nil || d.old.URL != anonymous(d.req.URL) || d.old.SHA256 != d.Digest.String() || !d.old.provable() {
		return d.forget()
	}
	d.known = *d.old
	switch size := info.Size(); {
	case d.old.Done != nil:
		d.todo, d.split = gaps(d.old.Done, d.old.Size), true
		if last := len(d.old.Done) - 1; len(d.todo) == 0 && last >= 0 { // nothing is wanted but the proof
			d.todo = []*segment{{start: d.old.Done[last][0], pos: d.old.Size, end: d.old.Size}}
		}
	case d.old.Size >= 0 && size > d.old.Size:
		return d.forget()
	default:
		d.todo = []*segment{{pos: size, end: d.old.Size}}
	}
	d.done = d.old.Size
	for _, s := range d.todo {
		if s.end < 0 {
			d.done = s.pos
		} else {
			d.done -= s.end - s.pos
		}
	}
	if d.done == 0 {
		return d.forget()
	}
	d.keep, d.good, d.resumed = true, true, d.done
	return nil
}

// claim gives the part of an earlier run, and its state, the names that they have in
// this one. Of several runs one can.
func (d *download) claim() error {
	if d.left == d.part {
		return nil
	}
	left := d.left
	d.left = d.part
	if err := d.parts.Rename(left, d.part); err != nil {
		return d.busy(err)
	}
	err := d.parts.Rename(left+stateSuffix, d.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// hold opens the part, which has that name, and keeps others from it.
func (d *download) hold(name string, flag int) error {
	f, err := d.parts.OpenFile(name, flag|unpolled, 0o666)
	if err == nil && !d.alone {
		if d.held, err = lock(d.parts, name, f); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return d.busy(err)
	}
	d.file, d.mine = f, true
	return nil
}

// busy returns err as a user is told: that a part is there, or is not, was not so a
// moment ago.
func (d *download) busy(err error) error {
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		err = ErrBusy
	}
	return fmt.Errorf("write %q: %w", d.from, err)
}

// release lets others have the part.
func (d *download) release() {
	if d.held != nil {
		d.held.Close()
		d.held = nil
	}
}

// create makes the part.
func (d *download) create() error {
	if err := d.hold(d.part, os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
		return err
	}
	if d.fresh {
		return nil
	}
	d.fresh = true
	return removeFile(d.parts, d.state) // of a part that is gone
}

// ErrBusy says that somebody else, perhaps in another process, fetches into the
// same file just now, or mirrors into the same folder.
var ErrBusy = errors.New("it is being written by somebody else")

// first returns the request for the whole.
func (d *download) first() *access.Request {
	req := d.req
	req.Offset, req.Length, req.IfMatch = 0, 0, access.Validator{}
	return &req
}

// lookHere returns a skip if the file is here already: if it has its digest, or
// else the size and the time of change of the resource.
func (d *download) lookHere(ctx context.Context) error {
	info, err := d.root.Lstat(d.name)
	if err != nil {
		return nil
	}
	d.known.Size, d.known.ModTime, d.done = info.Size(), info.ModTime(), info.Size()
	if !d.Digest.IsZero() {
		f, err := d.root.Open(d.name)
		if err != nil {
			return err
		}
		defer f.Close()
		if d.Digest.Check(f) == nil {
			return &skip{Skipped, ErrHere}
		}
	} else if e, err := d.retrying().Do(ctx, d.req.WithOp(access.Stat)); err == nil &&
		e.Size == info.Size() && !e.ModTime.IsZero() && sameTime(e.ModTime, info.ModTime()) {
		return &skip{Skipped, ErrHere}
	}
	d.known, d.done = state{Size: -1}, 0
	return nil
}

// answered takes note of what the server says of the resource, and lets a mirror
// choose the name of the file.
func (d *download) answered(r *access.Resource) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.chosen {
		return nil
	}
	d.chosen, d.found, d.mime = true, r.URL, r.Type
	if d.choose == nil {
		return nil
	}
	name, err := d.choose(r)
	if err != nil {
		return err
	}
	d.name = name
	if !d.absent {
		_, err = regular(d.root, name)
	}
	return err
}

// accept takes note of the resource that was opened, and makes its part.
func (d *download) accept(r *access.Resource) error {
	if err := d.answered(r); err != nil {
		return err
	}
	d.known = state{
		URL: anonymous(d.req.URL), Size: r.Size, ETag: r.ETag, ModTime: r.ModTime, SHA256: d.Digest.String(),
	}
	if d.MaxSize > 0 && r.Size > d.MaxSize {
		return d.tooLarge()
	}
	if d.file == nil {
		if err := d.create(); err != nil {
			return err
		}
	}
	d.todo = []*segment{{end: r.Size}}
	d.keep = d.known.provable()
	d.tell(Event{Kind: Started})
	if d.keep && (r.Size < 0 || r.Size > small) { // a small file is begun again
		return d.save()
	}
	return nil
}

// small is how many octets a file has whose state is not worth being kept until
// something goes wrong.
const small = 256 << 10

func (d *download) tooLarge() error {
	return fmt.Errorf("%s has more than %d octets", d.req.URL.Redacted(), d.MaxSize)
}

// copyAll fetches every segment, the first one from r.
func (d *download) copyAll(ctx context.Context, r *access.Resource) error {
	whole := d.todo[0]
	if d.Split < 2 || r.Size < 0 || r.Validator().IsZero() || r.Offset != 0 {
		return d.copy(r.Body, whole)
	}
	d.todo = divide(d.todo, d.Split, d.splitSize())
	if len(d.todo) == 1 {
		return d.copy(r.Body, whole)
	}
	if err := d.inRanges(); err != nil {
		return err
	}
	return d.together(ctx, func(ctx context.Context, s *segment) error {
		if s != whole {
			return d.segment(ctx, s)
		}
		defer context.AfterFunc(ctx, func() { r.Body.Close() })()
		return d.copy(r.Body, s)
	})
}

// inRanges begins to fetch the file in ranges. The state says so before the part
// has its first hole: whoever goes on after the process was killed has to know.
func (d *download) inRanges() error {
	d.split = true
	return d.save()
}

func (d *download) splitSize() int64 {
	if d.SplitSize > 0 {
		return d.SplitSize
	}
	return 4 << 20
}

// proceed fetches what an earlier run left.
func (d *download) proceed(ctx context.Context) error {
	d.tell(Event{Kind: Started})
	if d.Split > 1 && d.known.Size >= 0 && !d.known.version().IsZero() {
		n := len(d.todo)
		d.todo = divide(d.todo, d.Split, d.splitSize())
		if !d.split && len(d.todo) > n {
			if err := d.inRanges(); err != nil {
				return err
			}
		}
	}
	return d.together(ctx, d.segment)
}

// together fetches all segments, as many at once as may be.
func (d *download) together(ctx context.Context, fetch func(context.Context, *segment) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := d.todo
	turns := make(chan struct{}, max(d.Split, 1))
	var all sync.WaitGroup
	for _, s := range todo {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			if ctx.Err() != nil {
				return
			}
			if err := fetch(ctx, s); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// overlap is how many bytes are fetched again where a part is gone on with, to see
// that they are the same.
const overlap = 4 << 10

// segment fetches one segment from where it is, and proves on the way that the
// resource is that of before.
func (d *download) segment(ctx context.Context, s *segment) error {
	req := d.req
	before := min(overlap, s.pos-s.start)
	req.Offset = s.pos - before
	req.IfMatch = d.known.version()
	if s.end >= 0 && s.end != d.known.Size {
		req.Length = s.end - req.Offset
	}
	r, err := d.retrying().Do(ctx, &req)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return &restart{why: errors.New("the server cannot begin in the middle"), whole: true}
	case errors.Is(err, access.ErrChanged), errors.Is(err, access.ErrRange):
		return &restart{why: access.ErrChanged}
	case err != nil:
		return err
	}
	defer r.Body.Close()
	if r.Offset != req.Offset {
		return &restart{why: errors.New("the server sends the whole only"), whole: true}
	}
	if isChanged(d.known.version(), r.Validator()) || r.Size >= 0 && d.known.Size >= 0 && r.Size != d.known.Size {
		return &restart{why: access.ErrChanged}
	}
	if err := d.answered(r); err != nil {
		return err
	}
	if err := d.compare(r.Body, req.Offset, before); err != nil {
		return err
	}
	return d.copy(r.Body, s)
}

// compare reads some octets that are in the part already.
func (d *download) compare(r io.Reader, at, n int64) error {
	here, there := make([]byte, n), make([]byte, n)
	if _, err := d.file.ReadAt(here, at); err != nil {
		return &restart{why: fmt.Errorf("the part: %w", early(err))}
	}
	_, err := io.ReadFull(r, there)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, access.ErrChanged) ||
		err == nil && !bytes.Equal(here, there) {
		return &restart{why: access.ErrChanged}
	}
	return err
}

// isChanged reports whether two validators are of different versions, as far as
// they can be compared.
func isChanged(before, now access.Validator) bool {
	if before.ETag != "" && now.ETag != "" {
		return before.ETag != now.ETag
	}
	return !before.ModTime.IsZero() && !now.ModTime.IsZero() &&
		!before.ModTime.Truncate(time.Second).Equal(now.ModTime.Truncate(time.Second))
}

// early makes an end an early end.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
