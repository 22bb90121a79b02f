package tn3270

import (
	"testing"

	"locus/proto/internal/nvt"
)

// What is agreed to, of all that a host may ask for (RFC 1576 §3).
func TestAgree(t *testing.T) {
	wants := map[nvt.Option][2]bool{ // ours, theirs
		nvt.Binary: {true, true}, nvt.EndOfRecord: {true, true}, nvt.SuppressGoAhead: {true, true}, nvt.TerminalType: {true, false}, nvt.Echo: {false, true},
	}
	for o := range 256 {
		for _, side := range []nvt.Side{nvt.Us, nvt.Them} {
			if got, want := agree(nvt.Option(o), side), wants[nvt.Option(o)][side]; got != want {
				t.Errorf("agree(%v, %d) = %v, want %v", nvt.Option(o), side, got, want)
			}
		}
	}
}

// A host speaks 3270 when everything is agreed on, in whatever order, and not
// before, nor when one of it has ended (RFC 1576 §3).
func TestIs3270(t *testing.T) {
	n := newNegotiation([]string{"A"})
	steps := []struct {
		name string
		set  func(on bool)
	}{
		{"the terminal type", func(on bool) { n.on[nvt.Us][nvt.TerminalType] = on }},
		{"records of ours", func(on bool) { n.on[nvt.Us][nvt.EndOfRecord] = on }},
		{"records of theirs", func(on bool) { n.on[nvt.Them][nvt.EndOfRecord] = on }},
		{"binary data of ours", func(on bool) { n.on[nvt.Us][nvt.Binary] = on }},
		{"binary data of theirs", func(on bool) { n.on[nvt.Them][nvt.Binary] = on }},
		{"a terminal type that was told", func(on bool) { n.typed = on }},
	}
	for _, s := range steps {
		if n.is3270() {
			t.Errorf("without %s it is 3270", s.name)
		}
		s.set(true)
	}
	for _, s := range steps {
		if !n.is3270() {
			t.Errorf("with all of it, before %s ends, it is not 3270", s.name)
		}
		if s.set(false); n.is3270() {
			t.Errorf("without %s it is 3270", s.name)
		}
		s.set(true)
	}
}

// The types are told one after another, the last one twice, then all again
// (RFC 1091); other questions have no answer, and tell none.
func TestNextType(t *testing.T) {
	n := newNegotiation([]string{"A", "BC"})
	if answer, ok := n.nextType(nvt.TerminalType, []byte{1}); ok || n.typed {
		t.Errorf("before the option is in force %q is told", answer)
	}
	n.on[nvt.Them][nvt.TerminalType] = true
	if answer, ok := n.nextType(nvt.TerminalType, []byte{1}); ok || n.typed {
		t.Errorf("for an option of theirs %q is told", answer)
	}
	n.on[nvt.Us][nvt.TerminalType], n.on[nvt.Us][nvt.EndOfRecord] = true, true
	for _, tt := range []struct {
		o          nvt.Option
		parameters string
	}{{nvt.TerminalType, ""}, {nvt.TerminalType, "\x00"}, {nvt.TerminalType, "\x00A"}, {nvt.TerminalType, "\x01\x01"}, {nvt.TerminalType, "\x02"}, {nvt.EndOfRecord, "\x01"}} {
		if answer, ok := n.nextType(tt.o, []byte(tt.parameters)); ok || n.typed || n.told != 0 {
			t.Errorf("%q of %v is answered with %q", tt.parameters, tt.o, answer)
		}
	}
	for i, want := range []string{"A", "BC", "BC", "A", "BC", "BC", "A"} {
		if answer, ok := n.nextType(nvt.TerminalType, []byte{1}); string(answer) != "\x00"+want || !ok || !n.typed {
			t.Errorf("question %d is answered with %q, %v, want %q", i, answer, ok, want)
		}
	}
}
