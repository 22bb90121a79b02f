package demo

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	front "locus/server"
)

// drain limits the time in which requests may finish when the demo ends.
const drain = time.Second

// Serve serves a gateway, such as the result of [Demo.Gateway], at l until ctx is done or a server
// of the demo fails. Then it closes l and d. It returns the error of that server or of l, or nil if
// ctx was done.
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
	d.Close() // the goroutine above returns its error
	return <-failed
}
