package tn3270

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"locus/terminal"
)

// newTest returns a display of a model with code page 037.
func newTest(t testing.TB, number int) *display {
	t.Helper()
	m, err := newModel(number, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newCodePage("")
	if err != nil {
		t.Fatal(err)
	}
	return newDisplay(m, p)
}

// stream encodes a description as a record: words in quotes are text, words like
// @17 are addresses in 12 bits, and all others are hexadecimal.
func stream(t testing.TB, page *codePage, text string) []byte {
	t.Helper()
	var record []byte
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			record = append(record, encode(t, page, part)...)
			continue
		}
		for word := range strings.FieldsSeq(part) {
			record = append(record, hexBytes(t, word)...)
		}
	}
	return record
}

func encode(t testing.TB, page *codePage, text string) []byte {
	t.Helper()
	var codes []byte
	for _, r := range text {
		code, ok := page.code(r)
		if !ok {
			t.Fatalf("%q is not in the code page", r)
		}
		codes = append(codes, code)
	}
	return codes
}

func hexBytes(t testing.TB, word string) []byte {
	t.Helper()
	if address, ok := strings.CutPrefix(word, "@"); ok {
		n := 0
		for _, c := range address {
			n = n*10 + int(c-'0')
		}
		return appendAddress(nil, n)
	}
	b, err := hex.DecodeString(word)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// receive executes records of the host and returns the replies.
func receive(t testing.TB, term *display, records ...string) (answers []string) {
	t.Helper()
	for _, record := range records {
		for _, answer := range term.receive(stream(t, term.page, record)) {
			answers = append(answers, hex.EncodeToString(answer))
		}
		consistent(t, term)
	}
	return answers
}

// press presses keys and returns the sent records in hexadecimal.
func press(t testing.TB, term *display, keys ...Key) (sent []string) {
	t.Helper()
	for _, k := range keys {
		if record := term.press(k); record != nil {
			sent = append(sent, hex.EncodeToString(record))
		}
		consistent(t, term)
	}
	return sent
}

func text(s string) []Key {
	var keys []Key
	for _, r := range s {
		keys = append(keys, Key(r))
	}
	return keys
}

// top returns the rows of the screen without empty rows at the end.
func top(term *display) []string {
	lines := term.picture().Lines()
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// consistent checks that the state of the display is valid.
func consistent(t testing.TB, term *display) {
	t.Helper()
	b := term.buffer
	p := term.picture()
	switch {
	case len(b.cells) == 0 || b.columns == 0 || len(b.cells)%b.columns != 0:
		t.Fatalf("%d cells in rows of %d", len(b.cells), b.columns)
	case b.cursor < 0 || b.cursor >= len(b.cells):
		t.Fatalf("the cursor is at %d of %d", b.cursor, len(b.cells))
	case p.Rows*p.Columns != len(p.Cells) || len(p.Cells) != len(b.cells):
		t.Fatalf("a picture of %d by %d has %d cells", p.Rows, p.Columns, len(p.Cells))
	case len(term.pendingKeys) > maxPendingKeys:
		t.Fatalf("%d keys are pending", len(term.pendingKeys))
	}
	for i, c := range b.cells {
		if c.isAttribute && c.code != null {
			t.Fatalf("cell %d is an attribute and a character", i)
		}
		if !c.isAttribute && c.attribute != 0 {
			t.Fatalf("cell %d is a character and an attribute", i)
		}
		if r := p.Cells[i].Rune; r < ' ' || r >= 0x7F && r < 0xA0 {
			t.Fatalf("cell %d shows %q", i, r)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, test := range []struct {
		name   string
		stream string // after an Erase/Write with its WCC
		want   []string
		cursor int
		lock   Lock
	}{
		{name: "text", stream: "'Hello'", want: []string{"Hello"}},
		{name: "blanks", stream: "'a b' 40 'c'", want: []string{"a b c"}},
		{name: "SBA", stream: "11 @80 'second' 11 @2 'first'", want: []string{"  first", "second"}},
		{name: "SBA of 14 bits", stream: "11 0050 'second'", want: []string{"", "second"}},
		{name: "SBA of 12 bits, other bits", stream: "11 C110 'x'", want: []string{"", "x"}},
		{name: "SBA beyond the screen", stream: "'a' 11 @1920 'b'", want: []string{"a"}, lock: BadAddress},
		{name: "SBA of 14 bits beyond the screen", stream: "'a' 11 3FFF 'b'", want: []string{"a"}, lock: BadAddress},
		{name: "SBA cut off", stream: "'a' 11 40", want: []string{"a"}, lock: BadLength},
		{name: "IC", stream: "'abc' 13 'd'", want: []string{"abcd"}, cursor: 3},
		{name: "text goes around", stream: "11 @1918 'abcd'", want: append([]string{"cd"}, append(make([]string, 22), strings.Repeat(" ", 78)+"ab")...)},
		{name: "SF", stream: "1D 60 'name' 1D 40 'x'", want: []string{" name x"}},
		{name: "SF cut off", stream: "'a' 1D", want: []string{"a"}, lock: BadLength},
		{name: "hidden", stream: "1D 60 'password' 1D 4C 'sesame' 1D 60 'end'", want: []string{" password        end"}},
		{name: "hidden to the end and around", stream: "11 @1910 1D 4C 'secretsecretsecret'", want: nil},
		{name: "SFE", stream: "29 03 C0 60 42 F2 41 F4 'red'", want: []string{" red"}},
		{name: "SFE without pairs", stream: "29 00 'a'", want: []string{" a"}},
		{name: "SFE cut off", stream: "29 02 C0 60 42", lock: BadLength},
		{name: "SFE without a count", stream: "29", lock: BadLength},
		{name: "SA", stream: "28 42 F2 'red' 28 00 00 'not'", want: []string{"rednot"}},
		{name: "SA cut off", stream: "28 42", lock: BadLength},
		{name: "MF makes it hidden", stream: "1D 60 'abc' 11 @0 2C 01 C0 4C 13", cursor: 1},
		{name: "MF without an attribute", stream: "'abc' 11 @0 2C 01 C0 4C 'x'", want: []string{"xbc"}},
		{name: "MF cut off", stream: "2C 01 C0", lock: BadLength},
		{name: "RA", stream: "3C @5 '*' '.'", want: []string{"*****."}},
		{name: "RA of everything", stream: "3C @0 '*'", want: slices.Repeat([]string{strings.Repeat("*", 80)}, 24)},
		{name: "RA around the end", stream: "11 @1919 3C @2 '*'", want: append([]string{"**"}, append(make([]string, 22), strings.Repeat(" ", 79)+"*")...)},
		{name: "RA with GE", stream: "3C @3 08 A2", want: []string{"───"}},
		{name: "RA beyond the screen", stream: "'a' 3C @1920 '*'", want: []string{"a"}, lock: BadAddress},
		{name: "RA without a character", stream: "'a' 3C @9", want: []string{"a"}, lock: BadLength},
		{name: "RA without a character after GE", stream: "'a' 3C @9 08", want: []string{"a"}, lock: BadLength},
		{name: "RA of an order", stream: "'a' 3C @9 11", want: []string{"a"}, lock: BadCode},
		{name: "RA over fields", stream: "1D 4C 'secret' 11 @0 3C @9 'x'", want: []string{"xxxxxxxxx"}},
		{name: "EUA", stream: "1D 60 'a' 1D 40 'b' 1D 60 'c' 11 @0 12 @6 'd'", want: []string{" a   cd"}},
		{name: "EUA from within a field", stream: "1D 40 'abc' 11 @2 12 @3", want: []string{" a c"}},
		{name: "EUA from within a protected field", stream: "1D 60 'abc' 1D 40 'd' 11 @2 12 @7", want: []string{" abc"}},
		{name: "EUA of everything", stream: "'abc' 11 @1 12 @1 'x'", want: []string{" x"}},
		{name: "EUA beyond the screen", stream: "12 @1920", lock: BadAddress},
		{name: "GE", stream: "08 C5 08 A2 08 D5", want: []string{"┌─┐"}},
		{name: "GE of what is not drawn", stream: "08 41", want: []string{"�"}},
		{name: "GE of a blank", stream: "08 40 'x'", want: []string{" x"}},
		{name: "GE of the last control", stream: "'a' 08 3F 'x'", want: []string{"a"}, lock: BadCode},
		{name: "SA of the set of graphic escape", stream: "28 43 F1 A2 28 43 F0 'x' 28 43 F1 A2 28 00 00 'x'", want: []string{"─x─x"}},
		{name: "SFE of the set of graphic escape", stream: "29 02 C0 60 43 F1 A2 1D 60 'x'", want: []string{" ─ x"}},
		{name: "GE cut off", stream: "08", lock: BadLength},
		{name: "GE of a control", stream: "08 11", lock: BadCode},
		{name: "codes that are shown", stream: "00 0C 0D 15 19 1C 1E 3F FF 'x'", want: []string{"     *;  x"}},
		{name: "no order", stream: "'a' 07 'b'", want: []string{"a"}, lock: BadCode},
		{name: "PT to the next field", stream: "1D 60 'a' 1D 40 'bc' 11 @0 05 'x'", want: []string{" a xc"}},
		{name: "PT at the field", stream: "1D 40 'bc' 11 @0 05 'x'", want: []string{" xc"}},
		{name: "PT after text erases", stream: "1D 40 'bcdef' 1D 40 'g' 11 @1 'x' 05 'y'", want: []string{" x     y"}},
		{name: "PT after an order does not", stream: "1D 40 'bcdef' 1D 40 'g' 11 @1 05 'y'", want: []string{" bcdef y"}},
		{name: "PT without a next field", stream: "1D 60 'abc' 05 'x'", want: []string{"xabc"}},
		{name: "PT at the first position", stream: "1D 60 'abc' 1D 40 'd' 11 @0 05 'x'", want: []string{" abc x"}},
		{name: "PT at the first position, without fields", stream: "'abc' 11 @0 05 'x'", want: []string{"xbc"}},
		{name: "PT at the first position, within a field around the end", stream: "'ab' 1D 60 'c' 1D 40 'd' 11 @0 05 'x'", want: []string{"ab c x"}},
		{name: "PT after the first position", stream: "'abc' 1D 40 'd' 11 @1919 'z' 05 'x'", want: append([]string{"   " + " x"}, append(make([]string, 22), strings.Repeat(" ", 79)+"z")...)},
		{name: "PT at the last position", stream: "1D 60 'abc' 11 @1919 05 'x'", want: []string{"xabc"}},
		{name: "PT at a field of no length", stream: "1D 40 1D 60 'abc' 1D 40 'd' 11 @0 05 'x'", want: []string{" xabc d"}},
		{name: "PT at the start of the only field", stream: "1D 60 'a' 1D 40 'bc' 1D 60 11 @3 05 'x'", want: []string{"xa bc"}},
		{name: "PT after the only field", stream: "1D 60 'a' 1D 40 'bc' 1D 60 'd' 05 'x'", want: []string{"xa bc d"}},
		{name: "PT erases one field alone", stream: "1D 40 'bcdef' 1D 60 'g' 1D 40 'h' 11 @1 'x' 05 'y'", want: []string{" x     g y"}},
		{name: "PT after PT erases no other field", stream: "1D 40 'bcd' 1D 40 'ef' 1D 40 'g' 11 @1 'x' 05 05 'y'", want: []string{" x   ef y"}},
		{name: "PT after PT at the first position", stream: "'abc' 11 @1 05 05 'x'", want: []string{"xbc"}},
		{name: "PT after GE erases", stream: "1D 40 'bcdef' 1D 40 'g' 11 @1 08 A2 05 'y'", want: []string{" ─     y"}},
		{name: "PT on and on", stream: "'abc' 11 @1 'x' 05 05 05 'y'", want: []string{"y"}},
	} {
		term := newTest(t, 2)
		receive(t, term, "F5 C2 "+test.stream)
		if got := top(term); !slices.Equal(got, test.want) || term.buffer.cursor != test.cursor || term.lock != test.lock {
			t.Errorf("%s: %q gives %q, cursor %d, %q; want %q, %d, %q",
				test.name, test.stream, got, term.buffer.cursor, term.lock, test.want, test.cursor, test.lock)
		}
	}
}

func TestCommands(t *testing.T) {
	const form = "F5 C3 1D 60 'name' 1D 40 13 'Ada' 1D 60 11 @100 1D 4D 'xyzzy' 1D 60"
	for _, test := range []struct {
		name    string
		records []string
		want    []string // on the screen
		answers []string
		lock    Lock
	}{
		{name: "nothing", records: []string{""}, lock: Waiting},
		{name: "no restore", records: []string{"F5 C0 'a'"}, want: []string{"a"}, lock: Waiting},
		{name: "no WCC", records: []string{"F5 C2 'a'", "F5"}, lock: Unlocked},
		{name: "write goes on at the cursor", records: []string{"F5 C2 'ab' 13", "F1 C2 'c'"}, want: []string{"abc"}},
		{name: "local codes", records: []string{"05 C2 'ab' 13", "01 C2 'c'", "03"}, want: []string{"abc"}},
		{name: "unknown command", records: []string{"F5 C2", "99 'a'"}, lock: BadCommand},
		{name: "erase all unprotected", records: []string{form, "6F"}, want: []string{" name"}},
		{name: "the same, local", records: []string{form, "0F"}, want: []string{" name"}},
		{
			name: "erase all unprotected leaves the marks of others", records: []string{"F5 C2 1D 61 'a' 1D 41 'b' 1D 60", "6F", "F6"}, want: []string{" a"},
			answers: []string{"60" + "40c3" + "11" + "40c1" + "81"},
		},
		{name: "erase all unprotected unlocks", records: []string{"F5 C0 'a'", "6F"}},
		{
			name: "read modified", records: []string{form, "F6"}, want: []string{" name Ada"},
			answers: []string{"60" + "40c6" + "11" + "c1e5" + "a7a8a9a9a8"},
		},
		{
			name: "read modified without fields", records: []string{"F5 C2 'ab' 00 'c'", "06"}, want: []string{"ab c"},
			answers: []string{"60" + "4040" + "818283"},
		},
		{
			name: "read buffer", records: []string{"F5 C2 1D 60 'a' 08 A2 1D C1 11 @6 3C @0 'x'", "F2"},
			want:    append([]string{" a─   " + strings.Repeat("x", 74)}, slices.Repeat([]string{strings.Repeat("x", 80)}, 23)...),
			answers: []string{"60" + "4040" + "1d60" + "81" + "08a2" + "1dc1" + "0000" + strings.Repeat("a7", 1914)},
		},
		{
			name: "read modified all", records: []string{form, "6E"}, want: []string{" name Ada"},
			answers: []string{"60" + "40c6" + "11" + "c1e5" + "a7a8a9a9a8"},
		},
		{
			name: "the same, local", records: []string{form, "0E"}, want: []string{" name Ada"},
			answers: []string{"60" + "40c6" + "11" + "c1e5" + "a7a8a9a9a8"},
		},
		{
			name: "read buffer with graphics", records: []string{"F5 C2 08 40 28 43 F1 00 A2 28 00 00 3C @0 'x'", "F2"},
			want:    append([]string{"  ─" + strings.Repeat("x", 77)}, slices.Repeat([]string{strings.Repeat("x", 80)}, 23)...),
			answers: []string{"60" + "4040" + "0840" + "00" + "08a2" + strings.Repeat("a7", 1917)},
		},
		{
			name: "WCC leaves the marks", records: []string{form, "F1 C2", "F6"}, want: []string{" name Ada"},
			answers: []string{"60" + "40c6" + "11" + "c1e5" + "a7a8a9a9a8"},
		},
		{name: "WCC resets the marks", records: []string{form, "F1 C1", "F6"}, want: []string{" name Ada"}, answers: []string{"60" + "40c6"}},
		{name: "alternate size", records: []string{"7E C2 'a'"}, want: []string{"a"}},
	} {
		term := newTest(t, 2)
		answers := receive(t, term, test.records...)
		if got := top(term); !slices.Equal(got, test.want) || !slices.Equal(answers, test.answers) || term.lock != test.lock {
			t.Errorf("%s: %q gives %q, answers %q, %q; want %q, %q, %q", test.name, test.records, got, answers, term.lock, test.want, test.answers, test.lock)
		}
	}
}

// The attributes of a character come first, then the attributes of its field, then the defaults
// for the kind of field.
func TestLooks(t *testing.T) {
	for _, test := range []struct {
		stream string // the test checks its second position
		want   Cell
	}{
		{"'  x'", Cell{Rune: ' ', Colour: Green, Input: true}},
		{"1D 40 'x'", Cell{Rune: 'x', Colour: Green, Input: true}},
		{"1D 48 'x'", Cell{Rune: 'x', Colour: Red, Intense: true, Input: true}},
		{"1D 44 'x'", Cell{Rune: 'x', Colour: Green, Input: true}},
		{"1D 4C 'x'", Cell{Rune: ' ', Colour: Green, Input: true}},
		{"1D 60 'x'", Cell{Rune: 'x', Colour: Blue}},
		{"1D E8 'x'", Cell{Rune: 'x', Colour: White, Intense: true}},
		{"1D 6C 'x'", Cell{Rune: ' ', Colour: Blue}},
		{"29 04 C0 60 41 F4 42 F2 45 F6 'x'", Cell{Rune: 'x', Colour: Red, Background: Yellow, Highlight: Underscore}},
		{"29 04 C0 60 41 F4 42 F2 45 F6 28 41 F2 'x'", Cell{Rune: 'x', Colour: Red, Background: Yellow, Highlight: Reverse}},
		{"29 04 C0 60 41 F4 42 F2 45 F6 28 42 F3 'x'", Cell{Rune: 'x', Colour: Pink, Background: Yellow, Highlight: Underscore}},
		{"29 04 C0 60 41 F4 42 F2 45 F6 28 45 F1 'x'", Cell{Rune: 'x', Colour: Red, Background: Blue, Highlight: Underscore}},
		{"29 04 C0 60 41 F4 42 F2 45 F6 28 45 F1 28 41 F8 28 00 00 'x'", Cell{Rune: 'x', Colour: Red, Background: Yellow, Highlight: Underscore}},
		{"29 03 C0 4C 41 F6 42 F2 'x'", Cell{Rune: ' ', Colour: Red, Highlight: Reverse, Input: true}}, // not underscored, which would show the length
		{"29 03 41 F1 00 00 C0 60 'x'", Cell{Rune: 'x', Colour: Blue}},
		{"29 03 46 F1 C1 FF C2 FF 'x'", Cell{Rune: 'x', Colour: Green, Input: true}}, // unsupported types
		{"28 42 F7 28 41 F4 'y' 28 00 00 'x'", Cell{Rune: 'x', Colour: Green, Input: true}},
		{"'y' 28 42 F7 'x'", Cell{Rune: 'x', Colour: White, Input: true}},
		{"28 42 F7 1D 40 'x'", Cell{Rune: 'x', Colour: White, Input: true}},
	} {
		term := newTest(t, 2)
		receive(t, term, "F5 C2 "+test.stream)
		if got := term.picture().Cells[1]; got != test.want {
			t.Errorf("%q looks %+v, want %+v", test.stream, got, test.want)
		}
	}
}

// A cell is shown in the right style on a modern terminal.
func TestCellLook(t *testing.T) {
	for _, test := range []struct {
		cell Cell
		want terminal.Style
	}{
		{Cell{}, terminal.Style{}},
		{Cell{Intense: true}, terminal.Style{Bold: true}},
		{Cell{Highlight: Intensify}, terminal.Style{Bold: true}},
		{Cell{Highlight: Underscore}, terminal.Style{Underline: true}},
		{Cell{Highlight: Blink}, terminal.Style{Blink: true}},
		{Cell{Highlight: Reverse, Input: true}, terminal.Style{Reverse: true}},
		{Cell{Highlight: Blink | Reverse | Underscore | Intensify}, terminal.Style{Bold: true, Underline: true, Blink: true, Reverse: true}},
		{Cell{Colour: Blue}, terminal.Style{Foreground: terminal.Palette(12)}},
		{Cell{Background: Red}, terminal.Style{Background: terminal.Palette(1)}},
		{Cell{Colour: Black, Background: White}, terminal.Style{Foreground: terminal.Palette(0), Background: terminal.Palette(7)}},
		{Cell{Colour: PaleWhite, Background: Grey}, terminal.Style{Foreground: terminal.Palette(15), Background: terminal.Palette(8)}},
	} {
		if got := test.cell.look(); got != test.want {
			t.Errorf("%+v looks %+v, want %+v", test.cell, got, test.want)
		}
	}
}

// Read Modified All returns the fields even after Clear and PA keys. For other keys
// it is the same as Read Modified.
func TestReadModifiedAll(t *testing.T) {
	const fields = "11" + "40c6" + "c18481"
	for _, test := range []struct {
		key           Key
		modified, all string
	}{
		{Enter, "7d" + "40c9" + fields, "7d" + "40c9" + fields},
		{PF(3), "f3" + "40c9" + fields, "f3" + "40c9" + fields},
		{PA(1), "6c", "6c" + "40c9" + fields},
		{PA(2), "6e", "6e" + "40c9" + fields},
		{PA(3), "6b", "6b" + "40c9" + fields},
		{Clear, "6d", "6d" + "4040"},
	} {
		term := newTest(t, 2)
		receive(t, term, form)
		press(t, term, append(text("Ada"), test.key)...)
		got := receive(t, term, "F6", "6E")
		if want := []string{test.modified, test.all}; !slices.Equal(got, want) {
			t.Errorf("after the key %d the reads give %q, want %q", test.key, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, test := range []struct{ model, rows, columns int }{{0, 24, 80}, {2, 24, 80}, {3, 32, 80}, {4, 43, 80}, {5, 27, 132}} {
		term := newTest(t, test.model)
		size := func() [2]int {
			p := term.picture()
			return [2]int{p.Rows, p.Columns}
		}
		receive(t, term, "7E C2 'a' 13")
		if got, want := size(), [2]int{test.rows, test.columns}; got != want {
			t.Errorf("model %d: alternate size %v, want %v", test.model, got, want)
		}
		receive(t, term, "F1 C2 11 @"+decimal(test.rows*test.columns-1)+" 'z'")
		if term.lock != Unlocked {
			t.Errorf("model %d: the last position gives %q", test.model, term.lock)
		}
		receive(t, term, "F1 C2 11 @"+decimal(test.rows*test.columns))
		if term.lock != BadAddress {
			t.Errorf("model %d: the position after the last gives %q", test.model, term.lock)
		}
		receive(t, term, "F5 C2")
		if got, want := size(), [2]int{24, 80}; got != want {
			t.Errorf("model %d: size %v, want %v", test.model, got, want)
		}
	}
	for _, number := range []int{1, 6, -2} {
		if _, err := newModel(number, false); err == nil {
			t.Errorf("there is a model %d", number)
		}
	}
}

func decimal(n int) string {
	digits := ""
	for ; n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return digits
}

func TestQuery(t *testing.T) {
	summary := "0b" + "8180" + "80818586878" + "8a6"
	for _, test := range []struct {
		name, record string
		want         string // the start of the reply
		lock         Lock
	}{
		{name: "query", record: "F3 0005 01 FF 02", want: "88" + "00" + summary},
		{name: "query, length 0", record: "11 0000 01 FF 02", want: "88" + "00" + summary},
		{name: "list of all", record: "F3 0006 01 FF 03 80", want: "88" + "00" + summary},
		{name: "list of one", record: "F3 0007 01 FF 03 00 88", want: "88" + "0005818800"},
		{name: "list of unknown ones", record: "F3 0007 01 FF 03 00 99", want: "88" + "000481ff"},
		{name: "list without how", record: "F3 0005 01 FF 03", lock: BadField},
		{name: "usable area", record: "F3 0007 01 FF 03 00 81", want: "88" + "00178181" + "0100" + "00500018" + "00" + "0001006000010060" + "0810" + "0780"},
		{name: "partition", record: "F3 0007 01 FF 03 00 A6", want: "88" + "001181a6" + "0000" + "0b0100" + "0050001800500018"},
		{name: "colours", record: "F3 0007 01 FF 03 00 86", want: "88" + "00268186" + "0010" + "00f4" + "f1f1f2f2f3f3f4f4f5f5f6f6f7f7f8f8f9f9fafafbfbfcfcfdfdfefeffff"},
		{name: "highlighting", record: "F3 0007 01 FF 03 00 87", want: "88" + "000f8187" + "05" + "00f0f1f1f2f2f4f4f8f8"},
		{name: "two fields", record: "F3 0007 01 FF 03 00 88 0007 01 FF 03 00 99", want: "88" + "0005818800" + " " + "88" + "000481ff"},
		{name: "a field after one that is none", record: "F3 0003 01 0005 01 FF 02", lock: BadField},
		{name: "a field that is none after one", record: "F3 0007 01 FF 03 00 88 0002 01", want: "88" + "0005818800", lock: BadLength},
		{name: "the shortest field", record: "F3 0003 01", lock: BadField},
		{name: "a field of its length alone", record: "F3 0002 01", lock: BadLength},
		{name: "two bytes", record: "F3 0002", lock: BadLength},
		{name: "a field without its kind", record: "F3 0004 01 FF", lock: BadField},
		{name: "another field", record: "F3 0005 02 FF 02", lock: BadField},
		{name: "another question", record: "F3 0006 01 FF 04 80", lock: BadField},
		{name: "equivalent and more", record: "F3 0007 01 FF 03 40 88", want: "88" + "00" + summary},
		{name: "another partition", record: "F3 0005 01 00 02", lock: BadField},
		{name: "reply mode", record: "F3 0005 09 00 02", lock: BadField},
		{name: "file transfer", record: "F3 0005 D0 00 12", lock: BadField},
		{name: "length 1", record: "F3 0001 01 FF 02", lock: BadLength},
		{name: "length beyond the record", record: "F3 0009 01 FF 02", lock: BadLength},
		{name: "cut off", record: "F3 00", lock: BadLength},
		{name: "nothing", record: "F3"},
	} {
		term := newTest(t, 2)
		term.lock = Unlocked
		got := strings.Join(receive(t, term, test.record), " ")
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" || term.lock != test.lock {
			t.Errorf("%s: %s is answered %q, %q; want %q, %q", test.name, test.record, got, term.lock, test.want, test.lock)
		}
	}
}

// A kind that is requested twice is returned once.
func TestQueryTwice(t *testing.T) {
	term := newTest(t, 2)
	once, twice := receive(t, term, "F3 0008 01 FF 03 00 8688"), receive(t, term, "F3 000B 01 FF 03 00 8886888688")
	if !slices.Equal(once, twice) {
		t.Errorf("kinds that are requested twice give %q, want %q", twice, once)
	}
}

// The reply of a monochrome terminal omits the colours.
func TestQueryMonochrome(t *testing.T) {
	term := newTest(t, 2)
	term.model.hasColour = false
	got := strings.Join(receive(t, term, "F3 0007 01 FF 03 00 86"), " ")
	if want := "88" + "00268186" + "0010" + "00f4" + "f100f200f300f400f500f600f700f800f900fa00fb00fc00fd00fe00ff00"; got != want {
		t.Errorf("the monochrome reply is %q, want %q", got, want)
	}
}

// An attention key ends insert mode. The host's reply resets the last attention
// key.
func TestAfterAttention(t *testing.T) {
	term := newTest(t, 2)
	receive(t, term, form)
	press(t, term, Insert)
	if !term.picture().Insert {
		t.Error("Insert is not on")
	}
	press(t, term, PF(1))
	if term.picture().Insert {
		t.Error("Insert is on after an attention key")
	}
	if got, want := receive(t, term, "F6", "F1 C0", "F6", "F1 C2", "F6"), []string{"f140c6", "f140c6", "6040c6"}; !slices.Equal(got, want) {
		t.Errorf("reads after the key give %q, want %q", got, want)
	}
}

// Only characters with a printable code can be typed. Other codes are shown as
// blanks or as unknown.
func TestCodes(t *testing.T) {
	p, err := newCodePage("")
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[rune]byte{' ': 0x40, 'a': 0x81, '9': 0xF9, 0xA0: 0x41, 'ÿ': 0xDF} {
		if code, ok := p.code(r); !ok || code != want {
			t.Errorf("%q is typed as %#02x, %v, want %#02x", r, code, ok, want)
		}
	}
	for _, r := range []rune{0, '\t', '\x1a', 0x7F, 0x80, 0x9F, '€', '日', -1} {
		if code, ok := p.code(r); ok {
			t.Errorf("%q is typed as %#02x", r, code)
		}
	}
	for code, want := range map[byte]rune{0: ' ', 0x3F: ' ', 0x40: ' ', 0x41: '\uFFFD', 0x85: '│', 0xA2: '─', 0xFE: '\uFFFD', 0xFF: ' '} {
		if got := showGraphic(code); got != want {
			t.Errorf("%#02x of the graphic escape set is %q, want %q", code, got, want)
		}
	}
}

// The reply has the character set of the code page. The character set of code page 1140 has the
// euro sign.
func TestQueryCharacterSets(t *testing.T) {
	for page, want := range map[string]string{"037": "02b90025", "1047": "02b90417", "1140": "02b70474", "500": "02b901f4"} {
		p, err := newCodePage(page)
		if err != nil {
			t.Fatalf("%q: %v", page, err)
		}
		term := newTest(t, 2)
		term.page = p
		if got := strings.Join(receive(t, term, "F3 0007 01 FF 03 00 85"), " "); !strings.Contains(got, "001000"+want) {
			t.Errorf("the reply for code page %s is %q, want %q", page, got, want)
		}
	}
}

// A monochrome terminal does not show colours.
func TestMonochrome(t *testing.T) {
	term := newTest(t, 2)
	term.model.hasColour = false
	receive(t, term, "F5 C2 29 03 C0 60 42 F2 45 F4 'a' 28 42 F6 28 45 F1 'b' 29 02 45 F2 41 F4 'c'")
	for i, c := range term.picture().Cells {
		if c.Colour != DefaultColour || c.Background != DefaultColour {
			t.Fatalf("position %d has the colours %d and %d", i, c.Colour, c.Background)
		}
	}
	var d drawer
	d.resize(25, 80)
	if text := d.draw(term.picture()); !strings.Contains(text, "\x1b[0;4mc") || strings.Contains(text, ";31") || strings.Contains(text, ";10") {
		t.Errorf("the monochrome screen is drawn %q", text)
	}
}

// The length of every query reply is correct.
func TestQueryLengths(t *testing.T) {
	for _, number := range []int{2, 3, 4, 5} {
		term := newTest(t, number)
		record := term.receive([]byte{remoteWSF, 0, 5, fieldReadPartition, 0xFF, partitionQuery})[0]
		if record[0] != attentionField {
			t.Fatalf("model %d: the answer begins with %#x", number, record[0])
		}
		var kinds []byte
		for rest := record[1:]; len(rest) > 0; {
			field, after, ok := cutField(rest)
			if !ok || field[0] != fieldReply {
				t.Fatalf("model %d: no query reply: % x", number, rest)
			}
			kinds, rest = append(kinds, field[1]), after
		}
		if !slices.Equal(kinds, supportedReplies()) {
			t.Errorf("model %d: the replies are % x, want % x", number, kinds, supportedReplies())
		}
	}
}
