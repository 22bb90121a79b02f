package prospero

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"locus/access"
	"locus/url"
)

// Contents are the contents of an object. They are read as their packets arrive, so that
// an object of any size needs the memory of a window.
//
// The reply has them as one attribute or as several:
//
//	ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'This is'
//	ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE TAGGED key value
type contents struct {
	target  target
	x       *exchange
	lexer   lexer
	reply   reply  // everything but the contents
	data    []byte // contents that are not yet read
	hasData bool   // there is an attribute CONTENTS
	err     error  // after data; io.EOF at the end
}

// openContents sends the request for the contents of t, and reads their beginning. Close
// the exchange x.
func (c Client) openContents(ctx context.Context, t target) (*contents, error) {
	x, err := c.start(ctx, t.address(), t.contents())
	if err != nil {
		return nil, err
	}
	o := &contents{target: t, x: x}
	o.lexer = lexer{
		line: o.addLine, streams: o.isData, limit: c.maxReply(),
		data: func(part []byte) { o.data = append(o.data, part...) },
	}
	if o.fill(); ended(o.err) != nil && len(o.data) == 0 {
		x.close()
		return nil, o.err
	}
	return o, nil
}

// isData reports whether the token after these is data of the contents.
func (o *contents) isData(tokens []string) bool {
	const most = 6 // ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA
	if n := len(tokens); n == 0 || n > most || tokens[n-1] != "DATA" || len(o.reply.links) > 0 {
		return false
	}
	a, ok := parseAttribute(tokens[0], tokens[1:])
	return ok && isContents(a) && slices.Equal(a.Values, []string{"DATA"})
}

func isContents(a Attribute) bool { return a.Name == "CONTENTS" && a.Depth == 0 }

// addLine adds the meaning of a line. The lexer has taken DATA already.
func (o *contents) addLine(tokens []string) error {
	if len(tokens) == 0 || len(o.reply.links) > 0 {
		return o.reply.addLine(tokens)
	}
	a, ok := parseAttribute(tokens[0], tokens[1:])
	if !ok || !isContents(a) {
		return o.reply.addLine(tokens)
	}
	o.hasData = true
	switch v := a.Values; {
	case len(v) == 2 && v[0] == "DATA":
	case len(v) == 3 && v[0] == "TAGGED":
		o.data = append(o.data, v[1]+": "+v[2]...)
	default:
		return fmt.Errorf("contents that are neither DATA nor TAGGED: %w", access.ErrProtocol)
	}
	return nil
}

// fill reads packets until there is data, or the reply has ended. If the rest of the reply
// has arrived, fill reads to its end, so that the size is known.
func (o *contents) fill() {
	if o.err != nil {
		return
	}
	o.data = o.data[:0]
	for o.err == nil && (len(o.data) == 0 || o.x.reply.isComplete()) {
		o.err = o.receive()
	}
}

// receive reads one part of the reply. The error is io.EOF if it was the last.
func (o *contents) receive() error {
	text, err := o.x.next()
	if access.IsEnd(err) {
		return o.end()
	}
	if err != nil {
		return err
	}
	return o.lexer.write(text)
}

// end returns io.EOF if the reply is whole and right.
func (o *contents) end() error {
	if err := o.lexer.end(); err != nil {
		return err
	}
	if err := o.reply.moved(o.target); err != nil {
		return err
	}
	switch {
	case o.reply.err != nil:
		return o.reply.err
	case !o.hasData:
		return errNoMethod
	}
	return io.EOF
}

// Read reads contents.
func (o *contents) Read(p []byte) (int, error) {
	if len(o.data) == 0 {
		o.fill()
	}
	if len(o.data) == 0 {
		return 0, o.err
	}
	n := copy(p, o.data)
	o.data = o.data[n:]
	return n, nil
}

// size returns how many bytes are left; -1 if that is unknown.
func (o *contents) size() int64 {
	if access.IsEnd(o.err) {
		return int64(len(o.data))
	}
	return -1
}

// skip reads n bytes. The error is access.ErrRange if n is not 0 and no byte follows.
func (o *contents) skip(n int64) error {
	if n == 0 {
		return nil
	}
	if _, err := io.CopyN(io.Discard, o, n); err != nil {
		return rangeError(err)
	}
	if len(o.data) == 0 {
		o.fill()
	}
	if len(o.data) == 0 {
		return rangeError(o.err)
	}
	return nil
}

// rangeError returns access.ErrRange for io.EOF.
func rangeError(err error) error {
	if access.IsEnd(err) {
		return access.ErrRange
	}
	return err
}

// A stream is contents as the Body of a resource. Close may be called while Read waits.
type stream struct {
	url    url.URL
	ctx    context.Context // that of the exchange
	cancel context.CancelCauseFunc
	mu     sync.Mutex // held while the contents are used
	from   *contents
}

func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return 0, access.Fail("read", s.url, context.Cause(s.ctx))
	}
	n, err := s.from.Read(p)
	if err != nil && !access.IsEnd(err) {
		err = access.Fail("read", s.url, err)
	}
	return n, err
}

func (s *stream) Close() error {
	s.cancel(fs.ErrClosed) // ends a Read
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from.x.close()
	return nil
}
