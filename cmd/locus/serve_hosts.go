package main

import (
	"context"
	"fmt"
	"net"
	"sync"

	"locus"
)

// hosts is a dialler that has at most most connections to one address at once.
// The next one waits.
type hosts struct {
	dial locus.Dial
	most int

	mu    sync.Mutex
	hosts map[string]*busyHost // those that somebody is connected to, or waits for
}

// A busyHost is an address with its places.
type busyHost struct {
	places chan struct{}
	users  int // connected or waiting
}

func (h *hosts) connect(ctx context.Context, network, address string) (net.Conn, error) {
	at := h.enter(address)
	select {
	case at.places <- struct{}{}:
	case <-ctx.Done():
		h.leave(address)
		return nil, fmt.Errorf("%s has as many connections as it may: %w", address, context.Cause(ctx))
	}
	leave := sync.OnceFunc(func() {
		<-at.places
		h.leave(address)
	})
	conn, err := h.dial(ctx, network, address)
	if err != nil {
		leave()
		return nil, err
	}
	return &placed{conn, leave}, nil
}

func (h *hosts) enter(address string) *busyHost {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.hosts[address]
	if !ok {
		at = &busyHost{places: make(chan struct{}, h.most)}
		h.hosts[address] = at
	}
	at.users++
	return at
}

func (h *hosts) leave(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.hosts[address]; at != nil {
		if at.users--; at.users == 0 {
			delete(h.hosts, address)
		}
	}
}

// placed is a connection that gives its place back.
type placed struct {
	net.Conn
	leave func()
}

func (p *placed) Close() error {
	defer p.leave()
	return p.Conn.Close()
}
