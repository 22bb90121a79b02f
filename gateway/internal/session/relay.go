// Package session relays an interactive session to the page of a browser.
//
//	page ──keys──▶ Browser ──▶ relay ──▶ terminal.Session ──▶ server
//	page ◀─frames── Browser ◀── relay ◀── terminal.Session ◀── server
//
// Three goroutines run for a session: keyboard reads the messages of the page, listen reads
// the server, whose bytes the session puts on its screen, and show sends a frame whenever
// the screen has changed. A frame has only the difference to the frame before. show sends
// the latest screen, however much came since then, and listen waits for it after maxAhead
// bytes. So a slow page slows the server down, and nothing queues up.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"locus/access"
	"locus/access/engine"
	"locus/terminal"
)

const (
	maxMessageSize = 64 << 10 // bytes of a message from a page
	maxColumns     = 400
	maxRows        = 200

	framePause = time.Second / 30 // between two frames
	maxAhead   = 256 << 10        // bytes read from the server for one frame

	emptyTime = 3 * time.Second  // after it an empty terminal is explained
	heartbeat = 30 * time.Second // keeps proxies from closing a silent connection
	maxStall  = 20 * time.Second // for the page to receive a frame
)

// Why a session ends if neither side ended it.
var (
	ErrGone    = errors.New("the browser closed the connection")
	errIdle    = errors.New("nothing was typed for too long")
	errTooLong = errors.New("the session reached its time limit")
	errStopped = errors.New("the gateway is stopping")
	errGarbage = errors.New("the page sent an invalid message")
)

// Limits bound a session.
type Limits struct {
	Idle  time.Duration // how long nothing may be typed
	Total time.Duration // how long it may last
}

// Run relays between the page and the session of a resource until either side ends it, or a
// limit is reached. columns and rows are the room that the page has; 0 if that is not known.
// It returns why the session ended; nil if the server ended it. cancel cancels ctx.
func Run(ctx context.Context, cancel context.CancelCauseFunc, p *Browser, resource *access.Resource, columns, rows int, limits Limits) error {
	if columns != 0 && rows != 0 { // before the session asks for it
		if err := resource.Session.Resize(clamp(columns, maxColumns), clamp(rows, maxRows)); err != nil {
			return err
		}
	}
	s := newRelay(p, resource.Body, resource.Session)
	return s.run(ctx, cancel, limits, newSessionStart(resource.Session, resource.Login))
}

// Cause returns why ctx is done, or err if it is not.
func Cause(ctx context.Context, err error) error {
	switch why := context.Cause(ctx); {
	case why == nil:
		return err
	case errors.Is(why, context.Canceled):
		return errStopped
	default:
		return why
	}
}

// A Browser is the connection to the page of a session.
type Browser struct{ conn *websocket.Conn }

// NewBrowser returns the Browser of a connection, which the caller closes.
func NewBrowser(conn *websocket.Conn) *Browser {
	conn.SetReadLimit(maxMessageSize)
	return &Browser{conn}
}

// send sends the page a frame. It ignores a ctx that is done meanwhile: after half a
// message no other can be sent.
func (p *Browser) send(ctx context.Context, f frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // a frame is strings and numbers, which always marshal
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxStall)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return errors.Join(ErrGone, err)
	}
	return nil
}

// End tells the page how the session ended, and closes the connection.
func (p *Browser) End(end Ending) {
	if p.send(context.Background(), frame{End: &end}) == nil {
		_ = p.conn.Close(websocket.StatusNormalClosure, "") // the browser may have closed it already
	}
}

// A message comes from a page. Its fields are optional.
type message struct {
	Keys string `json:"keys"` // as Session.Write takes them
	Size [2]int `json:"size"` // columns and rows that the page has room for
}

// A relay passes keys and screens between a page and a session. It sends the latest
// screen, however much came since the one before. A slow page slows the server down:
// nothing queues up.
type relay struct {
	*Browser
	body    io.Reader
	session terminal.Session
	shown   shownScreen
	isEmpty bool // the server has sent no text yet
	isLate  bool // emptyTime has passed

	changed chan struct{} // the screen may have changed
	drawn   chan struct{} // a frame was sent
	ended   chan error    // why either side ended the session
}

func newRelay(p *Browser, body io.Reader, session terminal.Session) *relay {
	return &relay{
		Browser: p, body: body, session: session, isEmpty: true,
		changed: make(chan struct{}, 1), drawn: make(chan struct{}, 1), ended: make(chan error, 2),
	}
}

// run relays until either side ends the session, or a limit is reached. It returns
// what Run does. The caller closes body and Browser, which ends the goroutines
// that wait for them.
func (s *relay) run(ctx context.Context, cancel context.CancelCauseFunc, limits Limits, start *sessionStart) error {
	idle := time.AfterFunc(limits.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	total := time.AfterFunc(limits.Total, func() { cancel(errTooLong) })
	defer total.Stop()
	if err := s.send(ctx, frame{Start: start}); err != nil {
		return err
	}
	// A Read that is cancelled closes the connection, before End.
	go s.report(func() error { return s.keyboard(context.WithoutCancel(ctx), func() { idle.Reset(limits.Idle) }) })
	go s.report(func() error { return s.listen(ctx) })
	wake(s.changed)
	return s.show(ctx)
}

// report sends the error of do, or its panic, to ended.
func (s *relay) report(do func() error) {
	var err error
	defer func() { s.ended <- err }()
	defer engine.CatchPanic(&err)
	err = do()
}

// show sends the screen whenever it has changed, but at most once in framePause.
func (s *relay) show(ctx context.Context) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	late := time.NewTimer(emptyTime)
	defer late.Stop()
	for {
		select {
		case <-late.C:
			s.isLate = true
			wake(s.changed)
		case <-s.changed:
			if err := s.draw(ctx); err != nil {
				return Cause(ctx, err)
			}
		case <-beat.C:
			if err := s.send(ctx, frame{}); err != nil {
				return Cause(ctx, err)
			}
		case err := <-s.ended:
			if gone := s.draw(ctx); err == nil {
				err = gone
			}
			return Cause(ctx, err)
		case <-ctx.Done():
			return Cause(ctx, nil)
		}
		select {
		case <-time.After(framePause):
		case <-ctx.Done():
		}
	}
}

// draw sends the page what has changed.
func (s *relay) draw(ctx context.Context) error {
	defer wake(s.drawn)
	left := takeScrolled(s.session) // before Screen: a line may be late, but never comes twice
	f, ok := s.shown.update(s.screen(), !s.session.Echoes())
	if !ok && left == nil {
		return nil
	}
	f.Scrolled = left
	return s.send(ctx, f)
}

// screen returns the screen of the session. If it is empty for too long, its status says so.
func (s *relay) screen() terminal.Screen {
	screen := s.session.Screen()
	s.isEmpty = s.isEmpty && screen.IsEmpty()
	if !s.isEmpty || !s.isLate {
		return screen
	}
	if screen.Status != "" {
		screen.Status += "\n"
	}
	screen.Status += "the server has sent no text yet"
	return screen
}

// listen reads what the server sends, which the session puts on its screen.
func (s *relay) listen(ctx context.Context) error {
	b := make([]byte, 32<<10)
	ahead := 0
	for {
		n, err := s.body.Read(b)
		if access.IsEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		wake(s.changed)
		if ahead += n; ahead < maxAhead {
			continue
		}
		ahead = 0
		select {
		case <-s.drawn:
		case <-ctx.Done():
			return nil
		}
	}
}

// keyboard writes the keys that the page sends to the session, until the page closes
// the connection. It calls typed for keys.
func (s *relay) keyboard(ctx context.Context, typed func()) error {
	for {
		m, err := s.receive(ctx)
		if err != nil {
			return err
		}
		if m.Size != [2]int{} {
			if err := s.session.Resize(clamp(m.Size[0], maxColumns), clamp(m.Size[1], maxRows)); err != nil {
				return err
			}
		}
		if m.Keys != "" {
			typed()
			if _, err := s.session.Write([]byte(m.Keys)); err != nil {
				return err
			}
		}
		wake(s.changed)
	}
}

// receive waits for a message of the page.
func (s *relay) receive(ctx context.Context) (m message, err error) {
	kind, text, err := s.conn.Read(ctx)
	if err != nil {
		return m, errors.Join(ErrGone, err)
	}
	if kind != websocket.MessageText || json.Unmarshal(text, &m) != nil {
		return m, errGarbage
	}
	return m, nil
}

func clamp(n, most int) int { return min(max(n, 1), most) }

// wake wakes the goroutine that waits for c, now or when it waits next.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
