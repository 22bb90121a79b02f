package ftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// An uploadResult is the outcome of an upload, also of one that failed.
type uploadResult struct {
	started     bool // the server may have received a part
	bodyFailed  bool // the body could not be read
	bytesSent   int64
	first, last access.Reply // the first and the final reply; zero if they did not come
}

// upload sends a command that starts at offset, and body as its data. The result describes how far
// the upload came, also with an error.
func (b *boundConn) upload(command string, offset int64, body io.Reader) (up uploadResult, err error) {
	data, first, err := b.transfer(command, offset)
	if err != nil {
		up.started = first.Code/100 == 1
		return up, err
	}
	defer data.Close()
	keepAlive(data)
	up.started, up.first = true, first
	source := &bodyReader{Reader: body}
	stop := func() {}
	if first.Code < 200 {
		stop = b.watchRefusal(data)
	}
	up.bytesSent, err = io.CopyBuffer(onlyWriter{data}, onlyReader{source}, make([]byte, copyBufferSize))
	stop()
	if source.err != nil {
		up.bodyFailed = true
		b.abortUpload(data)
		return up, b.cause(source.err)
	}
	if err == nil {
		err = closeWrite(data)
	}
	if first.Code < 200 {
		up.last, err = b.uploadReply(err)
	}
	return up, b.cause(err)
}

// watchRefusal closes data if the server refuses the upload while it is sent, so that the next write fails. It
// leaves the reply to uploadReply. The caller must not use the control connection before it has called stop.
//
// QUIRK: Twisted sends 550 after 125 and leaves the data connection open.
func (b *boundConn) watchRefusal(data *wire.Conn) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(replyInterval)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
			}
			if first, ok := b.peekReply(); ok {
				if first == '4' || first == '5' {
					data.Close()
				}
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// uploadReply reads the reply at the end of an upload. sending is the error that ended the upload, or nil. If the
// server refuses the upload, the error is its *engine.Refusal, even if sending failed, because it has the reason. If sending failed, or the
// reply did not come, the error wraps errBroken, and the connection is broken.
func (b *boundConn) uploadReply(sending error) (access.Reply, error) {
	r, err := b.readCompletion()
	if _, refused := errors.AsType[*engine.Refusal](err); err == nil && sending != nil || err != nil && !refused {
		b.broken = true
		err = fmt.Errorf("%w: %w", errBroken, errors.Join(sending, err))
	}
	return r, err
}

// abortUpload aborts an incomplete upload, and marks the control connection as broken if it cannot be used again. It
// resets the data connection, so that the server does not take the end of the connection for the end of the file.
func (b *boundConn) abortUpload(data *wire.Conn) {
	if hard, ok := data.NetConn().(interface{ SetLinger(int) error }); ok {
		_ = hard.SetLinger(0)
	}
	data.Close()
	if !b.abort() {
		b.broken = true
	}
}

// A bodyReader keeps the error of its Reader, so that upload can tell errors of the body from
// errors of the connection.
type bodyReader struct {
	io.Reader
	err error
}

// Read reads the body, and keeps an error other than its end in r.err.
func (r *bodyReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !access.IsEnd(err) {
		r.err = err
	}
	return n, err
}

// removePartial deletes the file that a failed upload left, and returns cause. If it cannot delete the file, it returns
// cause with a hint. If this connection is broken or the context is done, removePartial drops it and uses a new one.
func (b *boundConn) removePartial(name string, cause error) error {
	if !b.broken && b.ctx.Err() == nil {
		if b.removePart(name) == nil {
			return cause
		}
		return leftover(cause, name)
	}
	b.drop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), cleanupTimeout)
	defer cancel()
	if b.removeOnNewConn(ctx, name) != nil {
		return leftover(cause, name)
	}
	return cause
}

// cleanupTimeout limits the removal of a partial upload.
const cleanupTimeout = 10 * time.Second

// removeOnNewConn deletes the file of that name on a connection that no pool keeps.
func (b *boundConn) removeOnNewConn(ctx context.Context, name string) error {
	o := *b.operation
	o.ctx, o.client.Pool = ctx, nil
	o.view.Password = b.login.password
	again, err := o.openConn(true)
	if err != nil {
		return err
	}
	defer again.release()
	if err := again.changeDir(); err != nil {
		return err
	}
	return again.removePart(name)
}

// removePart deletes the file of that name, which an upload has left. If the server does not have it because it has
// changed the name, removePart finds a temporary file by the random digits at its end.
func (b *boundConn) removePart(name string) error {
	err := b.doExpect(2, "DELE "+name)
	mark := strings.LastIndex(name, ".part-")
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || !isUnclear(refused) && !errors.Is(err, fs.ErrNotExist) || mark < 0 {
		return err
	}
	stored, findErr := b.findName("NLST", func(listed string) bool {
		return strings.HasSuffix(listed, name[mark:]) && !strings.ContainsAny(listed, "\r\x00")
	})
	if findErr != nil || stored == "" || stored == name {
		return err
	}
	return b.doExpect(2, "DELE "+stored)
}

// leftover returns cause with the advice that a part of the file may remain under this name.
func leftover(cause error, name string) error {
	return access.WithRemedy(cause, access.Advice(fmt.Sprintf("a part of the file may remain on the server as %q", name)))
}
