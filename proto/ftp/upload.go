package ftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// An upload is what became of data that were sent.
type upload struct {
	begun       bool // the server has taken some, or may have
	sent        int64
	first, last access.Reply
}

// give sends a command whose data are body, from offset on.
func (s *session) give(command string, offset int64, body io.Reader) (up upload, err error) {
	data, first, err := s.transfer(command, offset)
	if err != nil {
		up.begun = first.Code/100 == 1
		return up, err
	}
	defer data.Close()
	up.begun, up.first = true, first
	source := &source{Reader: body}
	up.sent, err = io.CopyBuffer(onlyWriter{data}, onlyReader{source}, make([]byte, copyBuffer))
	if source.err != nil {
		s.breakOff(data)
		return up, s.why(source.err)
	}
	if err == nil {
		err = closeWrite(data)
	}
	if first.Code < 200 {
		up.last, err = s.accepted(err)
	}
	return up, s.why(err)
}

// accepted reads what the server says at the end of an upload. If sending has
// failed it says why, and never that all is well.
func (s *session) accepted(sending error) (access.Reply, error) {
	r, err := s.complete()
	if _, refused := errors.AsType[*access.Refusal](err); err == nil && sending != nil || err != nil && !refused {
		s.spoilt = true
		err = fmt.Errorf("%w: %w", errBroken, errors.Join(sending, err))
	}
	return r, err
}

// breakOff ends an upload whose data did not come to their end: a reset is not
// taken for one.
func (s *session) breakOff(data *wire.Conn) {
	if hard, ok := data.NetConn().(interface{ SetLinger(int) error }); ok {
		_ = hard.SetLinger(0)
	}
	data.Close()
	if !s.abort() {
		s.spoilt = true
	}
}

// A source is a Reader that remembers its error, so that what went wrong with
// it is not taken for what went wrong with the connection.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		s.err = err
	}
	return n, err
}

// discard removes what a failed upload has left, on a connection of its own if
// this one is of no use, and returns why it failed.
func (s *session) discard(name string, why error) error {
	if !s.spoilt && s.ctx.Err() == nil {
		if s.must(2, "DELE "+name) == nil {
			return why
		}
		return leftover{why, name}
	}
	s.drop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), cleaning)
	defer cancel()
	if s.discardAnew(ctx, name) != nil {
		return leftover{why, name}
	}
	return why
}

// cleaning is how long the removal of what was left may take.
const cleaning = 10 * time.Second

func (s *session) discardAnew(ctx context.Context, name string) error {
	e := *s.errand
	e.ctx, e.client.Pool = ctx, nil
	e.view.Password = s.login.password
	again, err := e.begin(true)
	if err != nil {
		return err
	}
	defer again.leave()
	if err := again.walk(); err != nil {
		return err
	}
	return again.must(2, "DELE "+name)
}

// leftover is the error of an upload that has left something behind.
type leftover struct {
	error
	name string
}

func (l leftover) Unwrap() error { return l.error }

func (l leftover) Suggest() access.Remedy {
	return access.Advice(fmt.Sprintf("the server may have kept a part of it as %q", l.name))
}
