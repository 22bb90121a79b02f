package telnetd

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// browse shows the list of texts, and those that are chosen, until q.
func (v *visit) browse(texts []string) error {
	chosen := 0
	for {
		v.list(texts, chosen)
		key, err := v.wait()
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
			v.log("read " + texts[chosen])
			if err := v.read(texts[chosen]); err != nil {
				return err
			}
		}
	}
}

// wait shows what was drawn, and returns the next key.
func (v *visit) wait() (int, error) {
	if err := v.out.Flush(); err != nil {
		return 0, err
	}
	return v.line.key()
}

// list draws the list, with what is chosen in its middle if it is long.
func (v *visit) list(texts []string, chosen int) {
	room := v.line.rows - 2
	first := max(0, min(chosen-room/2, len(texts)-room))
	v.heading("The little library")
	for i := first; i < min(first+room, len(texts)); i++ {
		fmt.Fprintf(v.out, "\x1b[%d;1H", i-first+2)
		if i == chosen {
			fmt.Fprint(v.out, "\x1b[7m> ", v.cut(texts[i], 2), "\x1b[m")
		} else {
			fmt.Fprint(v.out, "  ", v.cut(texts[i], 2))
		}
	}
	v.footing("arrows or j, k: choose   Enter: read   q: leave")
}

// read shows a text, page by page, until q.
func (v *visit) read(name string) error {
	const most = 1 << 20 // octets that are shown
	text, err := fs.ReadFile(v.Files, name)
	if err != nil {
		text = []byte(err.Error())
	}
	lines := strings.Split(string(text[:min(len(text), most)]), "\n")
	top := 0
	for {
		room := max(1, v.line.rows-2)
		top = max(0, min(top, len(lines)-room))
		v.heading(name)
		for i, line := range lines[top:min(top+room, len(lines))] {
			fmt.Fprintf(v.out, "\x1b[%d;1H%s", i+2, v.cut(line, 0))
		}
		v.footing(fmt.Sprintf("line %d of %d   arrows, blank, b: move   q: back", top+1, len(lines)))
		key, err := v.wait()
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

func (v *visit) heading(text string) {
	fmt.Fprintf(v.out, "\x1b[H\x1b[2J\x1b[1m%s\x1b[m", v.cut(text, 0))
}

func (v *visit) footing(text string) {
	fmt.Fprintf(v.out, "\x1b[%d;1H\x1b[7m%s\x1b[m", v.line.rows, v.cut(text, 1))
}

// cut makes text fit into a line that has so many columns less.
func (v *visit) cut(text string, less int) string {
	text = plain(strings.ReplaceAll(strings.TrimRight(text, "\r"), "\t", "    "))
	columns := max(0, v.line.columns-less)
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns])
}
