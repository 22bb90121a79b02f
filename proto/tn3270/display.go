package tn3270

// A display is a 3270: what is on its screen, and what state its keyboard is
// in. It is told what the host sends and which keys are pressed, and says what
// is to be sent. It belongs to one goroutine at a time.
type display struct {
	model  model
	page   *codePage
	buffer buffer

	lock      Lock
	insert    bool  // insert mode is on
	waiting   []Key // keys that were pressed while the host had the turn
	attention byte  // the key that called the host last
	alarms    int   // how often the alarm has sounded
}

// newDisplay returns a display that waits for its host.
func newDisplay(m model, p *codePage) *display {
	rows, columns := m.primary()
	return &display{model: m, page: p, buffer: newBuffer(rows, columns), lock: Waiting, attention: attentionNone}
}

// print writes text of a host that does not speak 3270 yet, or no more: lines
// of ASCII, from where the cursor is. The screen moves up where it is full.
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
	code, _ := t.page.code(rune(c)) // every page has ASCII
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

// scroll moves everything one line up.
func (b *buffer) scroll() {
	copy(b.cells, b.cells[b.columns:])
	clear(b.cells[len(b.cells)-b.columns:])
}
