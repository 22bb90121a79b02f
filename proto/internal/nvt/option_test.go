package nvt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What becomes of each state by each event, and what is sent, is what RFC 1143 §7
// says; what it calls an error of ours is nothing.
func TestStates(t *testing.T) {
	nothing := func(to state) move { return move{to: to} }
	begin := func(to state) move { return move{to: to, sends: true, begin: true} }
	end := func(to state) move { return move{to: to, sends: true} }
	for from, want := range map[state]struct {
		on                                bool
		agreed, refused, ended, wish, end move
	}{
		no:              {false, begin(yes), end(no), nothing(no), begin(wantYes), nothing(no)},
		yes:             {true, nothing(yes), nothing(yes), end(no), nothing(yes), end(wantNo)},
		wantNo:          {true, nothing(no), nothing(no), nothing(no), nothing(wantNoOpposite), nothing(wantNo)},
		wantNoOpposite:  {true, nothing(yes), nothing(yes), begin(wantYes), nothing(wantNoOpposite), nothing(wantNo)},
		wantYes:         {false, nothing(yes), nothing(yes), nothing(no), nothing(wantYes), nothing(wantYesOpposite)},
		wantYesOpposite: {false, end(wantNo), end(wantNo), nothing(no), nothing(wantYes), nothing(wantYesOpposite)},
	} {
		if from.on() != want.on {
			t.Errorf("state %d is on: %v, want %v", from, from.on(), want.on)
		}
		for _, tt := range []struct {
			event     string
			got, want move
		}{
			{"DO that is agreed to", from.begins(true), want.agreed},
			{"DO that is refused", from.begins(false), want.refused},
			{"DONT", from.ends(), want.ended},
			{"a wish for it", from.asks(true), want.wish},
			{"a wish for its end", from.asks(false), want.end},
		} {
			if tt.got != tt.want {
				t.Errorf("state %d, %s: %+v, want %+v", from, tt.event, tt.got, tt.want)
			}
		}
	}
}

// Changed is called when an option comes into force, and when it ends, and then
// alone; Agree is asked for what the other side wants, and then alone.
func TestChanged(t *testing.T) {
	for _, tt := range []struct {
		does string // + asks for NAWS of ours, - for its end, others are received
		want string
	}{
		{"+", ""},
		{"+ DO", "NAWS 0? NAWS 0 true"},
		{"+ DONT", ""},
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
		{"WILL", "NAWS 1?"}, // which is refused
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
		for _, what := range strings.Fields(tt.does) {
			switch what {
			case "+", "-":
				if err := c.Want(WindowSize, Us, what == "+"); err != nil {
					t.Fatal(err)
				}
				continue
			}
			in.Reset()
			in.WriteString(octets("«IAC " + what + " NAWS»"))
			c.r.Reset(strings.NewReader(in.String()))
			if _, err := c.r.Discard(1); err != nil {
				t.Fatal(err)
			}
			if command, err := c.command(); command != 0 || err != nil {
				t.Fatalf("%s is %d, %v", what, command, err)
			}
		}
		_ = c.flush()
		if events := strings.Join(got, " "); events != tt.want {
			t.Errorf("%q calls %q, want %q", tt.does, events, tt.want)
		}
	}
}

// What Changed sees is in force already, and it may use the connection.
func TestChangedUses(t *testing.T) {
	w := &wire{Reader: strings.NewReader(octets("«IAC DO NAWS IAC DONT NAWS»"))}
	var c *Conn
	c = New(w, Config{Agree: willing, Changed: func(o Option, side Side, on bool) {
		if c.On(o, side) != on {
			t.Errorf("Changed is told %v of %v, On tells %v", on, o, !on)
		}
		if err := c.Subnegotiate(o, []byte{0, 80, 0, 24}); err != nil {
			t.Error(err)
		}
	}})
	_, _ = readAll(c)
	want := octets("«IAC WILL NAWS IAC SB NAWS 0 80 0 24 IAC SE IAC WONT NAWS IAC SB NAWS 0 80 0 24 IAC SE»")
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
		t.Errorf("we speak of options with %v, want %v", got, want)
	}
}
