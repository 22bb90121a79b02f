package locus

import (
	"context"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/url"
)

// A Trace is a set of hooks that a Client calls while it does a request, like a ClientTrace
// of net/http/httptrace. Any hook may be nil. A Client without a Trace does not pay for it.
//
// A request has one attempt for its own URL, one for each redirect that the Client follows,
// one for each retry, and one each time that a Body is opened again because its connection
// broke. A request that the Client refuses, or that its Cache answers, does not have
// attempts. Requests for the same URL that share a fetch of the Cache share its attempts,
// which belong to the first request. With Client.HTTP each redirect of http is a request of
// its own.
//
// The hooks of a request may be called from several goroutines at once, and those of its
// attempts also after the request is done. They must not block. AttemptDone and RequestDone
// are called once after each start: when Do fails, when the Body or the List ends or fails,
// or when the Body is closed, whichever comes first; after an Op without a Body, when Do
// returns.
//
// A Trace sees events and their times. An engine.Tap sees the bytes on the connections,
// which an archive needs; it makes http slower, because it has to use HTTP/1.1.
type Trace struct {
	// StartRequest is called when a request begins. The request runs in the context that it
	// returns, such as a context with a span.
	StartRequest func(ctx context.Context, r TraceInfo) context.Context

	// StartAttempt is called when an attempt begins, after it has got its turn of the
	// Limiter. ctx is from StartRequest. The attempt runs in the context that it returns.
	StartAttempt func(ctx context.Context, a TraceInfo) context.Context

	// Connected is called when an attempt has a connection on which it sends its commands.
	// An attempt may have several, for example because net/http repeats a request. ctx is
	// from StartAttempt.
	Connected func(ctx context.Context, a TraceInfo, c access.Connection)

	// AttemptDone is called when an attempt ends. ctx is from StartAttempt.
	AttemptDone func(ctx context.Context, a TraceInfo, d TraceDone)

	// RequestDone is called when a request ends. ctx is from StartRequest.
	RequestDone func(ctx context.Context, r TraceInfo, d TraceDone)
}

// A TraceInfo names a request or an attempt.
type TraceInfo struct {
	Op     access.Op
	URL    url.URL // it may have a password, so log its Redacted
	Scheme string  // of URL
	Host   string  // of URL, without its port; "" if URL has no host

	// Attempt is 0 for a request, 1 for the first attempt at URL, 2 for the first retry, and
	// so on.
	Attempt int
}

// A TraceDone says how a request or an attempt ended.
type TraceDone struct {
	Bytes    int64         // how many were read from the Body
	Entries  int           // how many were read from the List
	Duration time.Duration // since the start
	Err      error         // why it failed; nil if it succeeded, or if its Body was closed early
}

// traceRequests returns an engine that does each request with engine, and calls StartRequest and
// RequestDone. It returns engine itself if t is nil or lacks both hooks.
func (t *Trace) traceRequests(engine access.Engine) access.Engine {
	if t == nil || t.StartRequest == nil && t.RequestDone == nil {
		return engine
	}
	return traced{engine: engine, start: t.StartRequest, done: t.RequestDone}
}

// traceAttempts returns an engine that does each attempt with engine, and calls StartAttempt,
// Connected and AttemptDone. It returns engine itself if t is nil or lacks all three hooks.
func (t *Trace) traceAttempts(engine access.Engine) access.Engine {
	if t == nil || t.StartAttempt == nil && t.Connected == nil && t.AttemptDone == nil {
		return engine
	}
	return traced{engine: engine, isAttempt: true, start: t.StartAttempt, connected: t.Connected, done: t.AttemptDone}
}

// traced is an Engine that calls hooks. Each may be nil.
type traced struct {
	engine    access.Engine
	isAttempt bool
	start     func(context.Context, TraceInfo) context.Context
	connected func(context.Context, TraceInfo, access.Connection)
	done      func(context.Context, TraceInfo, TraceDone)
}

// Do executes req and calls the hooks. It calls done when Do fails, or else when the Body or the
// List ends, fails or is closed; after an Op without a Body, when Do returns.
func (t traced) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	host, _ := req.URL.Host()
	info := TraceInfo{Op: req.Op, URL: req.URL, Scheme: req.URL.Scheme(), Host: host}
	if t.isAttempt {
		info.Attempt = req.Attempt + 1
	}
	began := time.Now()
	if t.start != nil {
		ctx = t.start(ctx, info)
	}
	inner := ctx
	if t.connected != nil {
		inner = access.WithConnected(ctx, func(c access.Connection) { t.connected(ctx, info, c) })
	}
	span := &span{began: began, done: func(d TraceDone) {
		if t.done != nil {
			t.done(ctx, info, d)
		}
	}}
	r, err := t.engine.Do(inner, req)
	if err != nil || !req.Op.HasBody() {
		span.end(err)
		return r, err
	}
	body := &tracedBody{r.Body, r.List, span}
	r.Body = body
	if r.List != nil {
		r.List = body
	}
	return r, nil
}

// A span is a request or an attempt that has begun.
type span struct {
	began time.Time
	done  func(TraceDone)

	mu      sync.Mutex
	bytes   int64
	entries int
	ended   bool
}

// add adds to the counts of bytes and entries that were read.
func (s *span) add(bytes int64, entries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += bytes
	s.entries += entries
}

// end calls done with the counts so far, the time since the start, and err. Later calls have no
// effect.
func (s *span) end(err error) {
	s.mu.Lock()
	isFirst := !s.ended
	s.ended = true
	d := TraceDone{Bytes: s.bytes, Entries: s.entries, Duration: time.Since(s.began), Err: err}
	s.mu.Unlock()
	if isFirst {
		s.done(d)
	}
}

// endReading ends the span if err, the error of a Read or Next, is not nil. io.EOF ends it without
// an error.
func (s *span) endReading(err error) {
	switch {
	case err == io.EOF: // a wrapped io.EOF is an early end
		s.end(nil)
	case err != nil:
		s.end(err)
	}
}

// A tracedBody is the Body and the List of a Resource.
type tracedBody struct {
	io.ReadCloser
	list access.Lister
	span *span
}

// Read counts the bytes that it reads. An error, or the end of the body, ends the span.
func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.span.add(int64(n), 0)
	b.span.endReading(err)
	return n, err
}

// Next counts the entries that it returns. An error, or the end of the list, ends the span.
func (b *tracedBody) Next() (access.Entry, error) {
	e, err := b.list.Next()
	if err == nil {
		b.span.add(0, 1)
	}
	b.span.endReading(err)
	return e, err
}

// Close closes the body and ends the span. The span has no error, even if the body was not read to
// its end.
func (b *tracedBody) Close() error {
	err := b.ReadCloser.Close()
	b.span.end(nil)
	return err
}
