package server

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"strings"

	"locus/internal/ascii"
)

// maxTargetLine is how long a request line may be that a targetConn changes.
const maxTargetLine = 16 << 10

// A targetConn is a connection of a client. It lets a request pass whose path has a "%" that two digits do
// not follow, although net/http refuses it, because browsers send such a "%" unchanged. It escapes the
// "%" for net/http, and restore undoes that.
//
// net/http reads the first byte of a request either with the first Read after the connection became idle, or with a
// Read of a single byte while the response before is written. In both cases the rest of the request line follows. A
// request that is sent before the response to the last one is not changed. Its bytes, and long header fields, can also
// be read in these two ways, so a line is changed only if it is the first line of a request. Reads, setState and
// restore follow one another, because net/http ends its Read in the background before it uses the connection itself.
type targetConn struct {
	gatherConn
	starts          bool   // the next byte begins a request
	inLine          bool   // the first byte of a request line was read, and the others were not
	ended           bool   // the connection is no longer HTTP
	unread          []byte // bytes of the client that Read has not returned yet
	changed, target string // the changed target of the last request, and the target that the client sent
}

// newTargetConn returns a targetConn whose next byte begins a request.
func newTargetConn(c net.Conn) *targetConn {
	return &targetConn{gatherConn: gatherConn{Conn: c}, starts: true}
}

// Read reads from the client. In the first line of a request it escapes each "%" that two digits do not follow.
func (c *targetConn) Read(p []byte) (int, error) {
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	n, err := c.Conn.Read(p)
	switch {
	case n == 0 || c.ended:
		return n, err
	case len(p) == 1 && !c.inLine: // net/http waits in the background for the next request
		c.starts, c.inLine = false, true
		return n, err
	case !c.starts && !c.inLine:
		return n, err
	}
	c.starts, c.inLine = false, false
	if line, _, isWhole := bytes.Cut(p[:n], []byte("\n")); isWhole && bytes.IndexByte(line, '%') < 0 {
		return n, err
	}
	read := bytes.Clone(p[:n])
	for err == nil && bytes.IndexByte(read, '\n') < 0 && len(read) < maxTargetLine {
		more := make([]byte, 4<<10)
		n, err = c.Conn.Read(more)
		read = append(read, more[:n]...)
	}
	c.unread = c.change(read)
	n = copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil // a later Read returns the error again
}

// change returns read, the first bytes of a request, with stray "%" in the target escaped. It sets c.changed
// and c.target. It returns read unchanged if it has no whole request line of HTTP/1, or no stray "%".
func (c *targetConn) change(read []byte) []byte {
	line, rest, isWhole := bytes.Cut(read, []byte("\n"))
	first, last := bytes.IndexByte(line, ' '), bytes.LastIndexByte(line, ' ')
	if !isWhole || first < 0 || first == last || !bytes.HasPrefix(line[last:], []byte(" HTTP/1.")) {
		return read
	}
	target := string(line[first+1 : last])
	changed := escapeStrayPercents(target)
	if changed == target {
		return read
	}
	c.changed, c.target = changed, target
	text := string(line[:first+1]) + changed + string(line[last:]) + "\n"
	return append([]byte(text), rest...)
}

// escapeStrayPercents replaces each "%" that two hexadecimal digits do not follow by "%25" in the path of a
// request target. It leaves the query unchanged.
func escapeStrayPercents(target string) string {
	path, query, hasQuery := strings.Cut(target, "?")
	var b strings.Builder
	for i := range len(path) {
		b.WriteByte(path[i])
		if path[i] == '%' && !ascii.HasEscape(path, i) {
			b.WriteString("25")
		}
	}
	if hasQuery {
		return b.String() + "?" + query
	}
	return b.String()
}

// restore returns r with the target that the client sent in RequestURI. It keeps r.URL as net/http has parsed
// it, and returns r itself if the target was not changed. Call it once for each request, because it also
// records that the body of r follows on the connection.
func (c *targetConn) restore(r *http.Request) *http.Request {
	if r.ContentLength != 0 { // otherwise net/http may be reading
		c.starts, c.inLine = false, false
	}
	if c.changed == "" || r.RequestURI != c.changed {
		return r
	}
	r = r.WithContext(r.Context()) // a copy
	r.RequestURI = c.target
	return r
}

// setState records a new state of the connection in net/http. After StateIdle the next byte may begin a
// request. After StateHijacked, Read returns all bytes unchanged.
func (c *targetConn) setState(state http.ConnState) {
	switch state {
	case http.StateIdle:
		c.starts, c.changed, c.target = !c.inLine, "", ""
	case http.StateHijacked:
		c.ended = true
	}
}

// CloseWrite closes the writing half of the connection, for net/http and tunnels. It returns
// errors.ErrUnsupported if Conn has no CloseWrite.
func (c *targetConn) CloseWrite() error { return closeWrite(c.Conn) }

// closeWrite closes the writing half of a connection. It returns errors.ErrUnsupported if c has no CloseWrite.
func closeWrite(c net.Conn) error {
	half, ok := c.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// A targetListener accepts targetConns.
type targetListener struct{ net.Listener }

// Accept returns the next connection as a targetConn.
func (l targetListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newTargetConn(c), nil
}
