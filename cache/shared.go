package cache

import (
	"context"
	"io"
	"io/fs"
	"sync"

	"locus/access"
)

// A sharedBody has one writer, the goroutine of a decision, and many readers, the members of
// the decision. The bytes go into a file, from which every reader reads at its own speed.
//
//	awaited ──▶ filling ──▶ complete   the file is stored
//	               │    └─▶ broken     the file is removed, and readers get the error
//	               ▼
//	            passing ──▶ complete or broken; the file is removed
//
// A resource of unknown size may turn out to be larger than the folder allows. Then the file
// keeps the bytes before the offset kept, and the body passes the later bytes on: the writer
// waits until the slowest reader has them (pace.go). Members join while every byte is in the file.
type sharedBody struct {
	folder  *Folder
	abandon func() // called when the last member has left, without mu

	mu      sync.Mutex
	changed sync.Cond        // signals a change of a field below, or of a reader's context
	state   bodyState        // only the writer changes it
	err     error            // for the readers, in the state broken
	members int              // the readers, and the requests that may become readers
	readers map[*reader]bool // the Bodies that are open
	file    *writing         // nil while awaited; only the writer changes it
	n       int64            // bytes received
	kept    int64            // the file has the bytes before this offset
	beyond  []byte           // the bytes before n, from kept on, that a reader may not have read yet
}

// A bodyState is the state of a sharedBody. The diagram above explains each.
type bodyState int

const (
	awaited bodyState = iota
	filling
	passing
	complete
	broken
)

// newSharedBody returns an awaited body whose one member is the caller. The body calls abandon when
// its last member leaves.
func newSharedBody(folder *Folder, abandon func()) *sharedBody {
	b := &sharedBody{folder: folder, abandon: abandon, members: 1, readers: make(map[*reader]bool), kept: folder.largest()}
	b.changed.L = &b.mu
	return b
}

// join adds a member, which may read the body from its start. It returns false, and adds none, if
// the first bytes may be lost, if the body is broken, or if all members have left.
func (b *sharedBody) join() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.members == 0 || b.state == passing || b.state == broken || b.n > b.kept {
		return false
	}
	b.members++
	return true
}

// leave removes a member. If no members are left, it calls abandon, so that the request to the
// server ends.
func (b *sharedBody) leave() {
	if b.removeMember() == 0 {
		b.abandon()
	}
}

// removeMember removes a member, and returns how many are left. If the body is complete or broken,
// the last member to leave closes the file.
func (b *sharedBody) removeMember() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.members--
	b.changed.Broadcast()
	if b.members == 0 && b.isEnded() {
		b.file.close()
	}
	return b.members
}

// isEnded reports whether the body is complete or broken. The caller holds mu.
func (b *sharedBody) isEnded() bool { return b.state == complete || b.state == broken }

// begin moves an awaited body to the state filling, in which fill writes into file. It does not
// wake members, because they wait for the decision, not for the body.
func (b *sharedBody) begin(file *writing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.file, b.state = file, filling
}

// fill reads all bytes of from, gives them to the file and to the readers, and closes from. At the
// end it stores the file with the metadata stored. If from breaks off, or all members leave while
// fill waits for them, the body breaks off. size is the expected number of bytes; negative if
// unknown.
func (b *sharedBody) fill(from io.ReadCloser, size int64, stored *metadata) {
	defer from.Close()
	length := int64(64 << 10)
	if size >= 0 {
		length = min(length, size+1) // one more, so that Read can return the end
	}
	buffer := make([]byte, length)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if err := b.write(buffer[:n]); err != nil {
				b.breakOff(err)
				return
			}
		}
		switch {
		case access.IsEnd(err):
			b.complete(stored)
			return
		case err != nil:
			b.breakOff(err)
			return
		}
	}
}

// write adds p to the file, as far as the file may grow. If the file is full or cannot be written,
// the other bytes stay only in p, so write waits until every reader has read them. The error is
// context.Canceled if all members leave meanwhile.
func (b *sharedBody) write(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n < b.kept && b.folder.isFull() {
		b.kept = b.n
	}
	if b.n+int64(len(p)) > b.kept {
		b.state = passing
	}
	if b.n < b.kept {
		toFile := p[:min(int64(len(p)), b.kept-b.n)]
		b.mu.Unlock() // because the disk may be slow
		n, err := b.file.Write(toFile)
		b.mu.Lock()
		b.n += int64(n)
		p = p[n:]
		if err != nil { // the disk is full
			b.kept, b.state = b.n, passing
		}
	}
	b.beyond = p
	b.n += int64(len(p))
	b.changed.Broadcast()
	if len(p) == 0 {
		return nil
	}
	return b.awaitReaders()
}

// complete ends the body successfully. It stores the file with the metadata stored. If the file
// lacks bytes or cannot be stored, complete removes it without an error, because the readers get
// all bytes anyway.
func (b *sharedBody) complete(stored *metadata) {
	if b.state == passing || b.file.commit(stored) != nil {
		b.file.forget()
	}
	b.end(complete, nil)
}

// breakOff ends a body that is filling or passing, and removes its file. The readers get err after
// the bytes that have arrived. breakOff has no effect before begin and after the end of the body.
func (b *sharedBody) breakOff(err error) {
	if b.state != filling && b.state != passing {
		return
	}
	b.file.forget()
	b.end(broken, err)
}

// end moves the body to its final state s, complete or broken, with err for the readers of a broken
// body. If all members have left, end closes the file; otherwise the last member closes it.
func (b *sharedBody) end(s bodyState, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state, b.err = s, err
	b.changed.Broadcast()
	if b.members == 0 {
		b.file.close()
	}
}

// open returns a new reader for a member, which begins at the first byte. Close of the reader
// leaves the body. Reads fail when ctx is done.
func (b *sharedBody) open(ctx context.Context) *reader {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &reader{ctx: ctx, body: b}
	r.stop = context.AfterFunc(ctx, b.wake)
	b.readers[r] = true
	return r
}

// wake wakes the readers that wait, so that they notice that their contexts are done.
func (b *sharedBody) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed.Broadcast()
}

// A reader is the Body that one member of a sharedBody reads.
type reader struct {
	ctx  context.Context
	body *sharedBody
	stop func() bool
	at   int64 // the offset of the next byte
	pace pace
}

// Read waits until bytes have arrived. After the last byte it returns io.EOF, or the error of a
// broken body. It returns the cause of ctx once ctx is done, errSlow once the body has dropped the
// reader, and fs.ErrClosed after Close.
func (r *reader) Read(p []byte) (n int, err error) {
	b := r.body
	b.mu.Lock()
	defer b.mu.Unlock()
	for r.at == b.n && !b.isEnded() && r.ctx.Err() == nil && b.readers[r] {
		b.changed.Wait()
	}
	switch {
	case r.ctx.Err() != nil:
		return 0, context.Cause(r.ctx)
	case r.pace.isTooSlow():
		return 0, errSlow
	case !b.readers[r]:
		return 0, fs.ErrClosed
	case r.at < min(b.n, b.kept):
		p = p[:min(int64(len(p)), min(b.n, b.kept)-r.at)]
		b.mu.Unlock()
		n, err = b.file.file.ReadAt(p, r.at)
		b.mu.Lock()
	case r.at < b.n:
		n = copy(p, b.beyond[int64(len(b.beyond))-(b.n-r.at):])
	case b.state == broken:
		return 0, b.err
	default:
		return 0, io.EOF
	}
	r.at += int64(n)
	if b.state == passing {
		b.changed.Broadcast() // the writer waits for the slowest reader
	}
	return n, err
}

// Close leaves the body, unless the body has dropped the reader. A Read that waits returns fs.ErrClosed.
// A second Close returns nil.
func (r *reader) Close() error {
	r.stop()
	b := r.body
	b.mu.Lock()
	isMember := b.readers[r]
	delete(b.readers, r)
	b.mu.Unlock()
	if isMember {
		b.leave()
	}
	return nil
}
