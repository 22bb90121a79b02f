package terminal

import "io"

// A Session is an interactive resource: a terminal whose other end is a remote
// host. Its output is read from the Body of the resource, as text with the
// control sequences of ECMA-48; nothing happens unless somebody reads it. Read,
// Write, Resize, Echoes and Screen may be called at the same time.
type Session interface {
	// Write types: it takes what the keyboard of a terminal sends. The key
	// Enter is CR.
	io.Writer

	// Resize tells the remote host the size of the user's screen. Until it is
	// called the screen has 80 columns and 24 rows.
	Resize(columns, rows int) error

	// Echoes reports whether the remote host shows what is typed. If it does
	// not, the caller shows it and sends whole lines. When this changes, Read
	// returns, with no bytes and no error if need be.
	Echoes() bool

	// Screen returns what a terminal shows after everything that was read so far.
	Screen() Screen
}

// A Keyboard is a [Session] with keys that today's keyboards lack.
type Keyboard interface {
	// Keys returns them in the order that people expect. The caller may change
	// the slice.
	Keys() []Key
}

// A Key is a key of a terminal.
type Key struct {
	Name string // what is written on it: "PF1"
	Text string // what Write takes for it
}
