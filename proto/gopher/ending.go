package gopher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"sync"
	"time"

	"locus/internal/sentinel"
	"locus/proto/internal/wire"
)

// Habits remembers which servers end texts and menus with a period. The zero Habits knows
// no server. Use it by pointer. Several goroutines may use it at once.
type Habits struct {
	mu   sync.Mutex
	ends map[habit]bool
}

// A habit is what a server sends of one framing.
type habit struct {
	address string
	framing framing
}

// maxHabits is how many habits are remembered.
const maxHabits = 20_000

// get reports whether the server ends its replies with a period.
func (h *Habits) get(of habit) (ends, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ends, known = h.ends[of]
	return ends, known
}

// set remembers whether the server ends its replies with a period. The first answer stands.
func (h *Habits) set(of habit, ends bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends == nil || len(h.ends) >= maxHabits {
		h.ends = make(map[habit]bool)
	}
	if _, known := h.ends[of]; !known {
		h.ends[of] = ends
	}
}

var (
	// errNoPeriod says that a text ended without the period that the server sends.
	errNoPeriod = sentinel.New("the connection closed before the end of the text", io.ErrUnexpectedEOF)
	// errNoMenuPeriod is the same of a menu.
	errNoMenuPeriod = sentinel.New("the connection closed before the end of the menu", io.ErrUnexpectedEOF)
	// errEndless says why the second menu does not tell whether the first was whole.
	errEndless = errors.New("it is much longer the second time")
	// errUnknownEnd is what Client.Warn gets.
	errUnknownEnd = errors.New("it has no period at its end, and the server cannot be asked whether it is whole")
)

const (
	maxAsking = time.Minute // how long the server may take to say whether a reply is whole
	maxBeyond = 1 << 20     // bytes that are read of a menu beyond those of before
)

// An ending decides whether a text or a menu of plain Gopher that ends without a period is
// whole.
type ending struct {
	ctx     context.Context // is done when the Body is closed
	first   *exchange       // its reply
	request request
	habit   habit

	received int64        // bytes of the data
	sum      maphash.Hash // of them, in a menu
}

// newEnding returns what decides about the reply to greq. It is nil if every reply is taken
// for whole: without Habits, and for what is neither a menu nor a plain text.
func (x *exchange) newEnding(greq request, f framing) *ending {
	switch {
	case x.client.Habits == nil, greq.command != "", f == rawFraming:
		return nil
	case f == textFraming && (greq.item.Type != '0' || greq.mayHaveHeader()):
		return nil
	}
	ctx, cancel := context.WithCancel(x.ctx)
	x.cancel = cancel
	return &ending{ctx: ctx, first: x, request: greq, habit: habit{greq.item.Address(defaultPort), f}}
}

// add records data of the reply.
func (e *ending) add(p []byte) {
	e.received += int64(len(p))
	if e.habit.framing == menuFraming {
		_, _ = e.sum.Write(p) // it never fails
	}
}

// found records that the reply ended with a period.
func (e *ending) found() { e.first.client.Habits.set(e.habit, true) }

// early is the error for a reply that ended before its period.
func (e *ending) early() error {
	if e.habit.framing == menuFraming {
		return errNoMenuPeriod
	}
	return errNoPeriod
}

// check returns an error if the reply, which has no period, is not whole. If nothing is
// known about the server, check asks it on another connection. The first one is closed
// before. So the access has one connection at a time, and its turn of a limiter is enough.
func (e *ending) check() error {
	ends, known := e.first.client.Habits.get(e.habit)
	switch {
	case ends:
		return e.early()
	case known, e.received == 0 && e.habit.framing == menuFraming:
		return nil
	case e.request.item.Type == '7': // no search is sent twice
		return nil
	}
	e.first.NetConn().Close() // the Body is open, and returns io.EOF
	ctx, cancel := context.WithTimeout(e.ctx, maxAsking)
	defer cancel()
	err := e.ask(ctx)
	switch {
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF) && errors.Is(err, e.early()):
		return err
	case e.ctx.Err() != nil:
		return context.Cause(e.ctx)
	case errors.Is(err, fs.ErrPermission): // not even tried
		return nil
	}
	if warn := e.first.client.Warn; warn != nil {
		warn(e.first.url, fmt.Errorf("%w: %w", errUnknownEnd, err))
	}
	return nil
}

// ask asks the server whether the reply was whole. It returns early if not, and another
// error if the server does not tell.
func (e *ending) ask(ctx context.Context) error {
	greq := e.request
	if e.habit.framing == textFraming {
		greq.command = "+"
	}
	x, err := e.first.client.connect(ctx, greq.item.URL(), greq.message())
	if err != nil {
		return err
	}
	defer x.Close()
	if e.habit.framing == menuFraming {
		return e.compare(x)
	}
	return e.readHeader(x)
}

// readHeader reads only the header of the same text in Gopher+.
func (e *ending) readHeader(x *exchange) error {
	habits := e.first.client.Habits
	h, isPlus, err := x.header(true)
	switch {
	case wire.IsTimeout(err) || context.Cause(x.ctx) != nil:
		return err
	case err != nil || !isPlus || !h.isSuccess || h.size == untilClose:
		habits.set(e.habit, false)
	case h.size == untilDot:
		habits.set(e.habit, true)
		return e.early()
	case e.received < h.size:
		return e.early()
	}
	return nil
}

// compare reads the same menu again. If it begins with the data of before and goes on, or
// ends with a period, the first one was cut.
func (e *ending) compare(x *exchange) error {
	var again maphash.Hash
	again.SetSeed(e.sum.Seed())
	data := &dotReader{r: x.r, endsAtFirstDot: true, allowsLF: true, requiresWholeLines: true}
	beyond := int64(0)
	_, err := io.CopyN(&again, data, e.received)
	if err == nil {
		beyond, err = io.CopyN(io.Discard, data, maxBeyond)
	}
	habits := e.first.client.Habits
	if data.hasPeriod {
		habits.set(e.habit, true)
		return e.early()
	}
	switch {
	case beyond > 0 && again.Sum64() == e.sum.Sum64():
		return e.early()
	case !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF): // also nil: it has no end
		return cmp.Or(err, errEndless)
	}
	habits.set(e.habit, false)
	return nil
}
