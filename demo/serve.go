package demo

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	front "locus/server"
)

// drain is how long requests may go on when the demo ends.
const drain = time.Second

// Serve serves a gateway at l, such as that of [Demo.Gateway], until ctx is done or a server of the
// demo fails. Then it closes l and d. It returns the error of that server, or of l.
func (d *Demo) Serve(ctx context.Context, l net.Listener, gateway http.Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		defer cancel()
		failed <- d.Wait()
	}()
	s := &front.Server{Handler: gateway, Proxy: true, Drain: drain}
	if err := s.Serve(ctx, l, nil); err != nil && !errors.Is(err, front.ErrAborted) {
		return errors.Join(err, d.Close())
	}
	d.Close() // its error is that of Wait
	return <-failed
}
