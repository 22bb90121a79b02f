package download

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"locus/render"
	"locus/transfer"
)

// A board shows the progress of transfers on a terminal: a line for each, and one for
// all if there are several.
//
//	rfc1738.txt                   45%  1.2 MiB of 2.7 MiB   650 KiB/s  3s left
//	12 done, 3 failed, 34.1 MiB, 5.6 MiB/s
type board struct {
	w     io.Writer
	size  func() (columns, rows int)
	now   func() time.Time
	rows  []*boardRow
	shown int // lines on the terminal
	next  time.Time
	total rate
	files int
	fails int
}

// A boardRow is a transfer that has not ended.
type boardRow struct {
	key, name  string
	done, size int64
	rate       rate
	waits      bool // for the next try
}

// A rate is the number of bytes a second, over the last seconds.
type rate struct {
	bytes, before int64
	since         time.Time
	speed         float64 // bytes a second; 0 if it is not known yet
}

// add counts bytes.
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

func newBoard(f *os.File) *board {
	b := &board{w: f, now: time.Now, size: func() (int, int) {
		columns, rows, err := term.GetSize(int(f.Fd()))
		if err != nil || columns < 1 || rows < 1 {
			return 80, 24
		}
		return columns, rows
	}}
	b.next = b.now().Add(time.Second) // a quick transfer needs no line
	return b
}

// event records an event, and redraws the board when it is time to.
func (b *board) event(e transfer.Event) {
	now, key := b.now(), e.URL.String()
	at := slices.IndexFunc(b.rows, func(r *boardRow) bool { return r.key == key })
	switch e.Kind {
	case transfer.Started, transfer.Progress, transfer.Retrying, transfer.Restarted, transfer.Done:
		if at < 0 {
			at = len(b.rows)
			b.rows = append(b.rows, &boardRow{key: key, done: e.Done, name: e.Name})
		}
		r := b.rows[at]
		if e.Kind == transfer.Started {
			r.done = e.Done // what was here before
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

// clear removes the lines from the terminal.
func (b *board) clear() {
	if b.shown > 0 {
		fmt.Fprintf(b.w, "\x1b[%dA\r\x1b[J", b.shown)
		b.shown = 0
	}
}

// draw replaces the lines on the terminal.
func (b *board) draw() {
	columns, rows := b.size()
	var lines []string
	for _, r := range b.rows[:min(len(b.rows), max(rows-3, 1))] {
		lines = append(lines, r.line(columns-1))
	}
	if b.files+b.fails+len(b.rows) > 1 {
		lines = append(lines, cutTo(b.totals(), columns-1))
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

// line returns a row of limited width.
func (r *boardRow) line(columns int) string {
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
	room := max(columns-utf8.RuneCountInString(text)-2, 8)
	return cutTo(fmt.Sprintf("%-*s  %s", min(room, 30), cutTo(render.Clean(r.name), room), text), columns)
}

// totals returns the line for all transfers.
func (b *board) totals() string {
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

// cutTo cuts a text to a number of characters.
func cutTo(text string, most int) string {
	if utf8.RuneCountInString(text) <= most || most < 1 {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// human writes a number of bytes with a suitable unit.
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
