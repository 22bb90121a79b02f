package tn3270

import (
	"testing"

	"locus/internal/nvt"
)

// The client accepts the options of RFC 1576 §3.
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

// The session is in 3270 mode when all options are active, in any order. It leaves that mode
// when one of them is turned off (RFC 1576 §3).
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
		{"a terminal type that was told", func(on bool) { n.hasSent = on }},
	}
	for _, step := range steps {
		if n.is3270() {
			t.Errorf("without %s it is 3270", step.name)
		}
		step.set(true)
	}
	for _, step := range steps {
		if !n.is3270() {
			t.Errorf("with all of it, before %s ends, it is not 3270", step.name)
		}
		if step.set(false); n.is3270() {
			t.Errorf("without %s it is 3270", step.name)
		}
		step.set(true)
	}
}

// The types are sent one after another, the last one twice, and then from the start
// (RFC 1091). Other requests are not answered.
func TestNextType(t *testing.T) {
	n := newNegotiation([]string{"A", "BC"})
	if answer, ok := n.nextType(nvt.TerminalType, []byte{1}); ok || n.hasSent {
		t.Errorf("before the option is active %q is sent", answer)
	}
	n.on[nvt.Them][nvt.TerminalType] = true
	if answer, ok := n.nextType(nvt.TerminalType, []byte{1}); ok || n.hasSent {
		t.Errorf("for an option of the host %q is sent", answer)
	}
	n.on[nvt.Us][nvt.TerminalType], n.on[nvt.Us][nvt.EndOfRecord] = true, true
	for _, test := range []struct {
		o          nvt.Option
		parameters string
	}{{nvt.TerminalType, ""}, {nvt.TerminalType, "\x00"}, {nvt.TerminalType, "\x00A"}, {nvt.TerminalType, "\x01\x01"}, {nvt.TerminalType, "\x02"}, {nvt.EndOfRecord, "\x01"}} {
		if answer, ok := n.nextType(test.o, []byte(test.parameters)); ok || n.hasSent || n.sent != 0 {
			t.Errorf("%q of %v is answered with %q", test.parameters, test.o, answer)
		}
	}
	for i, want := range []string{"A", "BC", "BC", "A", "BC", "BC", "A"} {
		if answer, ok := n.nextType(nvt.TerminalType, []byte{1}); string(answer) != "\x00"+want || !ok || !n.hasSent {
			t.Errorf("request %d is answered with %q, %v, want %q", i, answer, ok, want)
		}
	}
}
