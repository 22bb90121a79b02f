package gopher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"locus/access"
)

// Habits remembers which servers end a text with a period. The zero Habits knows no
// server. Use it by pointer. Several goroutines may use it at once.
type Habits struct {
	mu   sync.Mutex
	ends map[string]bool // by the server's address
}

// maxHabits is how many servers are remembered.
const maxHabits = 10_000

// get reports whether the server ends texts with a period.
func (h *Habits) get(address string) (ends, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ends, known = h.ends[address]
	return ends, known
}

// set remembers whether the server ends texts with a period. The first answer stands.
func (h *Habits) set(address string, ends bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends == nil || len(h.ends) >= maxHabits {
		h.ends = make(map[string]bool)
	}
	if _, known := h.ends[address]; !known {
		h.ends[address] = ends
	}
}

// errNoPeriod says that a text ended without the period that the server sends.
var errNoPeriod = access.Reason("the connection closed before the end of the text", io.ErrUnexpectedEOF)

// An ending decides whether a text of plain Gopher that ends without a period is whole.
type ending struct {
	ctx     context.Context // is done when the Body is closed
	client  Client
	request request
}

// newEnding returns what decides about the text that greq asks for. It is nil if every
// text is taken for whole: without Habits, and for what is not a plain text.
func (x *exchange) newEnding(greq request) *ending {
	if x.client.Habits == nil || greq.item.Type != '0' || greq.mayHaveHeader() {
		return nil
	}
	ctx, cancel := context.WithCancel(x.ctx)
	x.cancel = cancel
	return &ending{ctx, x.client, greq}
}

// found records that a text ended with a period.
func (e *ending) found() { e.client.Habits.set(e.address(), true) }

func (e *ending) address() string { return e.request.item.Address(defaultPort) }

// check returns an error if a text of so many bytes, without a period, is not whole. If
// nothing is known about the server, it asks for the same text in Gopher+, and reads only
// the header of the reply.
func (e *ending) check(received int64) error {
	ends, known := e.client.Habits.get(e.address())
	switch {
	case ends:
		return errNoPeriod
	case known:
		return nil
	}
	greq := e.request
	greq.command = "+"
	x, err := e.client.connect(e.ctx, greq.item.URL(), greq.message())
	if errors.Is(err, fs.ErrPermission) { // not even tried
		return nil
	} else if err != nil {
		return fmt.Errorf("%w, and the server cannot be asked: %w", errNoPeriod, err)
	}
	defer x.Close()
	h, isPlus, err := x.header(true)
	switch {
	case e.ctx.Err() != nil:
		return context.Cause(e.ctx)
	case err != nil || !isPlus || !h.isSuccess || h.size == untilClose:
		e.client.Habits.set(e.address(), false)
		return nil
	case h.size == untilDot:
		e.client.Habits.set(e.address(), true)
		return errNoPeriod
	case received < h.size:
		return errNoPeriod
	}
	return nil
}
