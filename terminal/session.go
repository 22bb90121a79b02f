package terminal

import "io"

// A Session is an interactive session with a remote host. Its output is read from the Body of
// the Resource, as text with ECMA-48 control sequences. The caller must keep reading, because
// only Read handles the data of the host. Several goroutines may call Read, Write, Resize,
// Echoes and Screen at once.
type Session interface {
	// Write sends typed text, in the encoding of a terminal's keyboard. Enter is CR.
	io.Writer

	// Resize sets the size of the user's screen. The default is 80 columns and 24
	// rows.
	Resize(columns, rows int) error

	// Echoes reports whether the remote host echoes typed text. If it does not,
	// the caller must echo, and send whole lines. When this changes, Read returns,
	// if necessary with 0 and nil.
	Echoes() bool

	// Screen returns the screen after all text that Read has returned.
	Screen() Screen
}

// A Scroller is a [Session] that keeps the lines that leave its screen at the top, until they
// are taken. It drops the oldest lines if it has too many.
type Scroller interface {
	// TakeScrolled returns the lines that left since the last call. Lines that leave between
	// TakeScrolled and Screen come with the next call.
	TakeScrolled() Scrolled
}

// Scrolled has the lines that left a screen at its top. The caller may modify it.
type Scrolled struct {
	// Erased reports that the host erased all earlier lines, including the lines of earlier
	// calls.
	Erased bool
	Lost   int    // number of lines before Lines that were dropped, because the Scroller had too many
	Lines  []Line // the oldest first
}

// A Line is a line that left a screen.
type Line struct {
	Cells []Cell // without the blanks at its end, unless the next line continues it

	// Continues reports that the screen has wrapped the line before, and that this line
	// continues it. The line before may have come with an earlier call.
	Continues bool
}

// A Keyboard is a [Session] with special keys that modern keyboards lack.
type Keyboard interface {
	// Keys returns the special keys in the usual order. The caller may modify the
	// slice.
	Keys() []Key
}

// A Key is a special key of a terminal.
type Key struct {
	Name string // its label: "PF1"
	Text string // to pass to Write
}
