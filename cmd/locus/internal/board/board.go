// Package board shows the progress of transfers on a terminal.
//
//	b := board.New(os.Stderr, size)
//	transfer.Get(…, transfer.Options{Event: b.Event})
//	b.Clear()
package board

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"locus/internal/cells"
	"locus/internal/render"
	"locus/transfer"
)

// A Board shows the progress of transfers on a terminal: a line for each transfer, and a line with
// totals if there are several. [New] makes one. Only one goroutine may use a Board at a time.
//
//	rfc1738.txt                   45%  1.2 MiB of 2.7 MiB   650 KiB/s  3s left
//	12 done, 3 failed, 34.1 MiB, 5.6 MiB/s
type Board struct {
	w     io.Writer
	size  func() (columns, rows int)
	now   func() time.Time
	rows  []*row    // in the order in which the transfers started
	shown int       // the number of lines on the terminal
	next  time.Time // when Event may draw again
	total rate      // of all transfers
	files int       // transfers that are done
	fails int       // transfers that failed
}

// A row has the progress of a transfer that has not ended.
type row struct {
	key, name  string
	done, size int64
	rate       rate
	waits      bool // the transfer waits for its next attempt
}

// A rate measures the bytes a second over the last few seconds.
type rate struct {
	bytes, before int64 // all bytes so far, and the bytes at the time since
	since         time.Time
	speed         float64 // bytes a second; 0 if not yet known
}

// add counts n more bytes at the time now. At most twice a second it computes r.speed, an average
// in which the last seconds have the most weight.
func (r *rate) add(n int64, now time.Time) {
	if r.since.IsZero() {
		r.since = now
	}
	r.bytes += n
	passed := now.Sub(r.since).Seconds()
	if passed < 0.5 {
		return
	}
	speed := float64(r.bytes-r.before) / passed
	if r.speed > 0 {
		weight := min(passed/3, 1)
		speed = weight*speed + (1-weight)*r.speed
	}
	r.speed, r.before, r.since = speed, r.bytes, now
}

// New returns a Board that writes to the terminal w. size returns the size of the terminal; nil
// means 80 by 24. The Board shows nothing for the first second, because a quick transfer needs no
// line. It ignores errors of w, because a transfer should not fail only because its progress cannot
// be shown.
func New(w io.Writer, size func() (columns, rows int)) *Board {
	if size == nil {
		size = func() (int, int) { return 80, 24 }
	}
	return &Board{w: w, now: time.Now, size: size, next: time.Now().Add(time.Second)}
}

// Event records an event, and redraws the lines, at most five times a second. The line of a file
// stays until the file is done, has failed or is skipped.
func (b *Board) Event(e transfer.Event) {
	now, key := b.now(), e.URL.String()
	at := slices.IndexFunc(b.rows, func(r *row) bool { return r.key == key })
	switch e.Kind {
	case transfer.Started, transfer.Progress, transfer.Retrying, transfer.Restarted, transfer.Done:
		if at < 0 {
			at = len(b.rows)
			b.rows = append(b.rows, &row{key: key, done: e.Done, name: e.Name})
		}
		r := b.rows[at]
		if e.Kind == transfer.Started {
			r.done = e.Done // the size of the part that was already here
		}
		gained := max(e.Done-r.done, 0)
		r.rate.add(gained, now)
		b.total.add(gained, now)
		r.done, r.size, r.waits = e.Done, e.Size, e.Kind == transfer.Retrying
	}
	switch e.Kind {
	case transfer.Done:
		b.files++
	case transfer.Failed:
		b.fails++
	}
	switch e.Kind {
	case transfer.Done, transfer.Failed, transfer.Skipped, transfer.Listed:
		if at >= 0 {
			b.rows = slices.Delete(b.rows, at, at+1)
		}
	}
	if !now.Before(b.next) {
		b.next = now.Add(time.Second / 5)
		b.draw()
	}
}

// Clear removes the lines from the terminal. The next Event may show them again.
func (b *Board) Clear() {
	if b.shown > 0 {
		fmt.Fprintf(b.w, "\x1b[%dA\r\x1b[J", b.shown)
		b.shown = 0
	}
}

// draw replaces the lines on the terminal: a line for each transfer, as far as the height of the
// terminal allows, and the line with the totals if there was more than one transfer.
func (b *Board) draw() {
	columns, rows := b.size()
	var lines []string
	for _, r := range b.rows[:min(len(b.rows), max(rows-3, 1))] {
		lines = append(lines, r.line(columns-1))
	}
	if b.files+b.fails+len(b.rows) > 1 {
		lines = append(lines, cells.Cut(b.totals(), columns-1))
	}
	var text strings.Builder
	if b.shown > 0 {
		fmt.Fprintf(&text, "\x1b[%dA\r", b.shown)
	}
	for _, l := range lines {
		text.WriteString(l + "\x1b[K\n")
	}
	text.WriteString("\x1b[J")
	b.shown = len(lines)
	_, _ = io.WriteString(b.w, text.String())
}

// line returns the text for a transfer: its name, its progress, and the speed and the time left if
// these are known. The text has at most columns columns of the terminal.
func (r *row) line(columns int) string {
	text := human(float64(r.done))
	if r.size > 0 {
		text = fmt.Sprintf("%3d%%  %s of %s", 100*r.done/r.size, text, human(float64(r.size)))
	}
	switch {
	case r.waits:
		text += "  waiting to try again"
	case r.rate.speed > 0:
		text += "  " + human(r.rate.speed) + "/s"
		if left := float64(r.size-r.done) / r.rate.speed; r.size > r.done && left < 1e6 {
			text += "  " + (time.Duration(left+1) * time.Second).String() + " left"
		}
	}
	room := max(columns-cells.Of(text)-2, 8)
	name := cells.Cut(render.Clean(r.name), room)
	name += strings.Repeat(" ", max(min(room, 30)-cells.Of(name), 0))
	return cells.Cut(name+"  "+text, columns)
}

// totals returns the last line: how many transfers are done and have failed, the bytes of all
// transfers, and their speed if it is known.
func (b *Board) totals() string {
	text := fmt.Sprintf("%d done", b.files)
	if b.fails > 0 {
		text += fmt.Sprintf(", %d failed", b.fails)
	}
	text += ", " + human(float64(b.total.bytes))
	if b.total.speed > 0 {
		text += ", " + human(b.total.speed) + "/s"
	}
	return text
}

// human formats a number of bytes with a suitable unit: "20 B", "1.5 KiB".
func human(n float64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", int64(n))
	}
	unit := 0
	for n /= 1024; n >= 1000 && unit < 3; unit++ {
		n /= 1024
	}
	return fmt.Sprintf("%.1f %ciB", n, "KMGT"[unit])
}
