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

	"locus/access"
	"locus/internal/sentinel"
	"locus/proto/internal/wire"
)

// A Habits remembers which servers end texts and menus with a period. The zero Habits knows no
// server. Use it by pointer. Several goroutines may use it at once.
type Habits struct {
	mu   sync.Mutex
	ends map[habit]bool // whether replies end with a period
}

// A habit identifies the replies of a server that have the same framing.
type habit struct {
	address string
	framing framing
}

// maxHabits limits the habits that are remembered.
const maxHabits = 20_000

// get returns whether the server ends replies with a period. known is false before the first set.
func (h *Habits) get(replies habit) (ends, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ends, known = h.ends[replies]
	return ends, known
}

// set remembers ends, which says whether the server ends these replies with a period. Only the
// first call for the replies has an effect. At maxHabits set forgets all other habits.
func (h *Habits) set(replies habit, ends bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends == nil || len(h.ends) >= maxHabits {
		h.ends = make(map[habit]bool)
	}
	if _, known := h.ends[replies]; !known {
		h.ends[replies] = ends
	}
}

var (
	// errNoPeriod is the error of a text that ends early.
	errNoPeriod = sentinel.New("the connection closed before the end of the text", io.ErrUnexpectedEOF)
	// errNoMenuPeriod is the error of a menu that ends early.
	errNoMenuPeriod = sentinel.New("the connection closed before the end of the menu", io.ErrUnexpectedEOF)
	// errEndless means that the second menu does not show whether the first was whole.
	errEndless = errors.New("it is much longer the second time")
	// errUnknownEnd is the error that Client.Warn gets.
	errUnknownEnd = errors.New("it has no period at its end, and the server cannot be asked whether it is whole")
)

const (
	maxAsking = time.Minute // limits the time of the second request
	maxBeyond = 1 << 20     // limits the bytes by which the second menu may be longer than the first
)

// An ending decides whether a text or a menu of plain Gopher that ends without a period is whole.
// It uses the Habits of the server. If they are not known, it sends a second request: for a menu
// the same request again, for a text a Gopher+ request, of whose reply it reads only the header.
type ending struct {
	ctx     context.Context // is done when the Body is closed
	first   *transaction    // the transaction of the text or menu
	request request         // its request
	habit   habit           // its server and framing

	received int64        // the bytes of the data
	sum      maphash.Hash // their hash, for a menu
}

// newEnding returns the ending of the reply to greq, whose data have the framing f. It returns
// nil if a reply without a period needs no check: if the client has no Habits, if greq has a
// Gopher+ command, or if the reply is neither a menu nor a plain text. Close of t also cancels
// the check.
func (t *transaction) newEnding(greq request, f framing) *ending {
	switch {
	case t.client.Habits == nil, greq.command != "", f == rawFraming:
		return nil
	case f == textFraming && (greq.item.Type != '0' || greq.mayHaveHeader()):
		return nil
	}
	ctx, cancel := context.WithCancel(t.ctx)
	t.cancel = cancel
	return &ending{ctx: ctx, first: t, request: greq, habit: habit{greq.item.Address(defaultPort), f}}
}

// add counts the bytes p, which were received, and hashes them if they are part of a menu.
func (e *ending) add(p []byte) {
	e.received += int64(len(p))
	if e.habit.framing == menuFraming {
		_, _ = e.sum.Write(p) // never fails
	}
}

// recordPeriod remembers in Habits that the server ends such replies with a period.
func (e *ending) recordPeriod() { e.first.client.Habits.set(e.habit, true) }

// earlyError returns the error for a reply that was cut before its period: errNoMenuPeriod or
// errNoPeriod.
func (e *ending) earlyError() error {
	if e.habit.framing == menuFraming {
		return errNoMenuPeriod
	}
	return errNoPeriod
}

// check decides whether the reply, which ended without a period, is whole. It returns nil if it
// is, earlyError if it was cut, and another error if the request was canceled. If the habit of
// the server is unknown, check sends the second request, and waits up to maxAsking. It closes the
// first connection before that, so that the access has one connection at a time, and a limiter
// need not count a second one. If the second request fails, the reply counts as whole, and
// Client.Warn is called. An empty menu and a search count as whole without a second request.
func (e *ending) check() error {
	ends, known := e.first.client.Habits.get(e.habit)
	switch {
	case ends:
		return e.earlyError()
	case known, e.received == 0 && e.habit.framing == menuFraming:
		return nil
	case e.request.item.Type == '7': // a search is not sent twice
		return nil
	}
	e.first.NetConn().Close() // the Body stays open, and returns io.EOF
	ctx, cancel := context.WithTimeout(e.ctx, maxAsking)
	defer cancel()
	err := e.ask(ctx)
	switch {
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF) && errors.Is(err, e.earlyError()):
		return err
	case e.ctx.Err() != nil:
		return context.Cause(e.ctx)
	case errors.Is(err, fs.ErrPermission): // the connection is not allowed
		return nil
	}
	if warn := e.first.client.Warn; warn != nil {
		warn(e.first.url, fmt.Errorf("%w: %w", errUnknownEnd, err))
	}
	return nil
}

// ask sends the second request, on a new connection. It returns nil if the first reply was whole,
// e.earlyError() if it was cut, and another error if the second reply does not show which.
func (e *ending) ask(ctx context.Context) error {
	greq := e.request
	if e.habit.framing == textFraming {
		greq.command = "+"
	}
	t, err := e.first.client.connect(ctx, greq.item.URL(), greq.message())
	if err != nil {
		return err
	}
	defer t.Close()
	if e.habit.framing == menuFraming {
		return e.compare(t)
	}
	return e.readHeader(t)
}

// readHeader reads the header of t, the reply to the Gopher+ request for the same text. It returns
// earlyError if the header has the size "+-1", because such a server ends texts with a period, or a
// size that is larger than the first reply. It returns another error if the header does not arrive
// in time, and nil in every other case, because the first reply then counts as whole. It records
// the habit of the server, unless the header has a size in bytes.
func (e *ending) readHeader(t *transaction) error {
	habits := e.first.client.Habits
	h, isPlus, err := t.header(true)
	switch {
	case wire.IsTimeout(err) || context.Cause(t.ctx) != nil:
		return err
	case err != nil || !isPlus || !h.isSuccess || h.size == untilClose:
		habits.set(e.habit, false)
	case h.size == untilDot:
		habits.set(e.habit, true)
		return e.earlyError()
	case e.received < h.size:
		return e.earlyError()
	}
	return nil
}

// compare reads the second copy of the menu from t. It returns earlyError if the first copy was
// cut: the second copy ends with a period, or begins with the same bytes and is longer. It
// returns nil if the first copy was whole, and another error if the second copy does not show it.
// It records the habit of the server if the copies show it.
func (e *ending) compare(t *transaction) error {
	var again maphash.Hash
	again.SetSeed(e.sum.Seed())
	data := &dotReader{r: t.r, endsAtFirstDot: true, allowsLF: true, requiresWholeLines: true}
	beyond := int64(0)
	_, err := io.CopyN(&again, data, e.received)
	if err == nil {
		beyond, err = io.CopyN(io.Discard, data, maxBeyond)
	}
	habits := e.first.client.Habits
	if data.hasPeriod {
		habits.set(e.habit, true)
		return e.earlyError()
	}
	switch {
	case beyond > 0 && again.Sum64() == e.sum.Sum64():
		return e.earlyError()
	case !access.IsEnd(err): // nil if the menu goes on
		return cmp.Or(err, errEndless)
	}
	habits.set(e.habit, false)
	return nil
}
