package prospero

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A recording replays the server's side of a capture, with its timing.
type recording struct {
	t         *testing.T
	datagrams []datagram // of one connection id
	start     time.Time
	id        [2]byte // of the client
	sent      []sent
}

// sent is a datagram of the client, with the connection id of the capture.
type sent struct {
	at   time.Duration
	data []byte
	to   string
}

func newRecording(t *testing.T, name, id string) *recording {
	r := &recording{t: t}
	for _, d := range capture(t, name) {
		p, err := parsePacket(d.data)
		if err != nil || isID(p.id, id) || isID(bits.ReverseBytes16(p.id), id) {
			r.datagrams = append(r.datagrams, d)
		}
	}
	return r
}

func isID(id uint16, want string) bool { return fmt.Sprintf("%04x", id) == want }

func (r *recording) dial(_ context.Context, _, address string) (net.Conn, error) {
	var e *endpoint
	e = newEndpoint(address, func(d []byte) {
		if len(r.sent) == 0 {
			r.play(e, [2]byte(d[1:3]))
		}
		own := r.datagrams[0].data
		r.sent = append(r.sent, sent{time.Since(r.start), withID(d, r.id, [2]byte(own[1:3])), address})
	})
	return e, nil
}

// play delivers the server's datagrams.
func (r *recording) play(e *endpoint, id [2]byte) {
	r.start, r.id = time.Now(), id
	own := [2]byte(r.datagrams[0].data[1:3])
	for i, d := range r.datagrams {
		if d.Dir == "s2c" && !d.Dropped {
			after := d.at() - r.datagrams[0].at() + time.Duration(i) // keeps the order
			time.AfterFunc(after, func() { e.deliver(withID(d.data, own, id)) })
		}
	}
}

// withID returns a datagram with another connection id.
func withID(d []byte, from, to [2]byte) []byte {
	d = bytes.Clone(d)
	switch {
	case len(d) <= 2 || d[0] > 63:
	case bytes.Equal(d[1:3], from[:]):
		copy(d[1:], to[:])
	case d[1] == from[1] && d[2] == from[0]: // swapped
		d[1], d[2] = to[1], to[0]
	}
	return d
}

// otherClients has the captures of clients that send other datagrams than this
// client, or at other times, and says how they differ.
var otherClients = map[string]string{
	"ardp-hdr3":                "another header",
	"ardp-hdr5":                "another header",
	"ardp-hdr7":                "another header",
	"ardp-priority":            "another header",
	"ardp-window4":             "another header",
	"ardp-queuestatus":         "another header",
	"ardp-ackreq":              "another header",
	"ardp-cancel":              "the request is cancelled, after the reply",
	"ardp-multipacket-request": "packets of fewer bytes",
	"empty-request":            "no text",
	"unpatched-le-server":      "other times",
	"big-loss":                 "repeats an acknowledgement at once",
	"fake-ctl":                 "acknowledges two packets at once, after the second",
	"gophergw-slow":            "does not ask again for as long as the server told it to wait",
	"list-big-loss":            "asks for lost packets after 4 s",
}

// otherTimes has the captures of the client of 1994 that waits 4 s before it sends again.
// This client sends the same datagrams earlier.
var otherTimes = map[string]bool{"timeout": true, "reply-lost": true, "request-lost": true, "fake-shortwait": true}

// Every capture is replayed with its timing. This client gets the same reply as the
// recorded client, and sends the same datagrams.
//
// req: 1738-3.11-2
func TestCapturesReplay(t *testing.T) {
	failing := map[string]error{
		"ardp-hdr5":           errSilence,
		"fake-refuse":         errConnection,
		"fake-v1":             errNotARDP,
		"fake-redirect":       errSilence, // no server at the other address
		"fake-shortwait":      errSilence, // the recording ends
		"timeout":             errSilence,
		"unpatched-le-server": errSilence, // the recording ends
	}
	for name, exchanges := range expectations(t) {
		if name == "ardp-hdr1" {
			continue // no connection id in the request and the reply
		}
		for _, want := range exchanges {
			t.Run(name+"/"+want.ID, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRecording(t, name, want.ID)
					ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
					defer cancel()
					text, err := Client{Dial: r.dial}.do(ctx, "127.0.0.1:15250", want.Request)
					if fails := failing[name]; fails != nil || err != nil {
						if !errors.Is(err, fails) {
							t.Errorf("do() = %v, want %v", err, fails)
						}
					} else {
						checkReply(t, text, want)
					}
					if otherClients[name] == "" {
						r.compareSent(name)
					}
				})
			})
		}
	}
}

// The server of 1994 swaps the bytes of the id after the first window, on little-endian
// machines. The client takes those packets, and acknowledges them.
func TestSwappedID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecording(t, "unpatched-le-server", "9eb6")
		_, err := Client{Dial: r.dial}.do(t.Context(), "127.0.0.1:15250", "x")
		if !errors.Is(err, errSilence) || len(r.sent) < 3 {
			t.Fatalf("do() = %v after %d datagrams", err, len(r.sent))
		}
		for i, received := range []string{"0000", "0010", "0020"} {
			if got := fmt.Sprintf("%x", r.sent[i].data[7:9]); got != received {
				t.Errorf("datagram %d says that packets up to %s have come, want %s", i, got, received)
			}
		}
	})
}

// compareSent compares the datagrams of this client with the recorded ones.
func (r *recording) compareSent(name string) {
	r.t.Helper()
	var want []datagram
	for _, d := range r.datagrams {
		if d.Dir == "c2s" {
			want = append(want, d)
		}
	}
	for i, got := range r.sent {
		if i >= len(want) {
			break // the recording ends
		}
		if !bytes.Equal(got.data, want[i].data) {
			r.t.Errorf("%s: datagram %d is %x, want %x", name, i, got.data[:min(len(got.data), 12)], want[i].data[:min(len(want[i].data), 12)])
		}
		if d := got.at - (want[i].at() - want[0].at()); d.Abs() > 100*time.Millisecond && !otherTimes[name] {
			r.t.Errorf("%s: datagram %d at %v, want %v", name, i, got.at, want[i].at())
		}
	}
	if len(r.sent) < len(want) {
		r.t.Errorf("%s: sent %d, want %d", name, len(r.sent), len(want))
	}
}
