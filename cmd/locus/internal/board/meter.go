package board

import (
	"fmt"
	"io"
	"time"
)

// A Meter is a Writer that shows how many bytes were written to it. [NewMeter] makes one. Only one
// goroutine may use a Meter at a time.
type Meter struct {
	w, terminal io.Writer
	name        string
	size, done  int64
	next        time.Time // the time of the next display
	width       int       // the width of the line on the screen
}

// NewMeter returns a Writer around w. After the first second, writes show the progress on the
// terminal, in one line that begins with name. size is the total number of bytes; 0 or less means
// that it is unknown. The caller calls Clear at the end. Errors of the terminal are ignored.
func NewMeter(w, terminal io.Writer, name string, size int64) *Meter {
	return &Meter{w: w, terminal: terminal, name: name, size: size, next: time.Now().Add(time.Second)}
}

// Write writes b to the Writer that the Meter wraps, returns its result, and counts the bytes that
// it has written. Up to four times a second it shows their number.
func (m *Meter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	m.done += int64(n)
	if now := time.Now(); now.After(m.next) {
		m.next = now.Add(time.Second / 4)
		m.show()
	}
	return n, err
}

// show replaces the line on the terminal with the present number of bytes.
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
