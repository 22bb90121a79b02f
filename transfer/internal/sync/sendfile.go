package sync

import (
	"context"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"locus/access"
	"locus/internal/sentinel"
	"locus/retry"
	"locus/transfer/internal/fetch"
)

// A sending is one file on its way to the target.
type sending struct {
	*sender
	task
	partial
	source   version // as it was when it was opened
	mode     fs.FileMode
	done     int64     // bytes that were read
	reported time.Time // the last Progress event
}

// file does the task t of a file: it sends the file, counts and reports it. After a failure, which
// it reports, it keeps or removes the part at the target.
func (s *sender) file(ctx context.Context, t task) {
	f := &sending{sender: s, task: t, source: version{t.size, t.modTime}, partial: s.choosePart(t)}
	var stored access.Entry
	err := s.asTwin(ctx, t.name, false, func() (err error) {
		stored, err = f.sendAll(ctx)
		return err
	})
	if err != nil {
		f.leavePart(ctx)
		s.failed(ctx, t.name, false, err)
		return
	}
	s.sent.add(t.name, sentVersion{f.source, f.source.is(version{t.size, t.modTime})})
	s.update(func() {
		s.report.Files++
		s.report.Bytes += f.done
		if f.source.ModTime.IsZero() || !fetch.IsSameTime(stored.ModTime, f.source.ModTime) || s.log != nil {
			s.needReview(path.Dir(t.name))
		}
	})
	f.emit(fetch.Event{Kind: fetch.Done})
}

// errChanging is the error of a file that changed while it was read.
var errChanging = sentinel.New("it changed while it was read: the resource has changed", access.ErrChanged)

// sendFrom sends the file once, from a byte offset to its end. It returns the entry that the target
// has stored. If the source has changed, or does not start at the offset, the error wraps
// access.ErrChanged.
func (f *sending) sendFrom(ctx context.Context, offset int64) (access.Entry, error) {
	r, err := f.from.engine.Do(ctx, &access.Request{URL: f.url, Login: f.Login, Offset: offset})
	if err != nil {
		return access.Entry{}, err
	}
	defer r.Body.Close()
	if r.List != nil || r.Session != nil {
		return access.Entry{}, errLinked
	}
	opened := version{r.Size, r.ModTime}
	if offset > 0 && (r.Offset != offset || !opened.is(version{f.size, f.modTime})) {
		return access.Entry{}, errChanging
	}
	f.source, f.done, f.begun = opened, offset, offset
	f.mode = 0
	if f.Permissions {
		f.mode = r.Mode
	}
	f.emit(fetch.Event{Kind: fetch.Started})
	to, err := f.to.at(f.name, false)
	if err != nil {
		return access.Entry{}, err
	}
	left := r.Size
	if left >= 0 {
		left -= offset
	}
	body := &guardedBody{Reader: r.Body, sending: f, turn: &turn{}, ctx: ctx, left: left}
	defer body.end()
	put := &access.Request{
		Op: access.Put, URL: to, Body: body, GetBody: body.reopen, Size: left, Offset: offset, Part: f.part,
		ModTime: r.ModTime, Mode: f.mode, Login: f.Login,
	}
	stored, err := f.to.engine.Do(ctx, put)
	if err != nil {
		return access.Entry{}, err
	}
	return stored.Entry, nil
}

// emit sets the URL, the name, Done and Size of e for this file, and calls Event.
func (f *sending) emit(e fetch.Event) {
	e.URL, e.Name, e.Done, e.Size = f.target(f.name), f.name, f.done, f.source.Size
	f.Event(e)
}

// A turn lets one goroutine at a time read the bodies of a request, and stops them when the request
// ends, because an engine whose context is done may return while it still reads.
type turn struct {
	reading sync.Mutex // held during a Read
	ended   bool
}

// A guardedBody is the body of a file. If the file has changed while it was read, Read returns an
// error instead of the last bytes, so that the target does not store the file.
type guardedBody struct {
	io.Reader
	*sending
	*turn
	ctx      context.Context
	left     int64 // bytes to read; -1 if unknown
	checked  bool
	reopened io.Closer // the file that reopen has opened last; nil without one
}

// Read reads the file, counts its bytes, and sends Progress. At the end, it returns an error
// instead of the last bytes if the file has changed. After end it returns fs.ErrClosed.
func (g *guardedBody) Read(p []byte) (int, error) {
	g.reading.Lock()
	defer g.reading.Unlock()
	if g.ended {
		return 0, fs.ErrClosed
	}
	n, err := g.Reader.Read(p)
	g.done += int64(n)
	if g.left >= 0 {
		g.left -= int64(n)
	}
	isEnd := g.left == 0 && n > 0 || access.IsEnd(err)
	if isEnd && !g.checked {
		g.checked = true
		if changed := g.check(); changed != nil {
			return 0, changed
		}
	}
	if now := time.Now(); now.Sub(g.reported) >= time.Second/10 {
		g.reported = now
		g.emit(fetch.Event{Kind: fetch.Progress})
	}
	return n, err
}

// check returns an error that wraps access.ErrChanged if the file has changed since it was opened.
// It asks only in trees with the trait Rechecked, because other engines notice a change themselves.
func (g *guardedBody) check() error {
	if !g.from.tree.Rechecked {
		return nil
	}
	r, err := g.from.engine.Do(g.ctx, &access.Request{Op: access.Stat, URL: g.url})
	if err != nil {
		return err
	}
	if r.Size != g.source.Size || !r.ModTime.Equal(g.source.ModTime) {
		return errChanging
	}
	return nil
}

// reopen implements access.Request.GetBody: it opens the file a second time, at the same offset, for a
// server that wants the body twice, and returns the new body. The error is errChanging if the file has
// changed. The caller must not read the old body any more. The method end closes the new one.
func (g *guardedBody) reopen() (io.Reader, error) {
	r, err := g.from.engine.Do(g.ctx, &access.Request{URL: g.url, Login: g.Login, Offset: g.begun})
	if err != nil {
		return nil, err
	}
	if r.Offset != g.begun || r.Size != g.source.Size || retry.IsChanged(access.Validator{ModTime: g.source.ModTime}, access.Validator{ModTime: r.ModTime}) {
		r.Body.Close()
		return nil, errChanging
	}
	g.closeReopened()
	g.reopened = r.Body
	g.done = g.begun
	left := r.Size
	if left >= 0 {
		left -= g.begun
	}
	return &guardedBody{Reader: r.Body, sending: g.sending, turn: g.turn, ctx: g.ctx, left: left}, nil
}

// end waits until a running Read has returned, and makes later Reads fail with fs.ErrClosed. It closes
// the file that reopen has opened, and leaves the first file to its owner.
func (g *guardedBody) end() {
	g.reading.Lock()
	defer g.reading.Unlock()
	g.ended = true
	g.closeReopened()
}

// closeReopened closes the file that reopen has opened, if there is one.
func (g *guardedBody) closeReopened() {
	if g.reopened != nil {
		g.reopened.Close()
		g.reopened = nil
	}
}
