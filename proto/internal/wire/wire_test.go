package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// to returns a dial function that returns conn for tcp h:1.
func to(t *testing.T, conn net.Conn) dialFunc {
	return func(_ context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" || address != "h:1" {
			t.Errorf("dialled %s %s, want tcp h:1", network, address)
		}
		return conn, nil
	}
}

// dialled returns a connection and the server's end of it.
func dialled(t *testing.T, ctx context.Context, d wire.Dialer) (*wire.Conn, net.Conn) {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { server.Close() })
	d.Dial = to(t, client)
	c, err := d.DialTCP(ctx, "h:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, server
}

func TestDialFails(t *testing.T) {
	done, cancel := context.WithCancelCause(t.Context())
	cancelled := errors.New("cancelled by the test")
	cancel(cancelled)
	fails := func(err error) dialFunc {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		ctx  context.Context
		dial dialFunc
		want error
		text string
	}{
		{"no dialler", t.Context(), nil, access.ErrNoDial, access.ErrNoDial.Error()},
		{"an error", t.Context(), fails(broken), broken, "broken"},
		{"an error of net", t.Context(), fails(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}), syscall.ECONNREFUSED, "connection refused"},
		{"context done", done, fails(broken), cancelled, cancelled.Error()},
	} {
		_, err := wire.Dialer{Dial: test.dial}.DialTCP(test.ctx, "h:1")
		if !errors.Is(err, test.want) || err.Error() != test.text {
			t.Errorf("%s: %v, want %v", test.name, err, test.text)
		}
	}
}

func TestDialCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled by the test")
	_, err := wire.Dialer{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		cancel(cause)
		<-ctx.Done()
		return nil, ctx.Err()
	}}.DialTCP(ctx, "h:1")
	if !errors.Is(err, cause) {
		t.Errorf("DialTCP = %v, want the cause of the context", err)
	}
}

func TestDialIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := wire.Dialer{Idle: 5 * time.Second, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}.DialTCP(t.Context(), "h:1")
		isIdle(t, err, "the server accepted no connection for 5s")
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("DialTCP fails after %v, want 5s", took)
		}
	})
}

// isIdle checks that err is an IdleError with text.
func isIdle(t *testing.T, err error, text string) {
	t.Helper()
	late, ok := errors.AsType[net.Error](err)
	idle, isIdle := errors.AsType[*wire.IdleError](err)
	switch {
	case !isIdle || idle.Error() != text:
		t.Errorf("error %v, want %q", err, text)
	case !ok || !late.Timeout():
		t.Errorf("%v is not a timeout", err)
	case !errors.Is(err, access.ErrTemporary):
		t.Errorf("%v does not wrap access.ErrTemporary", err)
	}
}

// If TLS is required, a protocol without it fails before dialing.
func TestRequiredWithoutTLS(t *testing.T) {
	d := wire.Dialer{Security: access.RequireTLS, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("dialled")
		return nil, io.EOF
	}}
	for name, dial := range map[string]func(context.Context, string) (*wire.Conn, error){"plain": d.DialPlain, "udp": d.DialUDP} {
		if _, err := dial(t.Context(), "h:1"); !errors.Is(err, wire.ErrNoTLS) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v, want %v", name, err, wire.ErrNoTLS)
		}
	}
}

// Pending and later Reads and Writes fail with the cause of the context, or
// with net.ErrClosed after Close.
func TestEnds(t *testing.T) {
	cause := errors.New("cancelled by the test")
	for _, test := range []struct {
		name string
		end  func(cancel context.CancelCauseFunc, c *wire.Conn)
		want error
	}{
		{"cancel", func(cancel context.CancelCauseFunc, _ *wire.Conn) { cancel(cause) }, cause},
		{"close", func(_ context.CancelCauseFunc, c *wire.Conn) { c.Close() }, net.ErrClosed},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c, _ := dialled(t, ctx, wire.Dialer{})
			if err := c.Err(); err != nil {
				t.Errorf("%s: Err before = %v", test.name, err)
			}
			failed := make(chan error, 2)
			read := func() { _, err := c.Read(make([]byte, 1)); failed <- err }
			write := func() { _, err := c.Write([]byte("x")); failed <- err }
			check := func(when string) {
				for range 2 {
					if err := <-failed; !errors.Is(err, test.want) {
						t.Errorf("%s: %s: %v, want %v", test.name, when, err, test.want)
					}
				}
			}
			go read()
			go write()
			synctest.Wait()
			test.end(cancel, c)
			check("pending")
			read()
			write()
			check("later")
			if err := c.Err(); !errors.Is(err, test.want) {
				t.Errorf("%s: Err = %v, want %v", test.name, err, test.want)
			}
			if err := errors.Join(c.Close(), c.Close()); err != nil {
				t.Errorf("%s: Close = %v", test.name, err)
			}
		})
	}
}

// A connection without deadlines is closed when the context is done.
func TestNoDeadlines(t *testing.T) {
	client, server := net.Pipe()
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := wire.Dialer{Dial: to(t, deadlineless{client})}.DialTCP(ctx, "h:1")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cancel()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %v, want %v", err, context.Canceled)
	}
	if _, err := server.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the server reads %v, want the end", err)
	}
}

type deadlineless struct{ net.Conn }

func (deadlineless) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (deadlineless) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (deadlineless) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, limit := range []time.Duration{0, time.Second} {
			c, server := dialled(t, t.Context(), wire.Dialer{Idle: limit})
			if limit == 0 {
				limit = wire.DefaultIdle
			}
			go func() { // sends something just in time, twice
				for range 2 {
					time.Sleep(limit - 1)
					_, _ = server.Write([]byte("x"))
				}
			}()
			start := time.Now()
			text, err := io.ReadAll(c)
			if string(text) != "xx" || time.Since(start) != 3*limit-2 {
				t.Errorf("limit %v: read %q in %v", limit, text, time.Since(start))
			}
			isIdle(t, err, "the server sent nothing for "+limit.String())
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("limit %v: the error %v does not wrap os.ErrDeadlineExceeded", limit, err)
			}
		}
	})
}

// A server that accepts a little at a time is not idle.
func TestIdleWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := dialled(t, t.Context(), wire.Dialer{Idle: time.Second})
		go func() {
			for range 5 {
				time.Sleep(900 * time.Millisecond)
				_, _ = server.Read(make([]byte, 3))
			}
		}()
		n, err := c.Write(make([]byte, 100))
		if n != 15 {
			t.Errorf("wrote %d bytes, want 15", n)
		}
		isIdle(t, err, "the server accepted nothing for 1s")
	})
}

// Time between two Reads does not count.
func TestIdlePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := dialled(t, t.Context(), wire.Dialer{Idle: time.Second})
		go func() { _, _ = server.Write([]byte("ab")) }()
		for range 2 {
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
	})
}

// SetIdle applies to a pending Read.
func TestSetIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := dialled(t, t.Context(), wire.Dialer{})
		failed := make(chan error, 1)
		go func() { _, err := io.ReadAll(c); failed <- err }()
		synctest.Wait()
		c.SetIdle(0)
		time.Sleep(24 * time.Hour)
		_, _ = server.Write([]byte("x"))
		synctest.Wait()
		c.SetIdle(time.Second)
		isIdle(t, <-failed, "the server sent nothing for 1s")
	})
}

// A deadline of the caller applies in addition to the idle limit, and gives its own
// error.
func TestSetDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := dialled(t, t.Context(), wire.Dialer{Idle: time.Second})
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err := c.Read(make([]byte, 1))
		if _, idle := errors.AsType[*wire.IdleError](err); idle || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Read = %v, want os.ErrDeadlineExceeded", err)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		_, err = c.Read(make([]byte, 1))
		isIdle(t, err, "the server sent nothing for 1s")
		_ = c.SetDeadline(time.Time{})
		_, err = c.Write([]byte("x"))
		isIdle(t, err, "the server accepted nothing for 1s")
	})
}

// Reads before one deadline of the caller set that deadline only once.
func TestDeadlineIsSetOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		counted := &deadlineCounter{Conn: client}
		c, err := wire.Dialer{Dial: to(t, counted)}.DialTCP(t.Context(), "h:1")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() { _, _ = server.Write(make([]byte, 100)) }()
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		counted.calls = 0
		for range 100 {
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if counted.calls > 0 {
			t.Errorf("100 Reads set the deadline %d times, want 0", counted.calls)
		}
	})
}

// A deadlineCounter counts the calls of SetReadDeadline.
type deadlineCounter struct {
	net.Conn
	calls int
}

func (c *deadlineCounter) SetReadDeadline(at time.Time) error {
	c.calls++
	return c.Conn.SetReadDeadline(at)
}

// For datagrams the idle limit counts from the last datagram received.
func TestIdleDatagrams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		c, err := wire.Dialer{Idle: 10 * time.Second, Dial: func(context.Context, string, string) (net.Conn, error) { return client, nil }}.DialUDP(t.Context(), "h:1")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		start := time.Now()
		for {
			_ = c.SetReadDeadline(time.Now().Add(4 * time.Second))
			_, err = c.Read(make([]byte, 1))
			if _, idle := errors.AsType[*wire.IdleError](err); idle || err == nil {
				break
			}
		}
		isIdle(t, err, "the server sent nothing for 10s")
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("Read is idle after %v, want 10s", took)
		}
	})
}

// A connection can be bound to one context after another.
func TestBind(t *testing.T) {
	first, cancelFirst := context.WithCancel(t.Context())
	c, server := dialled(t, first, wire.Dialer{})
	if !c.Unbind() {
		t.Fatal("Unbind = false")
	}
	cancelFirst()
	if err := c.Err(); err != nil {
		t.Fatalf("after the first context: %v", err)
	}
	second, cancelSecond := context.WithCancel(t.Context())
	c.Bind(second)
	go func() { _, _ = server.Write([]byte("x")) }()
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatalf("Read = %v", err)
	}
	cancelSecond()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %v, want %v", err, context.Canceled)
	}
	if c.Unbind() {
		t.Error("Unbind after the context was done = true")
	}
}

func TestEOF(t *testing.T) {
	c, server := dialled(t, t.Context(), wire.Dialer{})
	server.Close()
	_, err := c.Read(make([]byte, 1))
	if err != io.EOF || wire.Early(err) != io.ErrUnexpectedEOF || wire.Early(net.ErrClosed) != net.ErrClosed || wire.Early(nil) != nil {
		t.Errorf("Read at the end = %v, early %v", err, wire.Early(err))
	}
	if err := c.CloseWrite(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("CloseWrite of a pipe = %v, want errors.ErrUnsupported", err)
	}
}

type remote struct {
	net.Conn
	address string
}

func (r remote) RemoteAddr() net.Addr { return r }
func (r remote) Network() string      { return "tcp" }
func (r remote) String() string       { return r.address }

// A password is sent unencrypted only to this machine, or with NeverTLS.
func TestCheckPassword(t *testing.T) {
	for address, local := range map[string]bool{
		"127.0.0.1:25": true, "127.9.9.9:1": true, "[::1]:25": true, "[::ffff:127.0.0.1]:25": true,
		"192.0.2.1:25": false, "[2001:db8::1]:25": false, "[::ffff:192.0.2.1]:25": false, "0.0.0.0:25": false,
		"pipe": false, "": false, "localhost:25": false,
	} {
		client, server := net.Pipe()
		server.Close()
		for _, security := range []access.Security{access.OpportunisticTLS, access.RequireTLS, access.NeverTLS} {
			c := wire.Dialer{Security: security}.Wrap(t.Context(), remote{client, address})
			if c.IsLocal() != local {
				t.Errorf("IsLocal of %q = %v, want %v", address, c.IsLocal(), local)
			}
			err := c.CheckPassword("nntp", "nntps")
			switch sent := local || security == access.NeverTLS; {
			case sent && err != nil:
				t.Errorf("%q, TLS %v: %v", address, security, err)
			case !sent && (!errors.Is(err, wire.ErrCleartext) || access.RemedyFor(err) != access.Remedy(access.AllowCleartext{Protocol: "nntp", Secure: "nntps"})):
				t.Errorf("%q, TLS %v: %v, hint %q", address, security, err, access.Hint(err))
			}
			c.Close()
		}
	}
}

// A host with a blank or a control character is refused before the Dial, which could take it for two words.
func TestConnectHost(t *testing.T) {
	for _, test := range []struct {
		address string
		want    bool
	}{
		{"h.example:70", true},
		{"[fe80::1%eth0]:70", true},
		{"b\u00fccher.example:70", true},
		{"a b:70", false},
		{"a\r\nb:70", false},
		{"a\x00:70", false},
		{"\x7f:70", false},
		{" h.example:70", false},
	} {
		dials := 0
		d := wire.Dialer{Dial: func(context.Context, string, string) (net.Conn, error) { dials++; return nil, net.ErrClosed }}
		_, err := d.Connect(t.Context(), "tcp", test.address)
		if (dials > 0) != test.want || err == nil || errors.Is(err, net.ErrClosed) != test.want {
			t.Errorf("Connect(%q) = %v after %d dials, want a dial: %v", test.address, err, dials, test.want)
		}
	}
}
