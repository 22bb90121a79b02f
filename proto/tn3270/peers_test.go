package tn3270_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/tn3270"
	"locus/url"
)

// connect opens a session with a real server.
func connect(t *testing.T, c tn3270.Client, addr string) *tn3270.Session {
	t.Helper()
	c.Dial = new(net.Dialer).DialContext
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://" + addr + "/")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r.Session.(*tn3270.Session)
}

// The screen of hercules is the same as in s3270, except for the number of the
// display.
//
// req: 1630-inter-1
func TestHercules(t *testing.T) {
	host := peers.Hercules(t)
	want := withoutDevice(peers.S3270(t, host.Addr))
	for _, c := range []tn3270.Client{{}, {Model: 5}, {Monochrome: true}} {
		s := connect(t, c, host.Addr)
		waitFor(t, s, "Copyright")
		if got := withoutDevice(s.Screen().Lines); !slices.Equal(got, want) {
			t.Errorf("%+v: the screen shows\n%s\nwant, as s3270 has it,\n%s", c, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if p := s.Picture(); p.Lock != tn3270.Unlocked || p.Cursor != 0 {
			t.Errorf("%+v: %q, cursor at %d", c, p.Lock, p.Cursor)
		}
		if err := s.Press(tn3270.Enter); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		s.Close()
	}
}

func withoutDevice(rows []string) []string {
	var rest []string
	for _, row := range rows {
		if !strings.HasPrefix(row, " Device number") && !strings.HasPrefix(row, " Subchannel") {
			rest = append(rest, row)
		}
	}
	return rest
}

// hercules refuses a display when all are in use.
func TestHerculesIsFull(t *testing.T) {
	host := peers.Hercules(t)
	for range 8 {
		waitFor(t, connect(t, tn3270.Client{}, host.Addr), "Copyright")
	}
	waitFor(t, connect(t, tn3270.Client{}, host.Addr), "Connection rejected, no available 3270 device")
}
