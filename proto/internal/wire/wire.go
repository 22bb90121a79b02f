// Package wire is the connection layer of every engine.
//
// A [Dialer] has the fields that every engine's Client has. Its methods return a [Conn], which
//   - is bound to a context: when the context is done, Read and Write fail with
//     its cause;
//   - has an idle limit: Read fails with an [*IdleError] if the server does not
//     send a byte for that time, and Write if the server does not accept one;
//   - can limit the time of a whole reply: see [Conn.StartReply] and
//     [Conn.StartLongReply];
//   - shows the bytes that it sends and receives to the [engine.Tap] of the context;
//   - can start TLS, and refuses unencrypted bytes sent after the agreement;
//   - treats an end without close_notify as an early end.
//
// A Conn reads and writes a socket, directly or through TLS. The socket keeps the idle limit with
// deadlines on the connection that Dial returned.
//
// [ReadLine] reads lines of bounded length. [Early] makes an end of file an early end.
// [CheckArgument] rejects arguments that would end their command.
package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
)

// DefaultIdle is the idle limit of a [Dialer] whose Idle is 0.
const DefaultIdle = time.Minute

// NoIdle is the idle limit of a [Dialer] whose Idle is negative. It is ten years, longer than any
// connection, and not the greatest Duration, because engines add to it and multiply it.
const NoIdle = 10 * 365 * 24 * time.Hour

// A Dialer connects to servers. Its fields are those of an engine's Client.
type Dialer struct {
	// Dial connects. Nil fails with [access.ErrNoDial].
	Dial proto.Dial
	// TLS configures TLS; nil means the defaults of crypto/tls. An empty
	// ServerName means the host of the address.
	TLS *tls.Config
	// Security says when TLS is used.
	Security access.Security
	// Idle limits the time in which the server neither sends nor accepts a byte;
	// 0: [DefaultIdle], negative: no limit.
	Idle time.Duration
}

// DialPlain connects over TCP, for a protocol without TLS. It returns [ErrNoTLS], without
// connecting, if TLS is required.
func (d Dialer) DialPlain(ctx context.Context, address string) (*Conn, error) {
	return d.dialPlain(ctx, "tcp", address)
}

// DialUDP is [Dialer.DialPlain] over UDP. The idle limit of the Conn counts
// from the last datagram received. Sending a request again does not extend it.
func (d Dialer) DialUDP(ctx context.Context, address string) (*Conn, error) {
	return d.dialPlain(ctx, "udp", address)
}

// dialPlain connects without TLS to address. network is "tcp" or "udp". If Security requires TLS,
// the error is ErrNoTLS.
func (d Dialer) dialPlain(ctx context.Context, network, address string) (*Conn, error) {
	if d.Security == access.RequireTLS {
		return nil, ErrNoTLS
	}
	return d.dial(ctx, network, address)
}

// DialTCP connects over TCP, for a protocol that may start TLS later: see
// [Conn.ShouldStartTLS].
func (d Dialer) DialTCP(ctx context.Context, address string) (*Conn, error) {
	return d.dial(ctx, "tcp", address)
}

// DialTLS connects over TCP and starts TLS at once.
func (d Dialer) DialTLS(ctx context.Context, address string) (*Conn, error) {
	c, err := d.dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := c.handshake(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// DialServer connects to a server. It calls [Dialer.DialTLS] if implicit is set, and otherwise [Dialer.DialTCP].
func (d Dialer) DialServer(ctx context.Context, address string, implicit bool) (*Conn, error) {
	if implicit {
		return d.DialTLS(ctx, address)
	}
	return d.DialTCP(ctx, address)
}

// dial connects to address without TLS. network is "tcp" or "udp".
func (d Dialer) dial(ctx context.Context, network, address string) (*Conn, error) {
	conn, err := d.Connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := d.Wrap(ctx, conn)
	c.address = address
	c.socket.datagrams = network == "udp"
	return c, nil
}

// Connect dials within the idle limit, and returns the connection from Dial. Its error does not repeat the address: see
// [Plain]. The error is an [*IdleError] if the limit passes, and the cause of ctx when ctx is done. Connect does not
// dial a host with a blank or a control character.
func (d Dialer) Connect(ctx context.Context, network, address string) (net.Conn, error) {
	if d.Dial == nil {
		return nil, access.ErrNoDial
	}
	if i := strings.IndexFunc(address, isBlank); i >= 0 {
		return nil, fmt.Errorf("the host has the invalid byte %#02x", address[i])
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	idle := d.IdleLimit()
	end := time.Now().Add(idle)
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	conn, err := d.Dial(limited, network, address)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !time.Now().Before(end): // Dial may notice its deadline before limited is done
		return nil, &IdleError{Did: "accepted no connection", Limit: idle, cause: err}
	}
	return nil, Plain(err, address)
}

// isBlank reports whether r is a blank or a control character. A decoded host in a URL may have it, and the name of a
// host never has it.
func isBlank(r rune) bool { return r <= ' ' || r == 0x7f }

// Wrap returns conn as a Conn that is bound to ctx and has the idle limit of d. It reports conn to the function of
// access.WithConnected. It does not start TLS. Callers use it for connections that Dial has not made, such as accepted
// ones.
func (d Dialer) Wrap(ctx context.Context, conn net.Conn) *Conn {
	s := &socket{Conn: conn, idle: d.IdleLimit(), lastDatagram: time.Now()}
	s.bind(ctx)
	reportConnection(ctx, conn, false)
	return &Conn{Conn: s, socket: s, tls: d.TLS, security: d.Security, tap: engine.TapOf(ctx)}
}

// reportConnection calls the function of access.WithConnected, if ctx has one, with the
// connection. reused says whether the connection has served another request.
func reportConnection(ctx context.Context, conn net.Conn, reused bool) {
	connected := access.ConnectedOf(ctx)
	if connected == nil {
		return
	}
	c := access.Connection{Reused: reused}
	if remote := conn.RemoteAddr(); remote != nil {
		c.Address = remote.String()
	}
	connected(c)
}

// WrapUDP wraps conn, a connection for datagrams, in the same way as [Dialer.Wrap]. The idle limit of Reads counts from
// heard, the time of the last datagram.
func (d Dialer) WrapUDP(ctx context.Context, conn net.Conn, heard time.Time) *Conn {
	c := d.Wrap(ctx, conn)
	c.socket.datagrams, c.socket.lastDatagram = true, heard
	return c
}

// IdleLimit returns Idle, [DefaultIdle] if Idle is 0, or [NoIdle] if Idle is negative.
func (d Dialer) IdleLimit() time.Duration {
	if d.Idle < 0 {
		return NoIdle
	}
	return cmp.Or(d.Idle, DefaultIdle)
}

// ReadLine reads a line and returns it without its LF or CR LF. The line is valid until the next read. The error is
// [access.ErrTooLong] if the line does not fit into the buffer of r, and io.EOF if the input ends before the line. If
// the input ends within the line, ReadLine returns the part of the line that it has read, and io.ErrUnexpectedEOF.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: a line of more than %d bytes", access.ErrTooLong, r.Size())
	case access.IsEnd(err) && len(line) > 0:
		return line, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}
