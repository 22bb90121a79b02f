package board

import (
	"fmt"
	"io"
	"time"
)

// A Meter is a Writer that shows how many bytes were written to it. [NewMeter] makes one. One
// goroutine may use it at a time.
type Meter struct {
	w, terminal io.Writer
	name        string
	size, done  int64
	next        time.Time // when to show it again
	width       int       // of what is on the screen
}

// NewMeter returns a Writer around w. Writes show the progress on the terminal, from the second
// second on, in one line that begins with name. size is how many bytes will be written; 0 or
// less: unknown. At the end call Clear. Errors of the terminal are ignored.
func NewMeter(w, terminal io.Writer, name string, size int64) *Meter {
	return &Meter{w: w, terminal: terminal, name: name, size: size, next: time.Now().Add(time.Second)}
}

// Write writes to the Writer around which the Meter is, and returns what that does.
func (m *Meter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	m.done += int64(n)
	if now := time.Now(); now.After(m.next) {
		m.next = now.Add(time.Second / 4)
		m.show()
	}
	return n, err
}

func (m *Meter) show() {
	text := fmt.Sprintf("%s%d bytes", m.name, m.done)
	if m.size > 0 {
		text = fmt.Sprintf("%s%d of %d bytes, %d%%", m.name, m.done, m.size, 100*m.done/m.size)
	}
	m.width = max(m.width, len(text))
	fmt.Fprintf(m.terminal, "\r%-*s", m.width, text)
}

// Clear removes the line from the terminal, if there is one.
func (m *Meter) Clear() {
	if m.width > 0 {
		fmt.Fprintf(m.terminal, "\r%-*s\r", m.width, "")
	}
}
