package ftp

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/reply"
)

// A stream is the data of one transfer. It ends with io.EOF only when the data
// connection has ended, the server has said that the transfer is complete, and
// as many octets have come as it had announced.
type stream struct {
	*session
	data  net.Conn
	want  int64 // how many octets must come; -1 if unknown
	got   int64
	ended bool  // the reply that ends the transfer has come already
	err   error // what Read gives from now on; nil while there are data
}

// transfer sends a command whose result comes on a data connection, which
// starts at offset.
func (s *session) transfer(command string, offset int64) (*stream, error) {
	data, err := s.passive()
	if err != nil {
		return nil, err
	}
	st := &stream{session: s, data: data, want: -1}
	if err := st.start(command, offset); err != nil {
		data.Close()
		return nil, err
	}
	return st, nil
}

func (st *stream) start(command string, offset int64) error {
	if offset > 0 {
		r, err := st.do("REST " + strconv.FormatInt(offset, 10))
		if err != nil {
			return err
		}
		if r.Code != 350 {
			return st.replies.Refused(r, errors.ErrUnsupported)
		}
	}
	r, err := st.do(command)
	if err != nil {
		return err
	}
	// QUIRK: servers answer 226 at once, without a 150 before, when there is
	// little to send.
	st.ended = r.Code/100 == 2
	if st.ended {
		return nil
	}
	return st.expect(r, 1)
}

// Read gives the octets of the transfer as they come.
func (st *stream) Read(p []byte) (int, error) {
	if st.err != nil {
		return 0, st.err
	}
	if err := st.ctx.Err(); err != nil {
		return 0, st.fail(err)
	}
	n, err := st.data.Read(p)
	st.got += int64(n)
	if over := st.got - st.want; st.want >= 0 && over > 0 {
		return n - int(over), st.fail(fmt.Errorf("%w: more octets than SIZE said", access.ErrProtocol))
	}
	if err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		err = st.finish()
	}
	if err != nil {
		return n, st.fail(err)
	}
	st.err = io.EOF
	return n, io.EOF
}

// copyBuffer is how much WriteTo reads at once. A system call for so much costs
// little beside the copy.
const copyBuffer = 128 << 10

// WriteTo writes the octets of the transfer to w, as io.Copy does with a larger
// buffer than its own.
func (st *stream) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(onlyWriter{w}, onlyReader{st}, make([]byte, copyBuffer))
}

// onlyWriter and onlyReader hide the ReadFrom of a writer and the WriteTo of a
// stream, which have buffers of their own.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// finish reads the reply that ends the transfer, and says goodbye.
func (st *stream) finish() error {
	st.data.Close()
	if !st.ended {
		if err := st.complete(); err != nil {
			return err
		}
	}
	if st.want >= 0 && st.got < st.want {
		return fmt.Errorf("%w: %d octets fewer than SIZE said", io.ErrUnexpectedEOF, st.want-st.got)
	}
	st.quit()
	return nil
}

// patience is how long the reply that ends a transfer may take once all data
// have come. Firewalls forget control connections that were silent for long, and
// then it never comes.
const patience = 2 * time.Minute

// complete reads the reply that ends the transfer.
func (st *stream) complete() error {
	_ = st.control.SetReadDeadline(time.Now().Add(patience))
	_, err := st.final()
	if refused, ok := errors.AsType[*reply.Error](err); ok {
		refused.Means = io.ErrUnexpectedEOF
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return fmt.Errorf("%w: no reply %v after the data", io.ErrUnexpectedEOF, patience)
	}
	return err
}

func (st *stream) fail(err error) error {
	st.err = reply.Failure("read", st.req.URL, st.why(err))
	return st.err
}

// Close ends the transfer, complete or not.
func (st *stream) Close() error {
	st.data.Close()
	st.close()
	return nil
}

// passive opens a data connection: EPSV (RFC 2428 §3) or else PASV.
func (s *session) passive() (net.Conn, error) {
	r, err := s.do("EPSV")
	if err != nil {
		return nil, err
	}
	read := extendedPort
	if r.Code != 229 {
		if r, err = s.do("PASV"); err != nil {
			return nil, err
		}
		if r.Code != 227 {
			return nil, s.refused(r)
		}
		read = passivePort
	}
	port, ok := read(r.Text)
	if !ok {
		return nil, s.replies.Refused(r, errNoPort)
	}
	return s.dial(net.JoinHostPort(s.dataHost(), strconv.Itoa(int(port))))
}

// dataHost returns the host that the control connection leads to.
func (s *session) dataHost() string {
	if addr := s.control.RemoteAddr(); addr != nil {
		if peer, err := netip.ParseAddrPort(addr.String()); err == nil {
			return peer.Addr().String()
		}
	}
	return s.view.Host.Name
}

// extendedPort reads the port in "Entering Extended Passive Mode (|||6446|)".
// Any printable octet may stand for "|".
func extendedPort(text string) (port uint16, ok bool) {
	_, rest, found := strings.Cut(text, "(")
	if !found || rest == "" {
		return 0, false
	}
	fields := strings.Split(rest, rest[:1])
	if len(fields) < 5 {
		return 0, false
	}
	return dataPort(fields[3])
}

// passiveForm is the address in a reply to PASV.
var passiveForm = regexp.MustCompile(`\d{1,3}(?:,\d{1,3}){3},(\d{1,3}),(\d{1,3})`)

// passivePort reads the port in "Entering Passive Mode (127,0,0,1,143,157)".
//
// QUIRK: RFC 959 does not say where in the text the numbers are, nor that there
// are parentheses (RFC 1123 §4.1.2.6).
func passivePort(text string) (port uint16, ok bool) {
	m := passiveForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	high, errHigh := strconv.ParseUint(m[1], 10, 8)
	low, errLow := strconv.ParseUint(m[2], 10, 8)
	port = uint16(high<<8 | low)
	return port, errHigh == nil && errLow == nil && port > 1023
}

func dataPort(digits string) (port uint16, ok bool) {
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), err == nil && n > 1023
}
