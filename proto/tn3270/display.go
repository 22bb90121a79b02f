package tn3270

// A display is a 3270: its screen and the state of its keyboard. It executes
// records of the host and pressed keys, and returns the records to send. Only one
// goroutine at a time may use it.
type display struct {
	model  model
	page   *codePage
	buffer buffer

	lock        Lock
	insertMode  bool
	pendingKeys []Key // pressed while the keyboard was locked by Waiting
	attention   byte  // the last attention key
	alarmCount  int
}

// newDisplay returns a display that waits for the host.
func newDisplay(m model, p *codePage) *display {
	rows, columns := m.primary()
	return &display{model: m, page: p, buffer: newBuffer(rows, columns), lock: Waiting, attention: attentionNone}
}

// print writes ASCII text at the cursor, from a host that is not in 3270 mode. A
// full screen scrolls.
func (t *display) print(text []byte) {
	b := &t.buffer
	for _, c := range text {
		switch {
		case c == '\r':
			b.cursor -= b.cursor % b.columns
		case c == '\n':
			t.lineFeed()
		case c == '\b' && b.cursor%b.columns > 0:
			b.cursor--
		case c >= ' ' && c < 0x7F:
			t.printCharacter(c)
		}
	}
}

func (t *display) printCharacter(c byte) {
	b := &t.buffer
	code, _ := t.page.code(rune(c)) // every code page has ASCII
	b.cells[b.cursor] = cell{code: code}
	if b.cursor++; b.cursor == len(b.cells) {
		b.cursor -= b.columns
		b.scroll()
	}
}

func (t *display) lineFeed() {
	b := &t.buffer
	if b.cursor += b.columns; b.cursor >= len(b.cells) {
		b.cursor -= b.columns
		b.scroll()
	}
}

// scroll moves all lines up by one.
func (b *buffer) scroll() {
	copy(b.cells, b.cells[b.columns:])
	clear(b.cells[len(b.cells)-b.columns:])
}
