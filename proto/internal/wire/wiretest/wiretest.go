// Package wiretest tests the use that an engine makes of its connection: whether it obeys the idle
// limit, the context and the security of a [wire.Dialer].
package wiretest

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// An Engine is the engine to test.
type Engine struct {
	// Open opens a resource with a Client that has the fields of d.
	Open func(ctx context.Context, d wire.Dialer) error
	// Greeting is the text that the server sends before it becomes silent.
	Greeting string
	// Answers reports whether the server sends Greeting only after it has received
	// bytes.
	Answers bool
	// Drip is the text that the server sends after Greeting, one byte each second, again
	// and again.
	Drip string
	// HasTLS reports whether the protocol can use TLS.
	HasTLS bool
}

// Test tests an engine against the rules for connections: it needs a Dial, it gives up after the
// idle limit if the server is silent after its greeting or accepts no connection, it returns the
// cause of a cancelled context, and it refuses RequireTLS unless HasTLS is set.
func Test(t *testing.T, e Engine) {
	t.Run("no dialler", func(t *testing.T) {
		if err := e.Open(t.Context(), wire.Dialer{}); !errors.Is(err, access.ErrNoDial) {
			t.Errorf("error %v, want access.ErrNoDial", err)
		}
	})
	t.Run("silent", func(t *testing.T) {
		for _, idle := range []time.Duration{0, 7 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := e.Open(t.Context(), wire.Dialer{Dial: e.dial, Idle: idle})
				if idle == 0 {
					idle = wire.DefaultIdle
				}
				late, ok := errors.AsType[net.Error](err)
				if want := "the server sent nothing for " + idle.String(); err == nil || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("error %v, want one that ends in %q", err, want)
				} else if !ok || !late.Timeout() || !errors.Is(err, access.ErrTemporary) {
					t.Errorf("%v is no timeout, or not access.ErrTemporary", err)
				}
				if took := time.Since(start); took != idle {
					t.Errorf("it took %v, want %v", took, idle)
				}
			})
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			cause := errors.New("cancelled by the test")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(cause) })
			if err := e.Open(ctx, wire.Dialer{Dial: e.dial, Idle: time.Hour}); !errors.Is(err, cause) {
				t.Errorf("error %v, want the cause of the context", err)
			}
		})
	})
	t.Run("unreachable", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			err := e.Open(t.Context(), wire.Dialer{Idle: 7 * time.Second, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			if want := "the server accepted no connection for 7s"; err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("error %v, want one that ends in %q", err, want)
			}
		})
	})
	if e.HasTLS {
		return
	}
	t.Run("TLS required", func(t *testing.T) {
		err := e.Open(t.Context(), wire.Dialer{Security: access.RequireTLS, Dial: func(context.Context, string, string) (net.Conn, error) {
			t.Error("dialled")
			return nil, io.EOF
		}})
		if !errors.Is(err, wire.ErrNoTLS) {
			t.Errorf("error %v, want %v", err, wire.ErrNoTLS)
		}
	})
}

// TestSession tests that an established terminal session may be silent, unless Idle is set. Open
// reads the session to its end.
func TestSession(t *testing.T, e Engine) {
	const silence = 24 * time.Hour
	for idle, want := range map[time.Duration]time.Duration{0: silence, 7 * time.Second: 7 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := e.Open(t.Context(), wire.Dialer{Idle: idle, Dial: func(context.Context, string, string) (net.Conn, error) {
				conn, server := e.pipe()
				time.AfterFunc(silence, func() { server.Close() })
				return conn, nil
			}})
			if _, isIdle := errors.AsType[*wire.IdleError](err); isIdle != (idle > 0) {
				t.Errorf("idle limit %v: %v", idle, err)
			}
			if took := time.Since(start); took != want {
				t.Errorf("idle limit %v: it took %v, want %v", idle, took, want)
			}
		})
	}
}

// TestDrip tests an engine with a server that sends a byte now and then, so that it is never
// silent, but never ends its reply. The engine must give up with an IdleError.
func TestDrip(t *testing.T, e Engine) {
	synctest.Test(t, func(t *testing.T) {
		const idle = 20 * time.Second
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := e.Open(ctx, wire.Dialer{Dial: e.dial, Idle: idle})
		if _, isIdle := errors.AsType[*wire.IdleError](err); !isIdle {
			t.Errorf("%q and then %q: %v, want a *wire.IdleError", e.Greeting, e.Drip, err)
		}
		if took := time.Since(start); took > 2*idle {
			t.Errorf("%q and then %q: it took %v", e.Greeting, e.Drip, took)
		}
		time.Sleep(time.Minute) // the server notices that the connection is closed
	})
}

// dial connects to a server that sends its greeting and then only reads.
func (e Engine) dial(context.Context, string, string) (net.Conn, error) {
	conn, _ := e.pipe()
	return conn, nil
}

// pipe returns both ends of a connection. The server's end sends the greeting, at once or after
// the first bytes of the client (Answers), and then a byte of Drip each second. It discards the
// bytes of the client.
func (e Engine) pipe() (client, server net.Conn) {
	client, server = net.Pipe()
	greet := func() {
		if e.Greeting != "" { // a pipe blocks on a Write of nothing
			_, _ = io.WriteString(server, e.Greeting)
		}
		for i := 0; e.Drip != ""; i++ {
			time.Sleep(time.Second)
			if _, err := server.Write([]byte{e.Drip[i%len(e.Drip)]}); err != nil {
				return
			}
		}
	}
	if !e.Answers {
		go greet()
	}
	go func() {
		defer server.Close()
		if e.Answers {
			_, _ = server.Read(make([]byte, 4096))
			go greet()
		}
		_, _ = io.Copy(io.Discard, server)
	}()
	return client, server
}
