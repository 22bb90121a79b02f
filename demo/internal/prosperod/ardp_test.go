package prosperod

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"
)

// A talk is a table with a clock that the test sets.
type talk struct {
	*table
	at      time.Time
	answers int
}

func newTalk(reply string) *talk {
	k := &talk{at: may1994}
	k.table = newTable(func([]byte) []byte {
		k.answers++
		return []byte(reply)
	}, func() time.Time { return k.at })
	return k
}

// say sends a datagram to the table and returns the headers of the datagrams in reply, in
// hexadecimal.
func (k *talk) say(t *testing.T, header, text string) []string {
	t.Helper()
	h, err := hex.DecodeString(header)
	if err != nil {
		t.Fatal(err)
	}
	var headers []string
	for _, d := range k.receive("client", append(h, text...)) {
		headers = append(headers, hex.EncodeToString(d[:d[0]]))
	}
	return headers
}

func TestHeaders(t *testing.T) {
	for _, test := range []struct {
		name string
		says []string // headers that the client sends
		want string   // headers of the replies to each
	}{
		{"one byte", []string{"01"}, "01"},
		{"three", []string{"031234"}, "031234"},
		{"seven", []string{"07123400010001"}, "031234"},
		{"nine", []string{"091234000100010000"}, "031234"},
		{"a request to acknowledge", []string{"0c1234000100010000000080"}, "031234"},
		{"queue status", []string{"0e1234000100010000000000fd03"}, "031234"},
		{"repeated", []string{"091234000100010000", "091234000100010000"}, "031234;091234000100010001"},
		{"no total", []string{"0512340001", "0512340001", "091234000000000000"}, ";091234000000000001;"},
		{"in two packets", []string{"091234000100020000", "091234000200020000"}, ";031234"},
		{"in two, backwards", []string{"091234000200020000", "091234000100020000"}, ";031234"},
		{"no ARDP", []string{"", "00", "40", "09"}, ";;;"},
		{"a control packet before a request", []string{"091234000000000000"}, ""},
		{"cancelled", []string{"091234000100010000", "0d123400000000000000000001", "091234000000000000"}, "031234;;"},
	} {
		k := newTalk("reply\n")
		var got []string
		for _, header := range test.says {
			got = append(got, strings.Join(k.say(t, header, "text"), " "))
		}
		if got := strings.Join(got, ";"); got != test.want {
			t.Errorf("%s: %q is answered %q, want %q", test.name, test.says, got, test.want)
		}
	}
}

// A long reply comes in windows. Each window follows the acknowledgement of the last one. A
// lost packet is sent again, but not a packet that may still arrive.
func TestWindows(t *testing.T) {
	k := newTalk(strings.Repeat("x", maxText*39+1)) // 40 packets
	numbers := func(header string) []int {
		var all []int
		for _, h := range k.say(t, header, "") {
			b, _ := hex.DecodeString(h)
			all = append(all, int(b[3])<<8|int(b[4]))
			if last := len(b) == 12; last && b[11] != flagAsk {
				t.Errorf("header %s asks for no acknowledgement", h)
			}
		}
		return all
	}
	from := func(first, last int) []int {
		var all []int
		for n := first; n <= last; n++ {
			all = append(all, n)
		}
		return all
	}
	for _, test := range []struct {
		about  string
		later  time.Duration
		header string
		want   []int
	}{
		{"the request", 0, "091234000100010000", from(1, 16)},
		{"a copy of it", 0, "091234000100010000", nil},
		{"it again", 4 * time.Second, "091234000100010000", from(1, 16)},
		{"a gap after 4", 0, "091234000000000004", from(5, 20)},
		{"a copy of that", 0, "091234000000000004", nil},
		{"all of it", 0, "091234000000000014", from(21, 36)},
		{"what was said before", 0, "091234000000000004", nil},
		{"more than was sent", 0, "091234000000000028", nil},
		{"the rest", 0, "091234000000000024", from(37, 40)},
		{"the end", 0, "091234000000000028", nil},
	} {
		k.at = k.at.Add(test.later)
		if got := numbers(test.header); !slices.Equal(got, test.want) {
			t.Errorf("%s: packets %v, want %v", test.about, got, test.want)
		}
	}
	if k.answers != 1 {
		t.Errorf("the request was answered %d times, want once", k.answers)
	}
	if got := k.say(t, "0f4321000100010000000008000004", ""); len(got) != 4 || !strings.HasSuffix(got[3], "80") {
		t.Errorf("a window of 4 has %q", got)
	}
}

// The table is bounded, in the number of conns and in bytes.
func TestTableIsBounded(t *testing.T) {
	k := newTalk(strings.Repeat("x", 10<<20))
	for id := range 500 {
		h := []byte{3, byte(id >> 8), byte(id), 'x'}
		k.receive("client", h)
		if len(k.conns) > maxConns || len(k.order) != len(k.conns) || k.bytes > maxBytes {
			t.Fatalf("after datagram %d, %d exchanges and %d bytes are kept", id, len(k.conns), k.bytes)
		}
	}
	k = newTalk("x")
	var sent int
	for n := range 3 * maxRequest / 1000 { // a request without an end
		sent += len(k.receive("client", append([]byte{5, 0, 1, byte((n + 1) >> 8), byte(n + 1)}, make([]byte, 1000)...)))
		if c := k.conns[key{"client", 1}]; c.request.bytes > maxRequest {
			t.Fatalf("after datagram %d, %d bytes of a request are kept", n, c.request.bytes)
		}
	}
}

// FuzzTake sends arbitrary datagrams.
func FuzzTake(f *testing.F) {
	f.Add([]byte("\x03\x12\x34STATUS\n"), []byte("\x09\x12\x34\x00\x00\x00\x00\x00\x01"))
	f.Add([]byte("\x09\x12\x34\x00\x01\x00\x02\x00\x00LIST "), []byte("\x09\x12\x34\x00\x02\x00\x02\x00\x00'' COMPONENTS\n"))
	f.Add([]byte("\x03\x12\x34DIRECTORY ASCII /\nLIST ATTRIBUTES COMPONENTS (a*)\n"), []byte("\x01GET-OBJECT-INFO #ALL+CONTENTS ASCII /prospero/pub/README 0\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		s := &Server{Files: recordedFiles()}
		table := newTable(func(request []byte) []byte { return s.answer("LOCALHOST", request) }, time.Now)
		for _, d := range [][]byte{first, second, first} {
			for _, reply := range table.receive("client", d) {
				if _, text, ok := parse(reply); !ok || len(text) > maxText {
					t.Fatalf("%q is answered %q", d, reply)
				}
			}
		}
	})
}

// A server of 1994 on a little-endian machine swaps the connection id only in packets that it
// sends again.
func TestSwapID(t *testing.T) {
	for _, reply := range []string{"one packet", strings.Repeat("x", 3*maxText)} {
		now := time.Unix(1000, 0)
		table := newTable(func([]byte) []byte { return []byte(reply) }, func() time.Time { return now })
		table.swapsID = true
		request := []byte{9, 0x12, 0x34, 0, 1, 0, 1, 0, 0, 'x'}
		for i, want := range []string{"\x12\x34", "\x34\x12"} {
			now = now.Add(2 * time.Second)
			sent := table.receive("client", request)
			if len(sent) == 0 {
				t.Fatalf("for a reply of %d bytes, request %d is not answered", len(reply), i+1)
			}
			for _, d := range sent {
				if got := string(d[1:3]); got != want {
					t.Errorf("of %d bytes, sent %d times: the id is %x, want %x", len(reply), i+1, got, want)
				}
			}
		}
	}
}
