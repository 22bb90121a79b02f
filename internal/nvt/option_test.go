package nvt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every transition equals the table of RFC 1143 §7. An event that the RFC calls an error
// changes only the state.
func TestStates(t *testing.T) {
	nothing := func(to state) transition { return transition{to: to} }
	begin := func(to state) transition { return transition{to: to, sends: true, on: true} }
	end := func(to state) transition { return transition{to: to, sends: true} }
	for from, test := range map[state]struct {
		on                                bool
		agreed, refused, ended, wish, end transition
	}{
		no:              {false, begin(yes), end(no), nothing(no), begin(wantYes), nothing(no)},
		yes:             {true, nothing(yes), nothing(yes), end(no), nothing(yes), end(wantNo)},
		wantNo:          {true, nothing(no), nothing(no), nothing(no), nothing(wantNoOpposite), nothing(wantNo)},
		wantNoOpposite:  {true, nothing(yes), nothing(yes), begin(wantYes), nothing(wantNoOpposite), nothing(wantNo)},
		wantYes:         {false, nothing(yes), nothing(yes), nothing(no), nothing(wantYes), nothing(wantYesOpposite)},
		wantYesOpposite: {false, end(wantNo), end(wantNo), nothing(no), nothing(wantYes), nothing(wantYesOpposite)},
	} {
		if from.isActive() != test.on {
			t.Errorf("state %d is on: %v, want %v", from, from.isActive(), test.on)
		}
		for event, transitions := range map[string][2]transition{ // of this machine, and of the table
			"DO that is accepted":      {from.receiveOn(true), test.agreed},
			"DO that is refused":       {from.receiveOn(false), test.refused},
			"DONT":                     {from.receiveOff(), test.ended},
			"a request to turn it on":  {from.request(true), test.wish},
			"a request to turn it off": {from.request(false), test.end},
		} {
			if got, want := transitions[0], transitions[1]; got != want {
				t.Errorf("state %d, %s: %+v, want %+v", from, event, got, want)
			}
		}
	}
}

// Changed is called only when an option becomes active or inactive, or when the peer refuses
// our request. Agree is called only when the peer requests an option.
func TestChanged(t *testing.T) {
	for _, test := range []struct {
		events string // "+" and "-" request NAWS for us on and off; others are received
		want   string
	}{
		{"+", ""},
		{"+ DO", "NAWS 0? NAWS 0 true"},
		{"+ DONT", "NAWS 0 false"}, // refused
		{"+ DO DO", "NAWS 0? NAWS 0 true NAWS 0?"},
		{"+ DO DONT DONT", "NAWS 0? NAWS 0 true NAWS 0 false"},
		{"+ DO -", "NAWS 0? NAWS 0 true"}, // until it is answered
		{"+ DO - DONT", "NAWS 0? NAWS 0 true NAWS 0 false"},
		{"+ DO - DO", "NAWS 0? NAWS 0 true NAWS 0? NAWS 0 false"},
		{"+ DO - + DONT", "NAWS 0? NAWS 0 true NAWS 0 false"},
		{"+ DO - + DO", "NAWS 0? NAWS 0 true NAWS 0?"},
		{"+ - DO", "NAWS 0? NAWS 0 true"},
		{"+ - DO DONT", "NAWS 0? NAWS 0 true NAWS 0 false"},
		{"DO", "NAWS 0? NAWS 0 true"},
		{"DO DONT", "NAWS 0? NAWS 0 true NAWS 0 false"},
		{"WILL", "NAWS 1?"}, // refused
		{"WONT DONT", ""},
	} {
		in := &strings.Builder{}
		var got []string
		c := New(&wire{}, Config{
			Agree: func(o Option, side Side) bool {
				got = append(got, fmt.Sprintf("%v %d?", o, side))
				return willing(o, side)
			},
			Changed: func(o Option, side Side, on bool) { got = append(got, fmt.Sprintf("%v %d %v", o, side, on)) },
		})
		for _, event := range strings.Fields(test.events) {
			switch event {
			case "+", "-":
				if err := c.Want(WindowSize, Us, event == "+"); err != nil {
					t.Fatalf("%q: %v", event, err)
				}
				continue
			}
			in.Reset()
			in.WriteString(wireBytes("«IAC " + event + " NAWS»"))
			c.r.Reset(strings.NewReader(in.String()))
			if _, err := c.r.Discard(1); err != nil {
				t.Fatalf("%q: %v", event, err)
			}
			if command, err := c.command(); command != 0 || err != nil {
				t.Fatalf("%s is %d, %v", event, command, err)
			}
		}
		_ = c.flush()
		if calls := strings.Join(got, " "); calls != test.want {
			t.Errorf("%q calls %q, want %q", test.events, calls, test.want)
		}
	}
}

// When Changed is called the option has its new state. Changed may use the Conn.
func TestChangedUses(t *testing.T) {
	w := &wire{Reader: strings.NewReader(wireBytes("«IAC DO NAWS IAC DONT NAWS»"))}
	var c *Conn
	c = New(w, Config{Agree: willing, Changed: func(o Option, side Side, on bool) {
		if c.IsActive(o, side) != on {
			t.Errorf("Changed gets %v for %v, IsActive returns %v", on, o, !on)
		}
		if err := c.Subnegotiate(o, []byte{0, 80, 0, 24}); err != nil {
			t.Error(err)
		}
	}})
	_, _ = readAll(c)
	want := wireBytes("«IAC WILL NAWS IAC SB NAWS 0 80 0 24 IAC SE IAC WONT NAWS IAC SB NAWS 0 80 0 24 IAC SE»")
	if w.sent.String() != want {
		t.Errorf("%q is sent, want %q", w.sent.String(), want)
	}
}

func TestOptionString(t *testing.T) {
	for o, want := range map[Option]string{
		Binary: "BINARY", Echo: "ECHO", 2: "2", SuppressGoAhead: "SUPPRESS-GO-AHEAD", TimingMark: "TIMING-MARK",
		TerminalType: "TERMINAL-TYPE", EndOfRecord: "END-OF-RECORD", 26: "26", WindowSize: "NAWS", NewEnviron: "NEW-ENVIRON", 255: "255",
	} {
		if got := o.String(); got != want {
			t.Errorf("Option(%d) is %q, want %q", o, got, want)
		}
	}
}

func TestVerb(t *testing.T) {
	got := []Command{verb(Us, true), verb(Us, false), verb(Them, true), verb(Them, false)}
	if want := []Command{WILL, WONT, DO, DONT}; !slices.Equal(got, want) {
		t.Errorf("verb gives %v, want %v", got, want)
	}
}
