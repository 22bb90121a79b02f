package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"locus/access"
	"locus/terminal"
)

const (
	maxSaid    = 64 << 10 // octets of a message of a page
	maxColumns = 400
	maxRows    = 200

	framePause = time.Second / 30 // between two frames
	maxAhead   = 256 << 10        // octets read from the other side for one frame

	heartbeat = 30 * time.Second // for what stands between and closes what is quiet
	maxStall  = 20 * time.Second // that a page takes to take a frame
)

// A pane is the end of a session that the page is at.
type pane struct{ conn *websocket.Conn }

// send tells the page a frame. Should ctx end meanwhile the frame is sent all the
// same, as a message that is cut would be the last.
func (p *pane) send(ctx context.Context, f frame) error {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // it is our own
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxStall)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return &goneError{err}
	}
	return nil
}

// farewell tells the page why the session ends, if it is still there, and hangs
// up.
func (p *pane) farewell(err error) {
	end := ending{Text: "the other side has ended the session"}
	if err != nil {
		end = ending{err.Error(), access.Hint(err)}
	}
	if p.send(context.Background(), frame{End: &end}) == nil {
		_ = p.conn.Close(websocket.StatusNormalClosure, "") // it may have hung up first
	}
}

// A message is what a page says. What it lacks is not said.
type message struct {
	Keys string `json:"keys"` // as Session.Write takes them
	Size [2]int `json:"size"` // columns and rows that the page has room for
}

// A sitting is a session while somebody sits at it. The screen is drawn from the
// latest state, however much came in between, and a page that takes its time
// slows the other side down: nothing queues up.
type sitting struct {
	*pane
	body    io.Reader
	session terminal.Session
	canvas  canvas

	changed chan struct{} // the screen may have
	drawn   chan struct{} // a frame is
	ended   chan error    // why either end has
}

func newSitting(p *pane, body io.Reader, session terminal.Session) *sitting {
	return &sitting{
		pane: p, body: body, session: session,
		changed: make(chan struct{}, 1), drawn: make(chan struct{}, 1), ended: make(chan error, 2),
	}
}

// run passes keys and screens on until either end has, or a limit is reached. It
// returns what sitAt does. The caller closes body and pane, which ends what still
// waits for them.
func (s *sitting) run(ctx context.Context, cancel context.CancelCauseFunc, limits Sessions, hello *greeting) error {
	idle := time.AfterFunc(limits.idle(), func() { cancel(errIdle) })
	defer idle.Stop()
	total := time.AfterFunc(limits.total(), func() { cancel(errTooLong) })
	defer total.Stop()
	if err := s.send(ctx, frame{Welcome: hello}); err != nil {
		return err
	}
	// A Read that is cancelled would hang up, before the farewell.
	go s.report(func() error { return s.keyboard(context.WithoutCancel(ctx), func() { idle.Reset(limits.idle()) }) })
	go s.report(func() error { return s.listen(ctx) })
	wake(s.changed)
	return s.show(ctx)
}

// report sends the error of do, or its panic, to ended.
func (s *sitting) report(do func() error) {
	var err error
	defer func() { s.ended <- err }()
	defer access.CatchPanic(&err)
	err = do()
}

// show draws the screen whenever it has changed, but not more often than people
// see.
func (s *sitting) show(ctx context.Context) error {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-s.changed:
			if err := s.draw(ctx); err != nil {
				return cause(ctx, err)
			}
		case <-beat.C:
			if err := s.send(ctx, frame{}); err != nil {
				return cause(ctx, err)
			}
		case err := <-s.ended:
			if gone := s.draw(ctx); err == nil {
				err = gone
			}
			return cause(ctx, err)
		case <-ctx.Done():
			return cause(ctx, nil)
		}
		pause(ctx, framePause)
	}
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// draw tells the page what has changed.
func (s *sitting) draw(ctx context.Context) error {
	defer wake(s.drawn)
	f, ok := s.canvas.draw(s.session.Screen(), !s.session.Echoes())
	if !ok {
		return nil
	}
	return s.send(ctx, f)
}

// listen reads what the other side sends, which is then on the screen.
func (s *sitting) listen(ctx context.Context) error {
	b := make([]byte, 32<<10)
	ahead := 0
	for {
		n, err := s.body.Read(b)
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
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

// keyboard types what the page says, until that has gone; it calls typed for
// keys.
func (s *sitting) keyboard(ctx context.Context, typed func()) error {
	for {
		m, err := s.hear(ctx)
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

// hear waits for a message of the page.
func (s *sitting) hear(ctx context.Context) (m message, err error) {
	kind, text, err := s.conn.Read(ctx)
	if err != nil {
		return m, &goneError{err}
	}
	if kind != websocket.MessageText || json.Unmarshal(text, &m) != nil {
		return m, errGarbage
	}
	return m, nil
}

func clamp(n, most int) int { return min(max(n, 1), most) }

// wake lets what waits for c go on, now or when it waits.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
