package gateway

import (
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/terminal"
)

// A frame is what a page is told: what has changed since the frame before. What
// it lacks has not changed; a message may have none of it.
type frame struct {
	Welcome *greeting `json:"welcome,omitempty"` // in the first
	Size    *[2]int   `json:"size,omitempty"`    // columns and rows; every row is empty then
	Rows    []line    `json:"rows,omitempty"`
	State   *state    `json:"state,omitempty"`
	End     *ending   `json:"end,omitempty"` // in the last
}

// A greeting is what a page is told once the session is open.
type greeting struct {
	Advice string   `json:"advice,omitempty"` // on how to log in
	Keys   []button `json:"keys,omitempty"`   // that keyboards lack; none means those of a VT
}

type button struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// An ending says why a session has ended.
type ending struct {
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// A line is a row of the screen as a page draws it.
type line struct {
	Row  int   `json:"row"`
	Runs []run `json:"runs"` // the row's blank rest is left out
}

// A run is text of a row that looks the same.
type run struct {
	Text       string `json:"t"`
	Foreground string `json:"f,omitempty"` // see colourName
	Background string `json:"b,omitempty"`
	Looks      string `json:"a,omitempty"` // a letter for each; see looks
	Cells      int    `json:"c,omitempty"` // how many cells wide the text is to be; 0 for as it is
}

// state is everything else about a screen.
type state struct {
	Row     int    `json:"row"` // of the cursor, from 0
	Column  int    `json:"column"`
	Hidden  bool   `json:"hidden,omitempty"`
	AppKeys bool   `json:"app,omitempty"`
	Paste   bool   `json:"paste,omitempty"`
	Lines   bool   `json:"lines,omitempty"` // the other side shows nothing of what is typed
	Status  string `json:"status,omitempty"`
}

// welcome returns what a page is told of a session that was just opened.
func welcome(session terminal.Session, login access.LoginAdvice) *greeting {
	g := &greeting{Advice: adviceOf(login)}
	if k, ok := session.(terminal.Keyboard); ok {
		for _, key := range k.Keys() {
			g.Keys = append(g.Keys, button(key))
		}
	}
	return g
}

// adviceOf puts into words how a URL advises to log in; "" if it does not.
func adviceOf(login access.LoginAdvice) string {
	var words []string
	if login.User.Present {
		words = append(words, "as "+strconv.Quote(login.User.Text))
	}
	if login.Password.Present {
		words = append(words, "with the password "+strconv.Quote(login.Password.Text))
	}
	if words == nil {
		return ""
	}
	return "The URL advises to log in " + strings.Join(words, " ") + "."
}

// A canvas is what a page shows already.
type canvas struct {
	columns int
	cells   [][]terminal.Cell
	state   state
}

// draw returns what a page must be told to show the screen s; ok is false if
// there is nothing to tell.
func (c *canvas) draw(s terminal.Screen, lines bool) (f frame, ok bool) {
	columns := 0
	if len(s.Cells) > 0 {
		columns = len(s.Cells[0])
	}
	if columns != c.columns || len(s.Cells) != len(c.cells) {
		c.columns, c.cells = columns, make([][]terminal.Cell, len(s.Cells))
		f.Size = &[2]int{columns, len(s.Cells)}
	}
	for i, cells := range s.Cells {
		if slices.Equal(cells, c.cells[i]) {
			continue
		}
		if now := runs(cells); c.cells[i] != nil || len(now) > 0 {
			f.Rows = append(f.Rows, line{i, now})
		}
		c.cells[i] = cells
	}
	now := state{s.Row, s.Column, s.Hidden, s.AppKeys, s.Paste, lines, s.Status}
	if now != c.state || f.Size != nil {
		c.state = now
		f.State = &now
	}
	return f, f.Size != nil || f.Rows != nil || f.State != nil
}

// runs returns the runs of a row, without blanks at its end.
func runs(cells []terminal.Cell) []run {
	all := []run{}
	for _, c := range cells[:inked(cells)] {
		if c.Text == "" { // where a wide character goes on
			if n := len(all); n > 0 && all[n-1].Cells == 1 {
				all[n-1].Cells = 2
			}
			continue
		}
		next := runOf(c)
		if n := len(all); n > 0 && all[n-1].joins(next) {
			all[n-1].Text += next.Text
			continue
		}
		all = append(all, next)
	}
	return all
}

// inked returns how many cells a row has up to the last that shows something.
func inked(cells []terminal.Cell) int {
	n := len(cells)
	for n > 0 && cells[n-1] == (terminal.Cell{Text: " "}) {
		n--
	}
	return n
}

// joins reports whether next may be one run with s.
func (s run) joins(next run) bool {
	next.Text = s.Text
	return s == next && s.Cells == 0
}

func runOf(c terminal.Cell) run {
	style := c.Style
	s := run{Text: c.Text, Foreground: colourName(style.Foreground), Background: colourName(style.Background), Looks: looks(style)}
	if style.Reverse {
		s.Foreground, s.Background = s.Background, s.Foreground
		if s.Foreground == "" {
			s.Foreground = "ground"
		}
		if s.Background == "" {
			s.Background = "text"
		}
	}
	if style.Conceal {
		s.Text = " "
	}
	if !isPlain(c.Text) {
		s.Cells = 1
	}
	return s
}

// isPlain reports whether every monospaced font has a character and draws it as
// wide as the others.
func isPlain(text string) bool {
	for _, r := range text {
		if r >= 0x250 && (r < 0x2500 || r > 0x259F) {
			return false
		}
	}
	return true
}

// colourName is how a page is told a colour: "" for the terminal's own, 0 to 15
// for what has a name, and "#rrggbb" for a mixture. Where the own ones are
// reversed they are "ground" and "text".
func colourName(c terminal.Colour) string {
	if n, ok := c.Palette(); ok && n < 16 {
		return strconv.Itoa(int(n))
	}
	red, green, blue, ok := c.RGB()
	if !ok {
		return ""
	}
	const digits = "0123456789abcdef"
	name := []byte{'#'}
	for _, part := range []uint8{red, green, blue} {
		name = append(name, digits[part>>4], digits[part&15])
	}
	return string(name)
}

// looks are letters for how a character looks besides its colours.
func looks(s terminal.Style) string {
	var letters []byte
	for _, look := range []struct {
		on     bool
		letter byte
	}{{s.Bold, 'b'}, {s.Faint, 'f'}, {s.Italic, 'i'}, {s.Underline, 'u'}, {s.Blink, 'k'}, {s.Strike, 's'}} {
		if look.on {
			letters = append(letters, look.letter)
		}
	}
	return string(letters)
}
