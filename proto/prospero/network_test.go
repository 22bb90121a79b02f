package prospero_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/demo"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/prospero"
	"locus/url"
)

// A network is an unreliable datagram network in memory. Use it in a synctest
// bubble.
type network struct {
	mu          sync.Mutex
	rand        *rand.Rand
	sockets     map[string]*socket
	ports       int
	rate        float64 // how often each fault occurs
	delay       time.Duration
	loss        float64         // how often a datagram is lost besides
	reorder     float64         // how often one comes up to 3 ms later besides
	hasChecksum bool            // corrupted datagrams are dropped, as with UDP's checksum
	isCorrupted bool            // a corrupted datagram was delivered in this run
	isPeriodic  bool            // every fifth datagram is lost besides
	hasNotice   bool            // before its first reply to a client, the server asks it to wait 900 s
	noticed     map[string]bool // the clients that were asked to wait
	sent        int             // datagrams
}

// reset starts another run with its own faults.
func (n *network) reset(seed uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rand = rand.New(rand.NewPCG(seed, 1))
	n.hasChecksum = seed%2 == 0
	n.isCorrupted = false
	n.noticed = make(map[string]bool)
}

// send sends a datagram. It may drop, duplicate, delay or corrupt it.
func (n *network) send(from *socket, to string, d []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hasNotice && from.to == "" && len(d) > 2 && !n.noticed[to] {
		n.noticed[to] = true
		n.deliverSoon(from.name, to, []byte{0x10, d[1], d[2], 0, 0, 0, 0, 0, 0, 0x03, 0x84, 0, 0xfe, 3, 0x84, 0})
	}
	n.sent++
	copies := 1
	if n.rand.Float64() < n.rate || n.isPeriodic && n.sent%5 == 0 {
		copies = 0
	}
	if n.rand.Float64() < n.rate {
		copies *= 2
	}
	for range copies {
		d, late := bytes.Clone(d), n.delay+time.Duration(n.rand.Int64N(int64(time.Millisecond)))
		if n.rand.Float64() < n.rate {
			late += time.Duration(n.rand.Int64N(int64(3 * time.Second)))
		}
		if n.rand.Float64() < n.loss {
			continue
		}
		if n.rand.Float64() < n.reorder {
			late += time.Duration(n.rand.Int64N(int64(3 * time.Millisecond)))
		}
		if n.rand.Float64() < n.rate {
			if n.hasChecksum {
				continue
			}
			d[n.rand.IntN(len(d))] ^= byte(1 + n.rand.IntN(255))
			n.isCorrupted = true
		}
		time.AfterFunc(late, func() { n.deliver(from.name, to, d) })
	}
}

// deliverSoon delivers a datagram that is never lost.
func (n *network) deliverSoon(from, to string, d []byte) {
	time.AfterFunc(n.delay, func() { n.deliver(from, to, d) })
}

// wasCorrupted reports whether a corrupted datagram was delivered in this run.
func (n *network) wasCorrupted() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.isCorrupted
}

func (n *network) deliver(from, to string, d []byte) {
	n.mu.Lock()
	s := n.sockets[to]
	n.mu.Unlock()
	if s == nil {
		return
	}
	select {
	case s.arrived <- received{addr(from), d}:
	default:
	}
}

// open returns a new socket.
func (n *network) open(to string) *socket {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ports++
	name := "127.0.0.1:1525" // of the server
	if to != "" {
		name = "127.0.0.1:" + strconv.Itoa(10_000+n.ports)
	}
	s := &socket{network: n, name: name, to: to, arrived: make(chan received, 256), closed: make(chan struct{})}
	n.sockets[name] = s
	return s
}

func (n *network) dial(_ context.Context, _, address string) (net.Conn, error) {
	return n.open(address), nil
}

func (n *network) listen(string, string) (net.PacketConn, error) { return n.open(""), nil }

type addr string

func (a addr) Network() string { return "udp" }
func (a addr) String() string  { return string(a) }

type received struct {
	from addr
	data []byte
}

// A socket is a net.PacketConn and, if connected, a net.Conn.
type socket struct {
	*network
	name     string
	to       string
	arrived  chan received
	closed   chan struct{}
	once     sync.Once
	deadline wiretest.Deadline
}

func (s *socket) ReadFrom(p []byte) (int, net.Addr, error) {
	select {
	case d := <-s.arrived:
		return copy(p, d.data), d.from, nil
	case <-s.closed:
		return 0, nil, net.ErrClosed
	case <-s.deadline.Passed():
		return 0, nil, os.ErrDeadlineExceeded
	}
}

func (s *socket) Read(p []byte) (int, error) {
	n, _, err := s.ReadFrom(p)
	return n, err
}

func (s *socket) WriteTo(p []byte, to net.Addr) (int, error) {
	select {
	case <-s.closed:
		return 0, net.ErrClosed
	default:
		s.send(s, to.String(), p)
		return len(p), nil
	}
}

func (s *socket) Write(p []byte) (int, error) { return s.WriteTo(p, addr(s.to)) }

func (s *socket) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sockets, s.name)
	})
	return nil
}

func (s *socket) SetReadDeadline(t time.Time) error {
	s.deadline.Set(t)
	return nil
}

func (s *socket) SetDeadline(t time.Time) error    { return s.SetReadDeadline(t) }
func (s *socket) SetWriteDeadline(time.Time) error { return nil }
func (s *socket) LocalAddr() net.Addr              { return addr(s.name) }
func (s *socket) RemoteAddr() net.Addr             { return addr(s.to) }

// noListener is a net.Listener without connections.
type noListener struct{ closed chan struct{} }

func (n noListener) Accept() (net.Conn, error) {
	<-n.closed
	return nil, net.ErrClosed
}

func (n noListener) Close() error {
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

func (n noListener) Addr() net.Addr { return addr("127.0.0.1:1") }

var runs = flag.Int("runs", 500, "of TestBadNetwork")

// In a network where each fault hits one datagram in five, every request ends
// before its deadline, with the right result or an error. Only a corrupted datagram
// that passes UDP's checksum may lead to a wrong result.
//
// Of 10 000 runs about 5600 end with the right bytes, and 120 fail in time. In the
// other 4300 something corrupt may arrive, because half of the runs have no checksum.
// There the test checks the deadline only.
func TestBadNetwork(t *testing.T) {
	files := fstest.MapFS{
		"small.txt": {Data: []byte("It's a small file, of one packet.\n")},
		"large.bin": {Data: testData(60_000)},
		"dir/a":     {Data: []byte("a")}, "dir/b": {Data: []byte("b")},
	}
	n := *runs
	synctest.Test(t, func(t *testing.T) {
		network := &network{sockets: make(map[string]*socket), rate: 0.2, delay: 5 * time.Millisecond}
		network.reset(0)
		d, err := demo.Start(t.Context(), demo.Config{
			Listen:       func(string, string) (net.Listener, error) { return noListener{make(chan struct{})}, nil },
			ListenPacket: network.listen,
			Files:        files,
		})
		if err != nil {
			t.Fatal(err)
		}
		var done, failed, corrupted int
		for seed := range n {
			network.reset(uint64(seed))
			deadline := time.Duration(1+seed%300) * time.Second
			switch got := checkOpen(t, network, files, seed, deadline); {
			case network.wasCorrupted():
				corrupted++
			case got:
				done++
			default:
				failed++
			}
			time.Sleep(time.Minute) // until all datagrams have arrived
		}
		synctest.Wait() // the server has sent its last one
		t.Logf("%d runs, %d datagrams: %d complete, %d failed, %d corrupted", n, network.sent, done, failed, corrupted)
		if done < n/4 {
			t.Errorf("%d of %d are complete, want more", done, n)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// checkOpen opens a resource and reports whether the result is right.
func checkOpen(t *testing.T, n *network, files fstest.MapFS, seed int, deadline time.Duration) bool {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	name := []string{"small.txt", "large.bin", "dir", "missing"}[seed%4]
	u := url.MustParse("prospero://127.0.0.1:1525//" + name)
	start := time.Now()
	r, err := prospero.Client{Dial: n.dial}.Do(ctx, &access.Request{URL: u})
	if took := time.Since(start); took > deadline {
		t.Errorf("seed %d: %v, in %v", seed, took, deadline)
	}
	if err != nil {
		if e, ok := errors.AsType[*access.Error](err); !ok && !n.wasCorrupted() || ok && e.URL != u {
			t.Errorf("seed %d: %#v, want an *access.Error", seed, err)
		}
		return name == "missing" && errors.Is(err, fs.ErrNotExist)
	}
	defer r.Body.Close()
	text, err := contents(r)
	if n.wasCorrupted() {
		return false
	}
	want := ""
	switch name {
	case "dir":
		want = "a b"
	case "missing":
		t.Errorf("seed %d: a missing object has the contents %q", seed, text)
	default:
		want = string(files[name].Data)
	}
	if err != nil || text != want {
		t.Errorf("seed %d: %s has %d bytes, %v, want %d", seed, name, len(text), err, len(want))
	}
	return true
}

// contents returns the bytes of a resource, or the titles of a listing.
func contents(r *access.Resource) (string, error) {
	l, ok := r.List, r.List != nil
	if !ok {
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	var titles []string
	err := access.Entries(l, func(e access.Entry) error {
		titles = append(titles, e.Title)
		return nil
	})
	return strings.Join(titles, " "), err
}

func testData(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
