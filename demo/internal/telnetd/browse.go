package telnetd

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// browse shows the list of texts, and the texts that the user chooses, until the user types q. The
// error is an error of the connection.
func (c *conn) browse(texts []string) error {
	chosen := 0
	for {
		c.list(texts, chosen)
		key, err := c.wait()
		switch {
		case err != nil:
			return err
		case key == 'q':
			return nil
		case key == down || key == 'j':
			chosen = min(chosen+1, len(texts)-1)
		case key == up || key == 'k':
			chosen = max(chosen-1, 0)
		case key == enter && len(texts) > 0:
			c.Log.Line(plain("read " + texts[chosen]))
			if err := c.read(texts[chosen]); err != nil {
				return err
			}
		}
	}
}

// wait sends the screen, waits for the next key and returns it: a byte, or one of the constants
// such as up. It returns resized when the size of the screen has changed.
func (c *conn) wait() (int, error) {
	if err := c.out.Flush(); err != nil {
		return 0, err
	}
	return c.line.key()
}

// list draws the list of texts. The text with the index chosen is highlighted. If the list is
// longer than the screen, that text is in the middle.
func (c *conn) list(texts []string, chosen int) {
	room := c.line.rows - 2
	first := max(0, min(chosen-room/2, len(texts)-room))
	c.heading("The little library")
	for i := first; i < min(first+room, len(texts)); i++ {
		fmt.Fprintf(c.out, "\x1b[%d;1H", i-first+2)
		if i == chosen {
			fmt.Fprint(c.out, "\x1b[7m> ", c.cut(texts[i], 2), "\x1b[m")
		} else {
			fmt.Fprint(c.out, "  ", c.cut(texts[i], 2))
		}
	}
	c.footing("arrows or j, k: choose   Enter: read   q: leave")
}

// read shows the named text, page by page, until the user types q. The error is an error of the
// connection; an error of the file is shown.
func (c *conn) read(name string) error {
	const most = 1 << 20 // bytes that are shown
	text, err := fs.ReadFile(c.Files, name)
	if err != nil {
		text = []byte(err.Error())
	}
	lines := strings.Split(string(text[:min(len(text), most)]), "\n")
	top := 0
	for {
		room := max(1, c.line.rows-2)
		top = max(0, min(top, len(lines)-room))
		c.heading(name)
		for i, line := range lines[top:min(top+room, len(lines))] {
			fmt.Fprintf(c.out, "\x1b[%d;1H%s", i+2, c.cut(line, 0))
		}
		c.footing(fmt.Sprintf("line %d of %d   arrows, blank, b: move   q: back", top+1, len(lines)))
		key, err := c.wait()
		switch {
		case err != nil:
			return err
		case key == 'q':
			return nil
		case key == down || key == 'j' || key == enter:
			top++
		case key == up || key == 'k':
			top--
		case key == ' ':
			top += room
		case key == 'b':
			top -= room
		}
	}
}

// heading clears the screen and draws text in the first row.
func (c *conn) heading(text string) {
	fmt.Fprintf(c.out, "\x1b[H\x1b[2J\x1b[1m%s\x1b[m", c.cut(text, 0))
}

// footing draws text in the last row.
func (c *conn) footing(text string) {
	fmt.Fprintf(c.out, "\x1b[%d;1H\x1b[7m%s\x1b[m", c.line.rows, c.cut(text, 1))
}

// cut returns text for one row of the screen: without control characters, and at most as long as
// the row minus less columns.
func (c *conn) cut(text string, less int) string {
	text = plain(strings.ReplaceAll(strings.TrimRight(text, "\r"), "\t", "    "))
	columns := max(0, c.line.columns-less)
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns])
}
