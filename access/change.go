package access

import (
	"errors"
	"io"
)

// change is follow for what changes a resource.
func change[T any](f Follow, op string, req *Request, body io.Reader, do func(*Request, io.Reader) (T, error)) (T, error) {
	r := newRewinder(body)
	return follow(f, op, req, func(req *Request) (T, error) {
		result, err := do(req, r.reader())
		moved, ok := errors.AsType[*Moved](err)
		if !ok {
			return result, err
		}
		if why := mayRepeat(req, moved, r); why != nil {
			return result, refusal(op, req.URL, moved, why)
		}
		return result, err
	})
}

// mayRepeat returns why a change is not made where moved points, and sees to
// that it can be.
func mayRepeat(req *Request, moved *Moved, body *rewinder) error {
	switch {
	case !moved.Repeat:
		return errors.New("a change is made where it was meant to be, or nowhere")
	case secure(req.URL) && !secure(moved.To):
		return errors.New("it leads from an encrypted access to one in the clear")
	}
	return body.rewind()
}

// A rewinder is the body of a change, which may have to be read again.
type rewinder struct {
	r     io.Reader
	back  io.Seeker // nil if r cannot seek
	start int64
	read  bool // if r cannot seek: whether anything asked for its octets
}

func newRewinder(r io.Reader) *rewinder {
	w := &rewinder{r: r}
	if s, ok := r.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil {
			w.back, w.start = s, at
		}
	}
	return w
}

// reader returns what an Opener is given. It can seek if r can.
func (w *rewinder) reader() io.Reader {
	if w.r == nil || w.back != nil {
		return w.r
	}
	return w
}

func (w *rewinder) Read(p []byte) (int, error) {
	w.read = true
	return w.r.Read(p)
}

// rewind lets the reader give all octets once more.
func (w *rewinder) rewind() error {
	if w.back != nil {
		_, err := w.back.Seek(w.start, io.SeekStart)
		return err
	}
	if w.read {
		return errors.New("what was to be sent there is gone")
	}
	return nil
}
