package prospero

import (
	"bytes"
	"errors"
	"net/netip"
	"reflect"
	"testing"
)

func TestParsePacket(t *testing.T) {
	text := []byte("text")
	for _, test := range []struct {
		header string
		want   packet
	}{
		{"\x01", packet{number: 1, total: 1, wait: -1}},
		{"\x03\x12\x34", packet{id: 0x1234, number: 1, total: 1, wait: -1}},
		{"\x05\x12\x34\x00\x02", packet{id: 0x1234, number: 2, wait: -1}},
		{"\x07\x12\x34\x00\x02\x00\x03", packet{id: 0x1234, number: 2, total: 3, wait: -1}},
		{"\x09\x12\x34\x00\x02\x00\x03\x00\x04", packet{id: 0x1234, number: 2, total: 3, received: 4, wait: -1}},
		{"\x0b\x12\x34\x00\x00\x00\x00\x00\x00\x00\xb4", packet{id: 0x1234, wait: 180}},
		{"\x0c\x12\x34\x00\x01\x00\x00\x00\x01\x00\x00\x80", packet{id: 0x1234, number: 1, received: 1, flags: flagAck}},
		{"\x0d\x12\x34\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", packet{id: 0x1234, option: optionRefused}},
		{
			"\x13\x12\x34\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01\x3b\x96",
			packet{id: 0x1234, option: optionRedirect, to: netip.MustParseAddrPort("127.0.0.1:15254")},
		},
		{ // the arguments of flags precede those of the option
			"\x1a\x12\x34\x00\x00\x00\x00\x00\x00\x00\x00\x0b\x05\x01\x01\xff\x00\x0a\x00\x10\xc0\x00\x02\x01\x05\xf5",
			packet{id: 0x1234, flags: 0x0b, option: optionMoved, to: netip.MustParseAddrPort("192.0.2.1:1525")},
		},
		{ // the arguments of an unknown option
			"\x14\x12\x34\x00\x00\x00\x00\x00\x00\x00\x0a\x00\xfe\x03\x00\x05\x00\x00\x00\x2a",
			packet{id: 0x1234, wait: 10, option: 254},
		},
	} {
		test.want.text = text
		got, err := parsePacket(append([]byte(test.header), text...))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("parsePacket(%x) = %+v, %v, want %+v", test.header, got, err, test.want)
		}
	}
	for _, test := range []struct {
		datagram string
		want     error
	}{
		{"", errHeader},
		{"\x00", errNotARDP},
		{"VERSION-NOT-SUPPORTED TRY 1\n", errNotARDP},
		{"\x40", errNotARDP}, // version 1
		{"\xff", errNotARDP},
		{"\x03\x12", errHeader},
		{"\x02\x12", errHeader},
		{"\x04\x12\x34\x00", errHeader},
		{"\x0a\x12\x34\x00\x00\x00\x00\x00\x00\x00", errHeader},
		{"\x3f", errHeader},
		{"\x0d\x12\x34\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04", errHeader},
		{"\x0e\x12\x34\x00\x00\x00\x00\x00\x00\x00\x00\x01\x04\x01", errHeader},
		{"\x0f\x12\x34\x00\x00\x00\x00\x00\x00\x00\x00\x01\x04\x01\xff", errHeader},
	} {
		if _, err := parsePacket([]byte(test.datagram)); !errors.Is(err, test.want) {
			t.Errorf("parsePacket(%x) = %v, want %v", test.datagram, err, test.want)
		}
	}
}

func TestMessage(t *testing.T) {
	part := func(number, total int, text string) packet {
		return packet{number: number, total: total, text: []byte(text)}
	}
	control := part(2, 0, "no part")
	control.flags = flagControl
	for _, test := range []struct {
		name       string
		packets    []packet
		want       string
		isComplete bool
	}{
		{"one", []packet{part(1, 1, "a")}, "a", true},
		{"in order", []packet{part(1, 0, "a"), part(2, 0, "b"), part(3, 3, "c")}, "abc", true},
		{"total first", []packet{part(1, 2, "a"), part(2, 0, "b")}, "ab", true},
		{"backwards", []packet{part(3, 3, "c"), part(2, 0, "b"), part(1, 0, "a")}, "abc", true},
		{"twice", []packet{part(1, 2, "a"), part(1, 2, "a"), part(2, 2, "b"), part(2, 2, "b")}, "ab", true},
		{"another text for the same number", []packet{part(2, 2, "b"), part(2, 2, "x"), part(1, 2, "a")}, "ab", true},
		{"a gap", []packet{part(1, 3, "a"), part(3, 3, "c")}, "a", false},
		{"a control packet", []packet{part(1, 3, "a"), control, part(3, 3, "c")}, "ac", true},
		{"empty packets", []packet{part(2, 2, ""), part(1, 2, "")}, "", true},
		{"beyond the total", []packet{part(1, 2, "a"), part(3, 0, "c"), part(2, 0, "b")}, "ab", true},
		{"a total below what came", []packet{part(1, 0, "a"), part(2, 0, "b"), part(3, 1, "c")}, "ab", false},
		{"two totals", []packet{part(1, 3, "a"), part(2, 2, "b")}, "a", false},
		{"too far ahead", []packet{part(maxAhead+1, 0, "z"), part(1, 1, "a")}, "a", true},
	} {
		m := message{limit: 1 << 10}
		for _, p := range test.packets {
			if _, err := m.add(p); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
		if got := string(m.text); got != test.want || m.isComplete() != test.isComplete {
			t.Errorf("%s: %q, complete %v, want %q, %v", test.name, got, m.isComplete(), test.want, test.isComplete)
		}
	}
}

// The limit of a message includes packets after a gap.
func TestMessageTooLong(t *testing.T) {
	for _, numbers := range [][]int{{1, 2}, {2, 3}, {2, 1}} {
		m := message{limit: 10}
		if _, err := m.add(packet{number: numbers[0], text: make([]byte, 6)}); err != nil {
			t.Errorf("%v: %v", numbers, err)
		}
		if _, err := m.add(packet{number: numbers[1], text: make([]byte, 6)}); err == nil {
			t.Errorf("12 bytes in the packets %v are accepted", numbers)
		}
	}
}

// FuzzARDP parses datagrams. A message never holds more than was received. An
// encoded packet is parsed to the same packet.
func FuzzARDP(f *testing.F) {
	for name := range expectations(f) {
		var all []byte
		for _, d := range capture(f, name) {
			if d.Dir == "s2c" && len(all) < 4<<10 {
				all = append(append(all, byte(len(d.data)>>8), byte(len(d.data))), d.data...)
			}
		}
		f.Add(all)
	}
	f.Fuzz(func(t *testing.T, all []byte) {
		m := message{limit: 1 << 16}
		received := 0
		for len(all) >= 2 {
			n := min(int(all[0])<<8|int(all[1]), len(all)-2)
			d := all[2 : 2+n]
			all = all[2+n:]
			p, err := parsePacket(d)
			if err != nil {
				continue
			}
			received += len(p.text)
			again, err := parsePacket(packet{id: p.id, number: p.number, total: p.total, received: p.received, text: p.text}.datagram())
			if err != nil || again.id != p.id || again.number != p.number || again.total != p.total || again.received != p.received || !bytes.Equal(again.text, p.text) {
				t.Fatalf("datagram() of %+v reads as %+v, %v", p, again, err)
			}
			if p.number == 0 {
				continue
			}
			if _, err := m.add(p); err != nil {
				return
			}
			if len(m.text) > m.held || m.held > received || len(m.later) > maxAhead || m.total > 0 && m.received > m.total {
				t.Fatalf("%d of %d bytes, %d received; %d of %d packets", len(m.text), m.held, received, m.received, m.total)
			}
		}
	})
}
