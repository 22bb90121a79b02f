// Package session relays an interactive session to the page of a browser.
//
//	page ──keys──▶ Browser ──▶ relay ──▶ terminal.Session ──▶ server
//	page ◀─frames── Browser ◀── relay ◀── terminal.Session ◀── server
//
// Three goroutines run for a session. keyboard reads the messages of the page. listen reads the
// bytes of the server, and the terminal.Session puts them on its screen. show sends a frame when
// the screen has changed. A frame has only the difference between two screens, and show skips
// the screens in between if the page is slow. After maxAhead bytes listen waits for the next frame.
// So a slow page slows the server down, and frames do not queue up.
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
	maxMessageSize = 64 << 10 // bytes of a message of the page
	maxColumns     = 400
	maxRows        = 200

	framePause = time.Second / 30 // the time between two frames
	maxAhead   = 256 << 10        // bytes that listen reads between two frames

	emptyTime = 3 * time.Second  // after this time the page explains why the terminal is empty
	heartbeat = 30 * time.Second // an empty frame keeps proxies from closing a silent connection
	maxStall  = 20 * time.Second // the time that the page has to receive a frame
)

// The reasons why a session ends although the server has not ended it.
var (
	ErrGone    = errors.New("the browser closed the connection")
	errIdle    = errors.New("no key was pressed for too long")
	errTooLong = errors.New("the session reached its time limit")
	errStopped = errors.New("the gateway is stopping")
	errGarbage = errors.New("the page sent an invalid message")
)

// Limits bound a session.
type Limits struct {
	Idle  time.Duration // how long it may last without a key
	Total time.Duration // how long it may last
}

// Run relays between the page and the session of a resource until either side ends the session, or
// a limit is reached. It returns nil if the server ended the session, and otherwise the reason. Run
// first resizes the session to columns and rows, the size of the page in cells, unless they are 0.
// cancel cancels ctx.
func Run(ctx context.Context, cancel context.CancelCauseFunc, p *Browser, resource *access.Resource, columns, rows int, limits Limits) error {
	if columns != 0 && rows != 0 { // before the session tells the server its size
		if err := resource.Session.Resize(clamp(columns, maxColumns), clamp(rows, maxRows)); err != nil {
			return err
		}
	}
	s := newRelay(p, resource.Body, resource.Session)
	return s.run(ctx, cancel, limits, newSessionStart(resource.Session, resource.Login))
}

// Cause returns the reason why ctx was cancelled, or err if ctx is not done. The reason is
// errStopped if the cancellation does not give another.
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

// send sends the page a frame, and waits until it is sent, up to maxStall. It ignores that ctx is
// done, because after half a frame it could not send the last frame, which has the Ending. The error
// wraps ErrGone.
func (p *Browser) send(ctx context.Context, f frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // a frame has only strings and numbers, so Marshal does not fail
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxStall)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return errors.Join(ErrGone, err)
	}
	return nil
}

// End tells the page how the session ended, and then closes the connection. If the connection has
// failed, End does not close it.
func (p *Browser) End(end Ending) {
	if p.send(context.Background(), frame{End: &end}) == nil {
		_ = p.conn.Close(websocket.StatusNormalClosure, "") // the browser may have closed it already
	}
}

// A message is a message of the page. Its fields are optional.
type message struct {
	Keys string `json:"keys"` // the argument of Session.Write
	Size [2]int `json:"size"` // the size of the page in columns and rows
}

// A relay passes keys and screens between a page and a session.
type relay struct {
	*Browser
	body    io.Reader
	session terminal.Session
	shown   shownScreen
	isEmpty bool // the server has sent no text yet
	isLate  bool // emptyTime has passed

	changed chan struct{} // has a value if the screen may have changed
	drawn   chan struct{} // has a value if a frame was sent
	ended   chan error    // has the reason if keyboard or listen has ended
}

// newRelay returns a relay between p and session. body has the bytes of the server; reading it
// updates the screen of session.
func newRelay(p *Browser, body io.Reader, session terminal.Session) *relay {
	return &relay{
		Browser: p, body: body, session: session, isEmpty: true,
		changed: make(chan struct{}, 1), drawn: make(chan struct{}, 1), ended: make(chan error, 2),
	}
}

// run starts the goroutines of the session, and does the work of Run after the size is set. start is
// sent in the first frame. The caller closes body and the Browser, which ends the goroutines that
// read them.
func (s *relay) run(ctx context.Context, cancel context.CancelCauseFunc, limits Limits, start *sessionStart) error {
	idle := time.AfterFunc(limits.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	total := time.AfterFunc(limits.Total, func() { cancel(errTooLong) })
	defer total.Stop()
	if err := s.send(ctx, frame{Start: start}); err != nil {
		return err
	}
	// keyboard must not obey ctx, because a cancelled Read closes the connection before End.
	go s.report(func() error { return s.keyboard(context.WithoutCancel(ctx), func() { idle.Reset(limits.Idle) }) })
	go s.report(func() error { return s.listen(ctx) })
	wake(s.changed)
	return s.show(ctx)
}

// report calls do, and sends its error or its panic to ended.
func (s *relay) report(do func() error) {
	var err error
	defer func() { s.ended <- err }()
	defer engine.CatchPanic(&err)
	err = do()
}

// show sends a frame when the screen has changed, and an empty frame at each heartbeat, but waits
// framePause between two frames. It returns the reason when the session ends, or nil if the server
// has ended it.
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

// draw sends the page a frame with the changes of the screen since the last frame, if there are any.
// It wakes listen, which may read more bytes then.
func (s *relay) draw(ctx context.Context) error {
	defer wake(s.drawn)
	left := takeScrolled(s.session) // before Screen, so that a line comes late rather than twice
	f, ok := s.shown.update(s.screen(), !s.session.Echoes())
	if !ok && left == nil {
		return nil
	}
	f.Scrolled = left
	return s.send(ctx, f)
}

// screen returns the screen of the session. After emptyTime the status of an empty screen says that
// the server has not sent a text.
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

// listen reads the bytes of the server, which the session puts on its screen, and wakes show. It
// returns nil at their end, or when ctx is done. After maxAhead bytes it waits for the next frame.
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

// keyboard writes the keys of the page to the session, and resizes it, until the page closes the
// connection. It calls typed before it writes keys, and wakes show after each message. It returns
// the error that ended it.
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

// receive waits for a message of the page. The error wraps ErrGone if the connection is closed, and
// is errGarbage if the message is malformed.
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

// clamp returns n, but at least 1 and at most most.
func clamp(n, most int) int { return min(max(n, 1), most) }

// wake sends a value to c, which has a buffer for one value, and never waits. If the buffer is full,
// the receiver gets the value that is there.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
