package gemini

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"locus/access"
	"locus/proto/internal/wire"
)

// An upload sends a request with its content while another goroutine waits for the answer, because a server may refuse
// the upload before it has read all of it.
type upload struct {
	*session
	content io.Reader
	failed  error       // the error of content; nil if it has none
	isDone  atomic.Bool // all bytes were sent, or sending has failed
	sent    chan error  // gets the result of send
}

// newUpload returns an upload whose request is sent by run.
func newUpload(s *session, content io.Reader) *upload {
	return &upload{session: s, content: content, sent: make(chan error, 1)}
}

// run sends request, a line with its line end, and the content, and reads the first line of the answer. It returns nil
// for an answer that refuses the upload, even if the server has not read all of it. A success or a redirect before the
// end of the content is an error. Except after a success or a redirect, run closes the connection.
func (u *upload) run(request string) error {
	go func() { u.sent <- u.send(request) }()
	err := u.await()
	if err == nil {
		err = u.readStatus()
	}
	if err == nil && u.hasSucceeded() {
		if err := <-u.sent; err != nil {
			return u.orContentError(fmt.Errorf("the server answered %d before it had the whole content: %w", u.status, err))
		}
		return nil
	}
	u.Close() // which ends send
	sendErr := <-u.sent
	if idle, isIdle := errors.AsType[*wire.IdleError](sendErr); isIdle && err != nil {
		err = idle
	}
	if err != nil {
		return u.orContentError(err)
	}
	return nil
}

// send sends request and the content, and sets isDone. If the content cannot be read, or the server accepts nothing,
// send closes the connection, because no answer will follow.
func (u *upload) send(request string) error {
	defer u.isDone.Store(true)
	_, err := io.WriteString(u.Conn, request)
	if err == nil {
		_, err = io.Copy(u.Conn, contentReader{upload: u})
	}
	if u.failed != nil || wire.IsTimeout(err) {
		u.Close()
	}
	return err
}

// A contentReader reads the content of an upload, and keeps its error.
type contentReader struct{ upload *upload }

// Read reads the content, and stores an error of the content other than io.EOF in failed.
func (r contentReader) Read(p []byte) (int, error) {
	n, err := r.upload.content.Read(p)
	if err != nil && !access.IsEnd(err) {
		r.upload.failed = err
	}
	return n, err
}

// orContentError returns the error of the content if it has failed, and err otherwise. The goroutine of send must have
// ended.
func (u *upload) orContentError(err error) error {
	if u.failed != nil {
		return u.failed
	}
	return err
}

// await waits for the first byte of the answer. The idle limit of the server counts only when everything is sent.
func (u *upload) await() error {
	for {
		wasDone := u.isDone.Load()
		_, err := u.r.Peek(1)
		if _, isIdle := errors.AsType[*wire.IdleError](err); isIdle && !wasDone {
			continue
		}
		return wire.Early(err)
	}
}
