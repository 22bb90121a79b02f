package screen

import "locus/terminal"

// control executes a C0 control character, and ignores those that do not move the cursor or switch the character set.
func (s *Screen) control(b byte) {
	switch b {
	case '\b':
		s.moveToColumn(s.cursor.column - 1)
	case '\t':
		s.tab(1)
	case '\n', '\v', '\f':
		s.lineFeed()
		if s.lfImpliesCR {
			s.moveToColumn(0)
		}
	case '\r':
		s.moveToColumn(0)
	case 0x0E: // SO
		s.cursor.charset = 1
	case 0x0F: // SI
		s.cursor.charset = 0
	}
}

// escape executes an escape sequence, and ignores unknown ones. intermediate is the byte between ESC and the final
// byte, or 0.
func (s *Screen) escape(intermediate, final byte) {
	switch intermediate {
	case 0:
		s.simpleEscape(final)
	case '(':
		s.cursor.isLineDrawing[0] = final == '0'
	case ')':
		s.cursor.isLineDrawing[1] = final == '0'
	case '#':
		if final == '8' { // DECALN
			s.align()
		}
	}
}

// simpleEscape executes an escape sequence without an intermediate byte, and ignores unknown ones.
func (s *Screen) simpleEscape(final byte) {
	switch final {
	case '7': // DECSC
		s.saved = s.cursor
	case '8': // DECRC
		s.cursor = s.saved
	case 'D': // IND
		s.lineFeed()
	case 'E': // NEL
		s.lineFeed()
		s.moveToColumn(0)
	case 'H': // HTS
		s.tabs[s.cursor.column] = true
	case 'M': // RI
		s.reverseLineFeed()
	case 'c': // RIS
		kept := s.history
		s.Reset(s.columns, s.rows)
		s.history = kept
	}
}

// align executes DECALN: it fills the screen with the letter E.
func (s *Screen) align() {
	for row := range s.grid {
		s.grid[row].erase(terminal.Style{})
		for i := range s.grid[row].cells {
			s.grid[row].cells[i].Text = "E"
		}
	}
}

// sequence executes a control sequence with the parameters of the parser. It ignores unknown ones.
//
//	ESC [  private  n ; n ; n  final
//	        ? or 0
func (s *Screen) sequence(private, final byte) {
	switch {
	case private == '?' && (final == 'h' || final == 'l'):
		s.eachParameter(func(n int) { s.setPrivateMode(n, final == 'h') })
	case private == 0:
		s.moveCursor(final)
		s.edit(final)
		s.setState(final)
	}
}

// moveCursor executes a sequence that moves the cursor. It ignores other sequences.
func (s *Screen) moveCursor(final byte) {
	n := s.count(0)
	switch final {
	case 'A', 'F': // CUU, CPL
		s.moveVertically(-n)
	case 'B', 'E', 'e': // CUD, CNL, VPR
		s.moveVertically(n)
	case 'C', 'a': // CUF, HPR
		s.moveToColumn(s.cursor.column + n)
	case 'D': // CUB
		s.moveToColumn(s.cursor.column - n)
	case 'G', '`': // CHA, HPA
		s.moveToColumn(n - 1)
	case 'H', 'f': // CUP, HVP
		s.moveTo(n-1, s.count(1)-1)
	case 'I': // CHT
		s.tab(n)
	case 'Z': // CBT
		s.tab(-n)
	case 'd': // VPA
		s.moveTo(n-1, s.cursor.column)
	}
	if final == 'E' || final == 'F' {
		s.moveToColumn(0)
	}
}

// edit executes a sequence that inserts, deletes, erases, scrolls or repeats text. It ignores other sequences.
func (s *Screen) edit(final byte) {
	n, at := s.count(0), s.cursor.column
	switch final {
	case '@': // ICH
		s.insertCells(n)
	case 'J': // ED
		s.eraseDisplay(s.parameter(0))
	case 'K': // EL
		s.eraseLine(s.parameter(0))
	case 'L': // IL
		s.deleteLines(-n)
	case 'M': // DL
		s.deleteLines(n)
	case 'P': // DCH
		s.deleteCells(n)
	case 'S': // SU
		s.scrollUp(n)
	case 'T': // SD
		s.scroll(s.top, -n)
	case 'X': // ECH
		s.erase(at, at+n)
	case 'b': // REP
		s.repeat(n)
	default:
		return
	}
	if final != 'b' {
		s.cursor.wrapPending = false
	}
}

// repeat writes the last character n more times, but at most as often as the screen has cells.
func (s *Screen) repeat(n int) {
	if s.last == 0 {
		return
	}
	for range min(n, s.columns*s.rows) {
		s.putRune(s.last)
	}
}

// setState executes a sequence that changes tab stops, the style, modes, the scroll region or the saved cursor. It
// ignores other sequences.
func (s *Screen) setState(final byte) {
	switch final {
	case 'g': // TBC
		switch s.parameter(0) {
		case 0:
			s.tabs[s.cursor.column] = false
		case 3:
			clear(s.tabs)
		}
	case 'm': // SGR
		s.cursor.style = applySGR(s.cursor.style, s.parameters, s.joined)
	case 'h', 'l': // SM, RM
		s.eachParameter(func(n int) { s.setANSIMode(n, final == 'h') })
	case 'r': // DECSTBM
		s.setRegion(s.count(0)-1, s.parameter(1)-1)
	case 's':
		s.saved = s.cursor
	case 'u':
		s.cursor = s.saved
	}
}

// eraseDisplay executes ED. It erases from the cursor to the end of the screen (0), from the start to the cursor (1),
// the screen (2), or the screen and the history (3). The cell of the cursor is erased, too.
func (s *Screen) eraseDisplay(which int) {
	row, at := s.cursor.row, s.cursor.column
	switch which {
	case 0:
		s.erase(at, s.columns)
		s.eraseLines(row+1, s.rows)
	case 1:
		s.eraseLines(0, row)
		s.erase(0, at+1)
	case 2:
		s.eraseLines(0, s.rows)
	case 3: // an extension of xterm: also the history
		s.eraseLines(0, s.rows)
		s.history.erase()
	}
}

// eraseLine executes EL. It erases from the cursor to the end of the line (0), from the start to the cursor (1), or the
// line (2). The cell of the cursor is erased, too.
func (s *Screen) eraseLine(which int) {
	at := s.cursor.column
	switch which {
	case 0:
		s.erase(at, s.columns)
	case 1:
		s.erase(0, at+1)
	case 2:
		s.erase(0, s.columns)
	}
}

// deleteLines deletes n lines from the cursor's line on, or inserts -n lines before it if n is negative. It moves only
// lines of the scroll region, and moves the cursor to the first column. It does nothing if the cursor is outside the
// region.
func (s *Screen) deleteLines(n int) {
	if row := s.cursor.row; row >= s.top && row <= s.bottom {
		s.scroll(row, n)
		s.endLine(row - 1)
		s.cursor.column = 0
	}
}

// setRegion sets the rows that scroll, from top to bottom inclusive, counted from 0. It moves the cursor to the origin,
// which is the first row of the region in origin mode, and otherwise the first row of the screen. A negative bottom
// means the last row. setRegion ignores a region of fewer than two rows.
func (s *Screen) setRegion(top, bottom int) {
	if bottom < 0 || bottom >= s.rows {
		bottom = s.rows - 1
	}
	if top >= bottom {
		return
	}
	s.top, s.bottom = top, bottom
	s.moveTo(0, 0)
}

// setANSIMode switches a mode of ECMA-48 on or off. It ignores unknown modes.
func (s *Screen) setANSIMode(n int, on bool) {
	switch n {
	case 4: // IRM
		s.insertMode = on
	case 20: // LNM
		s.lfImpliesCR = on
	}
}

// setPrivateMode switches a mode of DEC or xterm on or off. It ignores unknown modes.
func (s *Screen) setPrivateMode(n int, on bool) {
	switch n {
	case 1: // DECCKM
		s.appKeys = on
	case 25: // DECTCEM
		s.cursorHidden = !on
	case 2004: // bracketed paste
		s.paste = on
	case 6: // DECOM
		s.cursor.originMode = on
		s.moveTo(0, 0)
	case 7: // DECAWM
		s.noWrap = !on
	case 47, 1047:
		s.setAlternate(on)
	case 1048:
		s.saveOrRestore(on)
	case 1049:
		if on {
			s.saveOrRestore(true)
		}
		s.setAlternate(on)
		if !on {
			s.saveOrRestore(false)
		}
	}
}

// saveOrRestore saves the cursor if save is set, and restores it otherwise.
func (s *Screen) saveOrRestore(save bool) {
	if save {
		s.saved = s.cursor
	} else {
		s.cursor = s.saved
	}
}
