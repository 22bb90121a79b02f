package prospero

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// control encodes a packet without a number, with an option and its arguments.
func control(p packet, option byte, arguments ...byte) []byte {
	h := []byte{byte(endOption + len(arguments)), byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 0, 0, 0, 0, option}
	return append(h, arguments...)
}

func redirectTo(p packet, to string) []byte {
	at := netip.MustParseAddrPort(to)
	a := at.Addr().As4()
	return control(p, optionRedirect, append(a[:], byte(at.Port()>>8), byte(at.Port()))...)
}

// A request is sent at 0, 1, 3, 7 and 15 s, and then every 8 s. It fails at 60 s.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		c := answering(func(packet) []byte {
			at = append(at, time.Since(start))
			return nil
		})
		_, err := c.do(t.Context(), "h:1525", "x")
		if want := []time.Duration{0, 1e9, 3e9, 7e9, 15e9, 23e9, 31e9, 39e9, 47e9, 55e9}; !slices.Equal(at, want) {
			t.Errorf("sent at %v, want %v", at, want)
		}
		if took := time.Since(start); took != time.Minute || !errors.Is(err, errSilence) {
			t.Errorf("do() = %v after %v, want %v after 1m", err, took, errSilence)
		}
	})
}

// A request ends at the caller's deadline, or else at the client's Timeout.
func TestDeadline(t *testing.T) {
	waits := func(p packet) []byte { return []byte{11, byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 0, 0, 180} }
	for _, test := range []struct {
		name        string
		timeout     time.Duration // of the client
		caller      time.Duration // the caller's deadline; 0 if it has none
		isCancelled bool
		want        time.Duration
		err         error
	}{
		{"default", 0, 0, false, 5 * time.Minute, context.DeadlineExceeded},
		{"the client's", time.Minute, 0, false, time.Minute, context.DeadlineExceeded},
		{"the caller's is longer", time.Minute, time.Hour, false, time.Hour, context.DeadlineExceeded},
		{"the caller's is shorter", time.Minute, time.Second, false, time.Second, context.DeadlineExceeded},
		{"cancelled", 0, time.Second, true, time.Second, context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := answering(waits)
				c.Timeout = test.timeout
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.isCancelled {
					time.AfterFunc(test.caller, cancel)
				} else if test.caller > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.caller)
					defer cancel()
				}
				start := time.Now()
				_, err := c.Do(ctx, &access.Request{URL: parseURL(t, "prospero://h/x")})
				if took := time.Since(start); !errors.Is(err, test.err) || took != test.want {
					t.Errorf("Open = %v after %v, want %v after %v", err, took, test.err, test.want)
				}
			})
		})
	}
}

// A wait delays the next retries, each twice as long as the one before, up to a limit. A wait of 0 cancels that.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		var e *endpoint
		c := Client{Dial: func(context.Context, string, string) (net.Conn, error) {
			e = newEndpoint("", func(d []byte) {
				at = append(at, time.Since(start))
				wait := byte(100)
				if len(at) > 1 {
					return
				}
				e.deliver([]byte{11, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, wait})
				time.AfterFunc(50*time.Second, func() { e.deliver([]byte{11, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0}) })
			})
			return e, nil
		}}
		_, err := c.do(t.Context(), "h:1525", "x")
		want := []time.Duration{0, 3e9, 9e9, 21e9, 36e9, 51e9}
		if !errors.Is(err, errSilence) || len(at) < len(want) || !slices.Equal(at[:len(want)], want) {
			t.Errorf("sent at %v, %v, want first at %v", at, err, want)
		}
	})
}

// If the reply after a wait is lost, the client asks again soon, and gets the reply.
func TestLostAfterWait(t *testing.T) {
	for _, lost := range []int{1, 2, 3} { // how many replies
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			asked := 0
			c := answering(func(p packet) []byte {
				switch asked++; {
				case asked == 1: // wait 900 s
					return []byte{0x10, byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 0, 3, 0x84, 0, 0xfe, 3, 0x84, 0}[:16]
				case asked <= lost:
					return nil
				}
				return append([]byte{3, byte(p.id >> 8), byte(p.id)}, "reply"...)
			})
			got, err := c.do(t.Context(), "h:1525", "x")
			if took := time.Since(start); err != nil || string(got) != "reply" || took > 25*time.Second {
				t.Errorf("with %d replies lost: %q, %v after %v", lost, got, err, took)
			}
		})
	}
}

// The idle time starts at the last datagram, even if the socket changes. A server that asks for time
// and is silent then ends in the same way.
func TestIdle(t *testing.T) {
	for _, test := range []struct {
		name string
		wait byte // seconds that the server asks for
		want time.Duration
	}{
		{"silent", 0, 7 * time.Second},
		{"asked to wait", 100, 7 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			answered := false
			c := answering(func(p packet) []byte {
				if test.wait == 0 || answered {
					return nil
				}
				answered = true
				return []byte{11, byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 0, 0, test.wait}
			})
			c.Idle = 7 * time.Second
			c.ListenPacket = func(context.Context, string, string) (net.PacketConn, error) {
				return unheard{newEndpoint("", func([]byte) {})}, nil
			}
			start := time.Now()
			_, err := c.do(t.Context(), "h:1525", "x")
			if _, idle := errors.AsType[*wire.IdleError](err); !idle || time.Since(start) != test.want {
				t.Errorf("%s: do() = %v after %v, want the idle limit after %v", test.name, err, time.Since(start), test.want)
			}
		})
	}
}

// An unheard socket gets no replies.
type unheard struct{ *endpoint }

func (u unheard) ReadFrom(p []byte) (int, net.Addr, error) {
	n, err := u.Read(p)
	return n, nil, err
}

func (u unheard) WriteTo(p []byte, _ net.Addr) (int, error) { return u.Write(p) }

// A request may have several packets. Only the missing packets are sent again.
func TestRequestInPackets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("x", 2*maxText+1)
		var numbers []int
		c := answering(func(p packet) []byte {
			if p.total != 3 {
				t.Errorf("packet %d of %d, want of 3", p.number, p.total)
			}
			numbers = append(numbers, p.number)
			if len(numbers) == 3 { // the server has two
				return []byte{9, byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 2}
			}
			if len(numbers) == 4 {
				return append([]byte{3, byte(p.id >> 8), byte(p.id)}, "reply"...)
			}
			return nil
		})
		got, err := c.do(t.Context(), "h:1525", text)
		if string(got) != "reply" || err != nil || len(numbers) != 4 || numbers[3] != 3 {
			t.Errorf("do() = %q, %v with the packets %v, want 1 2 3 and then 3 again", got, err, numbers)
		}
	})
	long := strings.Repeat("x", maxPackets*maxText+1)
	if _, err := (Client{}).do(t.Context(), "h:1525", long); err == nil {
		t.Errorf("a request of %d bytes is sent", len(long))
	}
}

// Invalid datagrams and datagrams of other requests are ignored.
func TestNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e *endpoint
		c := Client{Dial: func(context.Context, string, string) (net.Conn, error) {
			e = newEndpoint("", func(d []byte) {
				for _, noise := range [][]byte{
					{},
					{9, d[1]},
					{3, d[1] + 1, d[2], 'x'},          // another id
					{1, 'x'},                          // no id
					{9, d[1], d[2], 0, 1, 0, 1, 0, 9}, // acknowledges packets that were never sent
				} {
					e.deliver(noise)
				}
				e.deliver(append([]byte{7, d[1], d[2], 0, 1, 0, 2}, "re"...))
				e.deliver([]byte("VERSION-NOT-SUPPORTED")) // the server has spoken ARDP before
				e.deliver(append([]byte{7, d[1], d[2], 0, 2, 0, 2}, "ply"...))
			})
			return e, nil
		}}
		if got, err := c.do(t.Context(), "h:1525", "x"); string(got) != "reply" || err != nil {
			t.Errorf("do() = %q, %v, want reply", got, err)
		}
	})
}

// Dial sees every target of a redirect, so that it can refuse it. Some targets are
// refused without a dial, and the number of redirects is limited.
func TestRedirect(t *testing.T) {
	for _, test := range []struct {
		from, to string
		want     error
		dialled  int
	}{
		{"192.0.2.1:1525", "192.0.2.2:191", errGuard, 2},
		{"192.0.2.1:1525", "192.0.2.2:1525", errGuard, 2},
		{"192.0.2.1:1525", "127.0.0.1:1525", access.ErrRedirect, 1},
		{"192.0.2.1:1525", "0.0.0.0:1525", access.ErrRedirect, 1},
		{"192.0.2.1:1525", "224.0.0.1:1525", access.ErrRedirect, 1},
		{"192.0.2.1:1525", "192.0.2.2:53", access.ErrRedirect, 1},
		{"192.0.2.1:1525", "192.0.2.2:0", access.ErrRedirect, 1},
		{"127.0.0.1:1525", "127.0.0.1:1526", errGuard, 2},
		{"192.0.2.1:1525", "192.0.2.1:1525", access.ErrRedirect, 1 + maxRedirects}, // a loop
	} {
		synctest.Test(t, func(t *testing.T) {
			dialled := 0
			c := answering(func(p packet) []byte { return redirectTo(p, test.to) })
			dial := c.Dial
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if dialled++; address != test.from && address != test.to {
					t.Errorf("%s that redirects to %s: the client dials %s", test.from, test.to, address)
				}
				if address == test.to && test.to != test.from {
					return nil, errGuard
				}
				return dial(ctx, network, address)
			}
			_, err := c.do(t.Context(), test.from, "x")
			if !errors.Is(err, test.want) || dialled != test.dialled {
				t.Errorf("%s redirects to %s: %v, %d dialled, want %v, %d", test.from, test.to, err, dialled, test.want, test.dialled)
			}
		})
	}
}

var errGuard = errors.New("refused by the dialler")

// A socket of ListenPacket receives a reply from another port. A connected socket
// does not.
func TestAnotherPort(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	other, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for buf := make([]byte, 2000); ; {
			_, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = other.WriteTo(append([]byte{3, buf[1], buf[2]}, "reply"...), from)
		}
	}()
	var dialer net.Dialer
	var listener net.ListenConfig
	c := Client{Dial: dialer.DialContext, ListenPacket: listener.ListenPacket}
	r, err := c.start(t.Context(), server.LocalAddr().String(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.listenToAll(); err != nil { // as after 3 s
		t.Fatal(err)
	}
	if err := r.send(); err != nil {
		t.Fatal(err)
	}
	if got, err := r.next(); string(got) != "reply" || err != nil {
		t.Errorf("next() = %q, %v, want reply", got, err)
	}
}

// A datagram of another host that is not ARDP does not end a request whose reply may come from
// any address.
func TestStranger(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	stranger, err := net.ListenPacket("udp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has only one loopback address: %v", err)
	}
	defer stranger.Close()
	var dialer net.Dialer
	listen := func(ctx context.Context, network, _ string) (net.PacketConn, error) {
		return new(net.ListenConfig).ListenPacket(ctx, network, "127.0.0.1:0")
	}
	r, err := Client{Dial: dialer.DialContext, ListenPacket: listen}.start(t.Context(), server.LocalAddr().String(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.listenToAll(); err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.WriteTo([]byte("VERSION-NOT-SUPPORTED"), r.unconnected.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	if _, err := server.WriteTo(append([]byte{3, byte(r.id >> 8), byte(r.id)}, "reply"...), r.unconnected.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	if got, err := r.next(); string(got) != "reply" || err != nil {
		t.Errorf("next() = %q, %v, want reply", got, err)
	}
}

// After 3 s of silence the client listens to all addresses, and repeats the
// request to the same peer.
func TestListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var opened time.Duration
		c := answering(func(packet) []byte { return nil })
		c.ListenPacket = func(context.Context, string, string) (net.PacketConn, error) {
			opened = time.Since(start)
			return nil, errGuard
		}
		if _, err := c.do(t.Context(), "h:1525", "x"); !errors.Is(err, errGuard) || opened != 3*time.Second {
			t.Errorf("do() = %v, listens after %v, want %v after 3s", err, opened, errGuard)
		}
		c.Dial = replying("reply").Dial
		if got, err := c.do(t.Context(), "h:1525", "x"); string(got) != "reply" || err != nil {
			t.Errorf("do() = %q, %v: a server that replies at once needs no other socket", got, err)
		}
	})
}

func TestNoDial(t *testing.T) {
	_, err := Client{}.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://h/x")})
	if !errors.Is(err, access.ErrNoDial) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Open without Dial = %v, want %v", err, access.ErrNoDial)
	}
}

// A reply that is longer than MaxReply is an error.
func TestMaxReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := replying("ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 1\n")
		c.MaxReply = 10
		_, err := c.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://h/x")})
		if !errors.Is(err, access.ErrTooLong) {
			t.Errorf("Open = %v, want %v", err, access.ErrTooLong)
		}
	})
}

// A listing starts at 0, whatever the Offset of the request.
func TestListingComesWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const reply = "LINK L FILE x INTERNET-D h ASCII x 0\n"
		r, err := replying(reply).Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://h/x"), Offset: 5})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r.Body); string(got) != reply || err != nil || r.Offset != 0 {
			t.Errorf("a request for offset 5 gives %q from %d, %v, want everything from 0", got, r.Offset, err)
		}
	})
}

// The requests of a program share the round trips, so that a lost datagram costs the measured time, not a second.
func TestSharedTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := false
		c := answering(func(p packet) []byte {
			if lost = !lost; lost {
				return nil
			}
			return append([]byte{3, byte(p.id >> 8), byte(p.id)}, "reply"...)
		})
		c.Trips = new(RoundTrips)
		c.Trips.learn("h:1525", timer{smoothed: time.Millisecond, variation: time.Millisecond})
		for range 3 {
			start := time.Now()
			if _, err := c.do(t.Context(), "h:1525", "x"); err != nil || time.Since(start) != minTimeout {
				t.Errorf("do() = %v after %v, want a reply after %v", err, time.Since(start), minTimeout)
			}
		}
		if got := c.Trips.recall("h:1525"); got.smoothed != time.Millisecond || got.doubled != 0 {
			t.Errorf("the round trips are %+v, want them without the state of a request", got)
		}
		if got := c.Trips.recall("other:1525"); got != (timer{}) {
			t.Errorf("the round trips of another server are %+v", got)
		}
		if got := (*RoundTrips)(nil).recall("h:1525"); got != (timer{}) {
			t.Errorf("the round trips of nil are %+v", got)
		}
	})
}
