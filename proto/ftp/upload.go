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
	"locus/proto/internal/wire"
)

// An uploadResult is the outcome of an upload.
type uploadResult struct {
	started     bool // the server has received a part, or may have
	bodyFailed  bool // the body could not be read
	bytesSent   int64
	first, last access.Reply
}

// upload sends a command and then body as its data, starting at offset. With an error
// too, up says how far the upload came.
func (s *session) upload(command string, offset int64, body io.Reader) (up uploadResult, err error) {
	data, first, err := s.transfer(command, offset)
	if err != nil {
		up.started = first.Code/100 == 1
		return up, err
	}
	defer data.Close()
	keepAlive(data)
	up.started, up.first = true, first
	source := &bodyReader{Reader: body}
	up.bytesSent, err = io.CopyBuffer(onlyWriter{data}, onlyReader{source}, make([]byte, copyBufferSize))
	if source.err != nil {
		up.bodyFailed = true
		s.abortUpload(data)
		return up, s.cause(source.err)
	}
	if err == nil {
		err = closeWrite(data)
	}
	if first.Code < 200 {
		up.last, err = s.uploadReply(err)
	}
	return up, s.cause(err)
}

// uploadReply reads the reply at the end of an upload. If sending failed, it
// returns an error even if the reply is positive.
func (s *session) uploadReply(sending error) (access.Reply, error) {
	r, err := s.readCompletion()
	if _, refused := errors.AsType[*access.Refusal](err); err == nil && sending != nil || err != nil && !refused {
		s.broken = true
		err = fmt.Errorf("%w: %w", errBroken, errors.Join(sending, err))
	}
	return r, err
}

// abortUpload aborts an incomplete upload. It resets the data connection, so
// that the server does not take the end for the end of the file.
func (s *session) abortUpload(data *wire.Conn) {
	if hard, ok := data.NetConn().(interface{ SetLinger(int) error }); ok {
		_ = hard.SetLinger(0)
	}
	data.Close()
	if !s.abort() {
		s.broken = true
	}
}

// A bodyReader remembers the error of its Reader. So errors of the body and of
// the connection stay apart.
type bodyReader struct {
	io.Reader
	err error
}

func (s *bodyReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !access.IsEnd(err) {
		s.err = err
	}
	return n, err
}

// removePartial deletes what a failed upload left, and returns why it failed.
// It uses a new connection if this one is broken.
func (s *session) removePartial(name string, cause error) error {
	if !s.broken && s.ctx.Err() == nil {
		if s.removePart(name) == nil {
			return cause
		}
		return leftover(cause, name)
	}
	s.drop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), cleanupTimeout)
	defer cancel()
	if s.removeOnNewConn(ctx, name) != nil {
		return leftover(cause, name)
	}
	return cause
}

// cleanupTimeout limits the removal of a partial upload.
const cleanupTimeout = 10 * time.Second

func (s *session) removeOnNewConn(ctx context.Context, name string) error {
	o := *s.operation
	o.ctx, o.client.Pool = ctx, nil
	o.view.Password = s.login.password
	again, err := o.openSession(true)
	if err != nil {
		return err
	}
	defer again.release()
	if err := again.changeDir(); err != nil {
		return err
	}
	return again.removePart(name)
}

// removePart deletes a file that an upload left, also if the server has changed its
// name. The random end of a temporary name tells which file that is.
func (s *session) removePart(name string) error {
	err := s.doExpect(2, "DELE "+name)
	mark := strings.LastIndex(name, partMark)
	if !errors.Is(err, fs.ErrNotExist) || mark < 0 {
		return err
	}
	stored, findErr := s.findName(func(listed string) bool {
		return strings.HasSuffix(listed, name[mark:]) && !strings.ContainsAny(listed, "\r\x00")
	})
	if findErr != nil || stored == "" || stored == name {
		return err
	}
	return s.doExpect(2, "DELE "+stored)
}

// leftover returns the error of an upload that may have left a part in name.
func leftover(cause error, name string) error {
	return access.WithRemedy(cause, access.Advice(fmt.Sprintf("a part of the file may remain on the server as %q", name)))
}
