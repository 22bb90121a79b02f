package prospero

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// contents reads the contents of an object as their packets arrive, so that an object of any
// size needs only the memory of a window.
//
// The reply has the contents as one or several attributes:
//
//	ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'This is'
//	ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE TAGGED key value
type contents struct {
	target  target
	request *ardpRequest
	lexer   lexer
	reply   reply  // everything except the contents
	data    []byte // the contents that Read has not returned yet
	hasData bool   // the reply has an attribute CONTENTS
	err     error  // what Read returns after data; io.EOF at the end
}

// openContents requests the contents of t and reads their beginning. It returns an error only
// if the reply fails before the first byte of the contents; a later error is in the field err
// of the result. The caller must call close of the result's request.
func (c Client) openContents(ctx context.Context, t target) (*contents, error) {
	r, err := c.start(ctx, t.address(), t.contentsRequest())
	if err != nil {
		return nil, err
	}
	o := &contents{target: t, request: r}
	o.lexer = lexer{
		line: o.addLine, streams: o.isData, limit: c.maxReply(),
		data: func(part []byte) { o.data = append(o.data, part...) },
	}
	if o.fill(); withoutEOF(o.err) != nil && len(o.data) == 0 {
		r.close()
		return nil, o.err
	}
	return o, nil
}

// isData reports whether the token after these tokens of a line is data of the contents.
func (o *contents) isData(tokens []string) bool {
	const most = 6 // ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA
	if n := len(tokens); n == 0 || n > most || tokens[n-1] != "DATA" || len(o.reply.links) > 0 {
		return false
	}
	a, ok := parseAttribute(tokens[0], tokens[1:])
	return ok && isContents(a) && slices.Equal(a.Values, []string{"DATA"})
}

// isContents reports whether a is the attribute with the contents of the object.
func isContents(a Attribute) bool { return a.Name == "CONTENTS" && a.Depth == 0 }

// addLine adds a line of the reply: to data if the line is a CONTENTS attribute, and to reply
// otherwise. It fails if the contents are neither DATA nor TAGGED. The lexer has already
// appended the data of a DATA attribute, so that its token is "".
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

// fill replaces data, which Read has returned, by the next data. It waits for packets until
// there is data, or until the reply has ended. If the rest of the reply has arrived already,
// fill reads all of it, so that size knows the size. At the end it sets err.
func (o *contents) fill() {
	if o.err != nil {
		return
	}
	o.data = o.data[:0]
	for o.err == nil && (len(o.data) == 0 || o.request.reply.isComplete()) {
		o.err = o.receive()
	}
}

// receive waits for more of the reply, and appends its contents to data. The error is io.EOF
// after a complete reply.
func (o *contents) receive() error {
	text, err := o.request.next()
	if access.IsEnd(err) {
		return o.end()
	}
	if err != nil {
		return err
	}
	return o.lexer.write(text)
}

// end returns io.EOF if the reply is complete and has contents. Otherwise it returns the
// failure that the server reports, or an [*access.Moved].
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

// Read reads the contents, and waits for packets if necessary. It returns io.EOF at the end of
// a complete reply.
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

// size returns the number of bytes that Read has not returned. It returns -1 if the end of the
// contents has not arrived yet.
func (o *contents) size() int64 {
	if access.IsEnd(o.err) {
		return int64(len(o.data))
	}
	return -1
}

// skip reads n bytes and discards them. The error is access.ErrRange if n is not 0 and no byte
// follows them.
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

// rangeError converts io.EOF to access.ErrRange. It returns other errors unchanged.
func rangeError(err error) error {
	if access.IsEnd(err) {
		return access.ErrRange
	}
	return err
}

// A stream is the Body of a resource and reads contents. Close may be called while Read waits.
type stream struct {
	url    url.URL
	ctx    context.Context // the context of the ardpRequest
	cancel context.CancelCauseFunc
	mu     sync.Mutex // guards from
	from   *contents
}

// Read reads the contents until ctx is done or the stream is closed. Its errors name the URL.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return 0, engine.Fail("read", s.url, context.Cause(s.ctx))
	}
	n, err := s.from.Read(p)
	if err != nil && !access.IsEnd(err) {
		err = engine.Fail("read", s.url, err)
	}
	return n, err
}

// Close makes a waiting Read fail, and then closes the socket of the request. It always
// returns nil.
func (s *stream) Close() error {
	s.cancel(fs.ErrClosed) // ends a Read that waits
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from.request.close()
	return nil
}
