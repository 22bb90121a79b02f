package bound_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"locus/access"
	"locus/proto/internal/bound"
)

// dialled returns a connection and its other end.
func dialled(t *testing.T, ctx context.Context) (*bound.Conn, net.Conn) {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { server.Close() })
	c, err := bound.Dial(ctx, func(_ context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" || address != "h:1" {
			t.Errorf("dialled %s %s, want tcp h:1", network, address)
		}
		return client, nil
	}, "h:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, server
}

// What waits to read or write ends with the context, or with Close, and says so.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(cancel func(), c *bound.Conn)
		want error
	}{
		{"cancel", func(cancel func(), _ *bound.Conn) { cancel() }, context.Canceled},
		{"close", func(_ func(), c *bound.Conn) { c.Close() }, net.ErrClosed},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		c, _ := dialled(t, ctx)
		if err := c.Usable(); err != nil {
			t.Errorf("%s: Usable before = %v", tt.name, err)
		}
		failed := make(chan error, 2)
		go func() { _, err := c.Read(make([]byte, 1)); failed <- err }()
		go func() { _, err := c.Write([]byte("x")); failed <- err }()
		tt.end(cancel, c)
		for range 2 {
			if err := <-failed; !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
		if err := c.Usable(); !errors.Is(err, tt.want) {
			t.Errorf("%s: Usable = %v, want %v", tt.name, err, tt.want)
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Errorf("%s: Close = %v", tt.name, err)
		}
		cancel()
	}
}

func TestEOF(t *testing.T) {
	c, server := dialled(t, t.Context())
	server.Close()
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("Read at the end = %v, want io.EOF", err)
	}
}

func TestDialFails(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	fails := func(context.Context, string, string) (net.Conn, error) { return nil, broken }
	for _, tt := range []struct {
		ctx  context.Context
		dial func(context.Context, string, string) (net.Conn, error)
		want error
	}{
		{t.Context(), nil, access.ErrNoDial},
		{t.Context(), fails, broken},
		{done, fails, context.Canceled},
	} {
		if _, err := bound.Dial(tt.ctx, tt.dial, "h:1"); !errors.Is(err, tt.want) {
			t.Errorf("Dial = %v, want %v", err, tt.want)
		}
	}
}
