package tn3270

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// form is a screen with a text field at 6 to 10, a numeric field at 17 to 19, a
// skipped field between them, and a password field.
const form = "F5 C3 1D 60 'name' 1D 40 13 3C @11 00 1D 70 'age' 11 @16 1D 50 3C @20 00 1D 60 11 @80 1D 4C 3C @90 00 1D 60"

func TestKeys(t *testing.T) {
	for _, test := range []struct {
		name   string
		screen string // "" is form
		keys   []Key
		want   string // the first row
		cursor int
		lock   Lock
		sent   []string
	}{
		{name: "text", keys: text("Ada"), want: " name Ada   age", cursor: 9},
		{name: "text to the end of the field skips", keys: text("12345"), want: " name 12345 age", cursor: 17},
		{name: "and goes on", keys: text("123456"), want: " name 12345 age  6", cursor: 18},
		{name: "text to the end of numbers stops", keys: append([]Key{Tab}, text("123")...), want: " name       age  123", cursor: 21},
		{name: "no place for text", keys: append([]Key{Tab}, text("1234")...), want: " name       age  123", cursor: 21, lock: Protected},
		{name: "on an attribute", keys: append([]Key{Left}, text("a")...), want: " name       age", cursor: 5, lock: Protected},
		{name: "letters among numbers", keys: append([]Key{Tab}, text("1a2")...), want: " name       age  1", cursor: 18, lock: Numeric},
		{name: "numbers", keys: append([]Key{Tab}, text("-.,")...), want: " name       age  -.,", cursor: 21},
		{name: "reset", keys: append([]Key{Tab, 'a', Reset}, text("2")...), want: " name       age  2", cursor: 18},
		{name: "not in the code page", keys: text("a€"), want: " name a     age", cursor: 7, lock: NoFunction},
		{name: "a control is not in the code page", keys: text("a\u0085"), want: " name a     age", cursor: 7, lock: NoFunction},
		{name: "an unknown key", keys: []Key{PA(4)}, want: " name       age", cursor: 6, lock: NoFunction},
		{name: "tab", keys: []Key{Tab}, want: " name       age", cursor: 17},
		{name: "tab twice", keys: []Key{Tab, Tab}, want: " name       age", cursor: 81},
		{name: "tab around", keys: []Key{Tab, Tab, Tab}, want: " name       age", cursor: 6},
		{name: "backtab around", keys: []Key{BackTab}, want: " name       age", cursor: 81},
		{name: "backtab to the start of the field", keys: append(text("ab"), BackTab), want: " name ab    age", cursor: 6},
		{name: "home", keys: []Key{Down, Left, Home}, want: " name       age", cursor: 6},
		{name: "new line", keys: []Key{NewLine}, want: " name       age", cursor: 81},
		{name: "up around", keys: []Key{Up}, want: " name       age", cursor: 23*80 + 6},
		{name: "down around", keys: []Key{Up, Down}, want: " name       age", cursor: 6},
		{name: "right around", keys: append(slices.Repeat([]Key{Up}, 1), slices.Repeat([]Key{Right}, 80)...), want: " name       age", cursor: 6},
		{name: "left around", keys: slices.Repeat([]Key{Left}, 7), want: " name       age", cursor: 1919},
		{name: "backspace", keys: append(text("Ada"), Backspace), want: " name Ad    age", cursor: 8},
		{name: "backspace at the start", keys: []Key{Backspace}, want: " name       age", cursor: 6, lock: Protected},
		{name: "delete", keys: append(text("Ada"), Home, Delete), want: " name da    age", cursor: 6},
		{name: "delete where it is protected", keys: []Key{Left, Delete}, want: " name       age", cursor: 5, lock: Protected},
		{name: "insert", keys: append(text("Aa"), Left, Insert, 'd'), want: " name Ada   age", cursor: 8},
		{name: "insert before", keys: append(text("bc"), Home, Insert, 'a'), want: " name abc   age", cursor: 7},
		{name: "insert into a full field", keys: append(text("12345"), Home, Insert, 'x'), want: " name 12345 age", cursor: 6, lock: Overflow},
		{name: "insert off", keys: append(text("bc"), Home, Insert, Insert, 'a'), want: " name ac    age", cursor: 7},
		{name: "reset ends insert", keys: append(text("bc"), Home, Insert, Reset, 'a'), want: " name ac    age", cursor: 7},
		{name: "erase to the end of the field", keys: append(text("Adam"), Left, Left, EraseEOF), want: " name Ad    age", cursor: 8},
		{name: "erase where it is protected", keys: []Key{Left, EraseEOF}, want: " name       age", cursor: 5, lock: Protected},
		{name: "erase input", keys: append(text("Ada"), Tab, '3', EraseInput, Enter), want: " name       age", cursor: 6, lock: Waiting, sent: []string{"7d40c6"}},
		{name: "enter", keys: []Key{Enter}, want: " name       age", cursor: 6, lock: Waiting, sent: []string{"7d40c6"}},
		{
			name: "enter with fields", keys: append(text("Ada"), Tab, '3', Tab, 'p', 'w', Enter), want: " name Ada   age  3", cursor: 83, lock: Waiting,
			sent: []string{"7d" + "c1d3" + "1140c6" + "c18481" + "1140d1" + "f3" + "11c1d1" + "97a6"},
		},
		{name: "a field that was erased", keys: []Key{EraseEOF, PF(3)}, want: " name       age", cursor: 6, lock: Waiting, sent: []string{"f340c61140c6"}},
		{name: "PF13", keys: []Key{PF(13)}, want: " name       age", cursor: 6, lock: Waiting, sent: []string{"c140c6"}},
		{name: "PF24", keys: []Key{PF(24)}, want: " name       age", cursor: 6, lock: Waiting, sent: []string{"4c40c6"}},
		{name: "PA1 does not say what was typed", keys: append(text("Ada"), PA(1)), want: " name Ada   age", cursor: 9, lock: Waiting, sent: []string{"6c"}},
		{name: "PA2", keys: []Key{PA(2)}, want: " name       age", cursor: 6, lock: Waiting, sent: []string{"6e"}},
		{name: "PA3", keys: []Key{PA(3)}, want: " name       age", cursor: 6, lock: Waiting, sent: []string{"6b"}},
		{name: "clear", keys: append(text("Ada"), Clear), cursor: 0, lock: Waiting, sent: []string{"6d"}},
		{name: "reset while waiting", keys: append([]Key{Enter, 'x', Reset}, text("a")...), want: " name a     age", cursor: 7, sent: []string{"7d40c6"}},

		{name: "insert moves what is before a null", screen: "F5 C2 1D 40 13 'ab' 00 'cd' 1D 60", keys: []Key{Insert, 'x'}, want: " xabcd", cursor: 2},
		{name: "delete in a full field", screen: "F5 C2 1D 40 13 'abc' 1D 60", keys: []Key{Delete}, want: " bc", cursor: 1},
		{name: "what was deleted is sent", screen: "F5 C2 1D 40 13 'abc' 1D 60", keys: []Key{Delete, Enter}, want: " bc", cursor: 1, lock: Waiting, sent: []string{"7d40c1" + "1140c1" + "8283"}},
		{name: "what was inserted is sent", screen: "F5 C2 1D 40 13 'b' 00 00 1D 60", keys: []Key{Insert, 'a', Enter}, want: " ab", cursor: 2, lock: Waiting, sent: []string{"7d40c2" + "1140c1" + "8182"}},
		{name: "no fields", screen: "F5 C2 'abc' 13", keys: append(text("de"), Enter), want: "abcde", cursor: 5, lock: Waiting, sent: []string{"7d40c58182838485"}},
		{name: "no fields, tab", screen: "F5 C2 'abc' 13", keys: []Key{Tab}, want: "abc"},
		{name: "no fields, backtab", screen: "F5 C2 'abc' 13", keys: []Key{BackTab}, want: "abc"},
		{name: "no fields, erase", screen: "F5 C2 'abcdef' 11 @3 13", keys: []Key{EraseEOF}, want: "abc", cursor: 3},
		{name: "no fields, insert", screen: "F5 C2 'abc' 13", keys: []Key{Home, Insert, 'x'}, want: "xabc", cursor: 1},
		{name: "no fields, the last position", screen: "F5 C2 11 @1919 13", keys: text("ab"), want: "b", cursor: 1},
		{name: "all protected", screen: "F5 C2 1D 60", keys: []Key{Tab, BackTab, Home, NewLine, 'x'}, lock: Protected},
		{name: "a field around the end", screen: "F5 C2 11 @1918 1D 40 13 11 @2 1D 60", keys: text("abc"), want: "bc", cursor: 3},
		{
			name: "the same, sent", screen: "F5 C2 11 @1918 1D 40 13 11 @2 1D 60", keys: append(text("abc"), Enter), want: "bc", cursor: 3, lock: Waiting,
			sent: []string{"7d40c3" + "115d7f" + "818283"},
		},
		{name: "a field of no length", screen: "F5 C2 1D 40 1D 40 1D 60", keys: []Key{Tab}},
		{name: "attributes one after another", screen: "F5 C2 1D 40 13 11 @2 1D 60 1D 40 1D 60", keys: text("a"), want: " a", cursor: 5},
		{name: "attributes one after another, one to be skipped", screen: "F5 C2 1D 40 13 11 @2 1D 60 1D 70 'x' 1D 40", keys: text("ab"), want: " a  x b", cursor: 7},
		{name: "attributes around the end", screen: "F5 C2 11 @1918 1D 40 13 11 @0 1D 60 1D 40", keys: text("a"), cursor: 2},
		{name: "nothing but attributes", screen: "F5 C2 1D 40 13 11 @2 3C @0 1D", lock: BadCode, cursor: 1},
		{name: "a program check", screen: "F5 C2 1D 40 13 11 FFFF", keys: append(text("a"), Reset, 'b'), want: " b", cursor: 2},
	} {
		term := newTest(t, 2)
		if test.screen == "" {
			test.screen = form
		}
		receive(t, term, test.screen)
		sent := press(t, term, test.keys...)
		got := term.picture().Lines()[0]
		if got != test.want || term.buffer.cursor != test.cursor || term.lock != test.lock || !slices.Equal(sent, test.sent) {
			t.Errorf("%s: %q, cursor %d, %q, sent %q; want %q, %d, %q, %q",
				test.name, got, term.buffer.cursor, term.lock, sent, test.want, test.cursor, test.lock, test.sent)
		}
	}
}

// Keys that are pressed while the host works are executed after its reply.
func TestTypeAhead(t *testing.T) {
	term := newTest(t, 2)
	if sent := press(t, term, append(text("Ada"), Enter, 'x')...); sent != nil {
		t.Errorf("before the first screen %q is sent", sent)
	}
	receive(t, term, form)
	var sent []string
	for _, record := range term.pressPending() {
		sent = append(sent, string(term.page.show(record[len(record)-1])))
	}
	if len(sent) != 1 || term.lock != Waiting || len(term.pendingKeys) != 1 {
		t.Errorf("%d records are sent, %q, %d keys are pending; want one, %q and one", len(sent), term.lock, len(term.pendingKeys), Waiting)
	}
	press(t, term, slices.Repeat([]Key{'y'}, 2*maxPendingKeys)...)
	if len(term.pendingKeys) != maxPendingKeys {
		t.Errorf("%d keys are pending, want %d", len(term.pendingKeys), maxPendingKeys)
	}
}

// Clear resets the screen to the default size, which applies to the cursor address
// and to the next write.
func TestClearResetsSize(t *testing.T) {
	term := newTest(t, 5)
	receive(t, term, "7E C2 11 @3000 'x' 13")
	if sent := press(t, term, Clear); !slices.Equal(sent, []string{"6d"}) {
		t.Errorf("Clear sends %q", sent)
	}
	if p := term.picture(); p.Rows != 24 || p.Columns != 80 || p.Cursor != 0 {
		t.Errorf("after Clear the screen has %d rows of %d, cursor at %d, want 24 of 80 and 0", p.Rows, p.Columns, p.Cursor)
	}
	receive(t, term, "F1 C2 11 @1920")
	if term.lock != BadAddress {
		t.Errorf("after Clear the position after the last gives %q", term.lock)
	}
}

// Input in a hidden field is sent but never shown.
func TestHiddenIsNotShown(t *testing.T) {
	term := newTest(t, 2)
	receive(t, term, form)
	press(t, term, append([]Key{Tab, Tab}, text("sesame")...)...)
	p := term.picture()
	for i, c := range p.Cells[81:89] {
		if c.Rune != ' ' {
			t.Errorf("position %d of the password shows %q", i, c.Rune)
		}
	}
	var d drawer
	d.resize(25, 80)
	if drawn := d.draw(p); strings.Contains(drawn, "s") && strings.Contains(drawn, "sesame") {
		t.Errorf("the password is drawn: %q", drawn)
	}
	if sent := term.press(Enter); !strings.Contains(string(sent), string(encode(t, term.page, "sesame"))) {
		t.Errorf("the password is not sent: %x", sent)
	}
}

func TestKeyReader(t *testing.T) {
	for _, test := range []struct {
		typed string
		want  []Key
	}{
		{"aé€", []Key{'a', 'é', '€'}},
		{"\r\n\t\b\x7f", []Key{Enter, NewLine, Tab, Backspace, Backspace}},
		{"\x01\x03\x04\x05\x12\x15", []Key{Home, Clear, Delete, EraseEOF, Reset, EraseInput}},
		{"\x02\x1a", nil},
		{"\x1b1\x1b9\x1b0\x1b-\x1b=", []Key{PF(1), PF(9), PF(10), PF(11), PF(12)}},
		{"\x1b!\x1b_\x1b+", []Key{PF(13), PF(23), PF(24)}},
		{"\x1b,\x1b.\x1b/", []Key{PA(1), PA(2), PA(3)}},
		{"\x1b\x1b\x1br\x1bc\x1bé", []Key{Reset, Reset, Clear}},
		{"\x1bOP\x1bOS\x1b[11~\x1b[15~\x1b[24~", []Key{PF(1), PF(4), PF(1), PF(5), PF(12)}},
		{"\x1b[1;2P\x1b[15;2~\x1b[24;2~\x1b[25~\x1b[34~", []Key{PF(13), PF(17), PF(24), PF(13), PF(20)}},
		{"\x1b[[A\x1b[[E", []Key{PF(1), PF(5)}},
		{"\x1b[A\x1bOB\x1b[C\x1b[D\x1b[Z\x1b[H\x1b[3~\x1b[2~", []Key{Up, Down, Right, Left, BackTab, Home, Delete, Insert}},
		{"\x1b[99~\x1b[?1;2cx", []Key{'x'}},
		{"\x1b[1\x01x", []Key{Home, 'x'}},
		{"\x1b[1\x1b[Ax", []Key{Up, 'x'}}, // an interrupted sequence loses no further key
		{"\x1b[\x1b[A\x1bO\x1b[B", []Key{Up, Down}},
		{"\x1b[é\x1b[1é ~", []Key{'é', 'é', ' ', '~'}},
		{"\x1b[1\x7fx", []Key{Backspace, 'x'}},
		{"\x1bO[x\x1b[1 qx", []Key{'x', 'x'}},
		{"\x1b[@a\x1b[~b\x1bO1c\x1b[[[A", []Key{'a', 'b', 'c', 'A'}},
		{"\x1bOzx", []Key{'x'}},
		{"\xffx\xc3", []Key{utf8.RuneError, 'x'}},
		{"\x1b[" + strings.Repeat("1", 100) + "x", nil},
	} {
		var whole, parts keyReader
		if got := whole.read([]byte(test.typed)); test.want != nil && !slices.Equal(got, test.want) {
			t.Errorf("%q types %v, want %v", test.typed, got, test.want)
		}
		var got []Key
		for i := range len(test.typed) {
			got = append(got, parts.read([]byte(test.typed[i:i+1]))...)
			if len(parts.partial) > maxSequence {
				t.Fatalf("%q: %d bytes are held", test.typed, len(parts.partial))
			}
		}
		if test.want != nil && !slices.Equal(got, test.want) {
			t.Errorf("%q, byte by byte, types %v, want %v", test.typed, got, test.want)
		}
	}
}

func TestAttentionKeysDiffer(t *testing.T) {
	seen := map[byte]Key{}
	for k := Enter; k > PA(4)-2; k-- {
		code, ok := attentionOf(k)
		if !ok {
			continue
		}
		if other, twice := seen[code]; twice {
			t.Errorf("keys %d and %d both send %#x", k, other, code)
		}
		seen[code] = k
	}
	if len(seen) != 2+24+3 {
		t.Errorf("%d attention keys, want 29", len(seen))
	}
}

func TestLockString(t *testing.T) {
	for _, test := range []struct {
		lock Lock
		want string
	}{{Unlocked, ""}, {Waiting, "X SYSTEM"}, {BadCode, "X PROG 755"}, {BadField, "X PROG 756"}, {BadField + 1, "X"}} {
		if got := test.lock.String(); got != test.want {
			t.Errorf("Lock(%d).String() = %q, want %q", test.lock, got, test.want)
		}
	}
}
