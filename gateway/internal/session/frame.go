package session

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/terminal"
)

// A frame is a message to the page with the changes since the last frame. Absent fields have not
// changed. An empty frame keeps the connection open.
type frame struct {
	Start    *sessionStart `json:"start,omitempty"`    // only in the first frame
	Scrolled *scrolled     `json:"scrolled,omitempty"` // lines that left the screen at its top
	Size     *[2]int       `json:"size,omitempty"`     // columns and rows; a new size clears every row
	Rows     []line        `json:"rows,omitempty"`
	State    *state        `json:"state,omitempty"`
	End      *Ending       `json:"end,omitempty"` // only in the last frame
}

// scrolled is a terminal.Scrolled as JSON.
type scrolled struct {
	Erased bool           `json:"erased,omitempty"` // the page must erase earlier lines
	Lost   int            `json:"lost,omitempty"`   // lines before Lines that were dropped
	Lines  []scrolledLine `json:"lines"`
}

// scrolledLine is a terminal.Line as JSON.
type scrolledLine struct {
	Runs      []run `json:"runs"`
	Continues bool  `json:"continues,omitempty"` // it continues the line before
}

// takeScrolled returns the lines that have left the screen of session at its top since the last
// call. It returns nil without such lines, or if the session does not keep them.
func takeScrolled(session terminal.Session) *scrolled {
	from, ok := session.(terminal.Scroller)
	if !ok {
		return nil
	}
	taken := from.TakeScrolled()
	if !taken.Erased && len(taken.Lines) == 0 {
		return nil
	}
	s := &scrolled{Erased: taken.Erased, Lost: taken.Lost, Lines: make([]scrolledLine, 0, len(taken.Lines))}
	for _, l := range taken.Lines {
		s.Lines = append(s.Lines, scrolledLine{runs(l.Cells), l.Continues})
	}
	return s
}

// A sessionStart tells the page that the session is open.
type sessionStart struct {
	Advice string   `json:"advice,omitempty"` // how to log in
	Keys   []button `json:"keys,omitempty"`   // keys to show as buttons; without them the page shows the keys of a VT
}

type button struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// An Ending says why a session has ended.
type Ending struct {
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// A line is a row of the screen.
type line struct {
	Row  int   `json:"row"`
	Runs []run `json:"runs"` // without the blanks at the end of the row
}

// A run is a piece of a row in one style.
type run struct {
	Text       string `json:"t"`
	Foreground string `json:"f,omitempty"` // see colourName
	Background string `json:"b,omitempty"`
	Attributes string `json:"a,omitempty"` // see attributes
	Cells      int    `json:"c,omitempty"` // the width of the text in cells; 0: its natural width
}

// state is the state of the terminal besides its text.
type state struct {
	Row     int    `json:"row"` // the row of the cursor, from 0
	Column  int    `json:"column"`
	Hidden  bool   `json:"hidden,omitempty"`
	AppKeys bool   `json:"app,omitempty"`
	Paste   bool   `json:"paste,omitempty"`
	Lines   bool   `json:"lines,omitempty"` // the page must send whole lines, because the server does not echo
	Status  string `json:"status,omitempty"`
}

// newSessionStart returns the start of a session for its first frame: the advice how to log in,
// and the buttons for the keys of the session, if it has any.
func newSessionStart(session terminal.Session, login access.LoginAdvice) *sessionStart {
	g := &sessionStart{Advice: adviceOf(login)}
	if k, ok := session.(terminal.Keyboard); ok {
		for _, key := range k.Keys() {
			g.Keys = append(g.Keys, button(key))
		}
	}
	return g
}

// adviceOf returns the login that a URL suggests as a sentence for people. It returns "" if the
// URL does not suggest a login.
func adviceOf(login access.LoginAdvice) string {
	text, ok := strings.CutPrefix(login.String(), "the URL suggests logging in")
	if !ok {
		return ""
	}
	return "Log in" + text + "."
}

// A shownScreen is the screen that the page shows after the last frame.
type shownScreen struct {
	columns int
	cells   [][]terminal.Cell
	state   state
}

// update returns the frame that makes the page show s, and stores s as the shown screen. ok is
// false if the page shows s already. lines says whether the page must send whole lines, because the
// server does not echo.
func (c *shownScreen) update(s terminal.Screen, lines bool) (f frame, ok bool) {
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
		if now := runs(cells[:visibleLen(cells)]); c.cells[i] != nil || len(now) > 0 {
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

// runs joins the cells of a row into runs of one style.
func runs(cells []terminal.Cell) []run {
	all := []run{}
	for _, c := range cells {
		if c.Text == "" { // the second cell of a wide character
			if n := len(all); n > 0 && all[n-1].Cells == 1 {
				all[n-1].Cells = 2
			}
			continue
		}
		next := runOf(c)
		if n := len(all); n > 0 && all[n-1].isFollowedBy(next) {
			all[n-1].Text += next.Text
			continue
		}
		all = append(all, next)
	}
	return all
}

// visibleLen returns the number of cells of a row before the unstyled blanks at its end.
func visibleLen(cells []terminal.Cell) int {
	n := len(cells)
	for n > 0 && cells[n-1] == (terminal.Cell{Text: " "}) {
		n--
	}
	return n
}

// isFollowedBy reports whether the text of next can be appended to s, because both have one
// style and natural width.
func (s run) isFollowedBy(next run) bool {
	next.Text = s.Text
	return s == next && s.Cells == 0
}

// runOf returns a run with the text and the style of one cell. It swaps the colours of a reversed
// cell, and replaces concealed text by a blank. Cells is 1 if fonts draw the text in different
// widths, and otherwise 0.
func runOf(c terminal.Cell) run {
	style := c.Style
	s := run{Text: c.Text, Foreground: colourName(style.Foreground), Background: colourName(style.Background), Attributes: attributes(style)}
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

// isPlain reports whether every monospaced font draws all characters of a text one cell wide.
func isPlain(text string) bool {
	for _, r := range text {
		if r >= 0x250 && (r < 0x2500 || r > 0x259F) {
			return false
		}
	}
	return true
}

// colourName returns the name of a colour in frames: "" for the default, "0" to "15" for the
// first colours of the palette, or "#rrggbb".
func colourName(c terminal.Colour) string {
	if n, ok := c.Palette(); ok && n < 16 {
		return strconv.Itoa(int(n))
	}
	red, green, blue, ok := c.RGB()
	if !ok {
		return ""
	}
	return "#" + hex.EncodeToString([]byte{red, green, blue})
}

// attributes returns one letter for each attribute of a style that is on, such as "bu" for bold
// and underlined.
func attributes(s terminal.Style) string {
	var letters []byte
	for _, a := range []struct {
		isOn   bool
		letter byte
	}{{s.Bold, 'b'}, {s.Faint, 'f'}, {s.Italic, 'i'}, {s.Underline, 'u'}, {s.Blink, 'k'}, {s.Strike, 's'}} {
		if a.isOn {
			letters = append(letters, a.letter)
		}
	}
	return string(letters)
}
