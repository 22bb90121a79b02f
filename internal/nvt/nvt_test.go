package nvt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"locus/access"
)

// A wire is a connection that reads from Reader and records writes.
type wire struct {
	io.Reader
	sent bytes.Buffer
}

func (w *wire) Write(p []byte) (int, error) { return w.sent.Write(p) }

// wireBytes encodes a text with commands like «IAC DO ECHO» and numbers in it.
func wireBytes(text string) string {
	names := map[string]byte{
		"IAC": 255, "DONT": 254, "DO": 253, "WONT": 252, "WILL": 251, "SB": 250, "GA": 249, "AYT": 246, "DM": 242, "NOP": 241, "SE": 240, "EOR": 239,
		"BINARY": 0, "ECHO": 1, "SGA": 3, "TM": 6, "TTYPE": 24, "NAWS": 31,
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "«")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		inside, after, _ := strings.Cut(rest, "»")
		for _, word := range strings.Fields(inside) {
			c, ok := names[word]
			if !ok {
				fmt.Sscan(word, &c)
			}
			b.WriteByte(c)
		}
		text = after
	}
}

// readAll reads to the end. It returns the data, with commands in «», and the last
// error.
func readAll(c *Conn) (string, error) {
	var got strings.Builder
	p := make([]byte, 7)
	for {
		n, command, err := c.Read(p)
		got.Write(p[:n])
		if command != 0 {
			fmt.Fprintf(&got, "«%d»", command)
		}
		if err != nil {
			_ = c.flush() // sends all answers
			return got.String(), err
		}
	}
}

// willing accepts ECHO of the peer, NAWS of ours, and SGA of both.
func willing(o Option, side Side) bool {
	return o == SuppressGoAhead || o == Echo && side == Them || o == WindowSize && side == Us
}

var exchanges = []struct {
	received string
	data     string
	sent     string
	err      error
}{
	{"plain text\r\n", "plain text\r\n", "", io.EOF},
	{"a«IAC IAC»b", "a\xffb", "", io.EOF},
	{"a«IAC GA»b«IAC EOR»", "a«249»b«239»", "", io.EOF},
	{"a«IAC NOP»b«IAC SE»c«IAC 7»d«IAC AYT»", "abcd«246»", "", io.EOF},
	{"«IAC WILL ECHO»x", "x", "«IAC DO ECHO»", io.EOF},
	{"«IAC WILL ECHO IAC WILL ECHO IAC WILL ECHO»", "", "«IAC DO ECHO»", io.EOF},
	{"«IAC WILL ECHO IAC WONT ECHO IAC WONT ECHO»", "", "«IAC DO ECHO IAC DONT ECHO»", io.EOF},
	{"«IAC DO ECHO»", "", "«IAC WONT ECHO»", io.EOF},
	{"«IAC WILL NAWS»", "", "«IAC DONT NAWS»", io.EOF},
	{"«IAC DO SGA IAC WILL SGA»", "", "«IAC WILL SGA IAC DO SGA»", io.EOF},
	{"«IAC WONT TTYPE IAC DONT TTYPE»", "", "", io.EOF},
	{"«IAC DO 200 IAC WILL 255»", "", "«IAC WONT 200 IAC DONT 255»", io.EOF},
	{"«IAC DO TM»x«IAC DO TM IAC WILL TM IAC WONT TM IAC DONT TM»", "x", "«IAC WILL TM IAC WILL TM»", io.EOF},
	{"«IAC SB NAWS 1 2 IAC SE»x", "x", "", io.EOF},                                                       // not active: ignored
	{"«IAC DO NAWS IAC SB NAWS 1 IAC IAC 2 IAC SE»x", "x", "«IAC WILL NAWS»[NAWS 1 255 2]", io.EOF},      //
	{"«IAC DO NAWS IAC SB NAWS IAC SE»", "", "«IAC WILL NAWS»[NAWS]", io.EOF},                            //
	{"«IAC DO NAWS IAC SB NAWS 1 IAC GA»x", "«249»x", "«IAC WILL NAWS»", io.EOF},                         // interrupted
	{"«IAC DO NAWS IAC SB NAWS 1 IAC WILL ECHO»x", "x", "«IAC WILL NAWS IAC DO ECHO»", io.EOF},           //
	{"«IAC SB NAWS IAC SB NAWS IAC SB NAWS IAC SE»x", "x", "", io.EOF},                                   // nested
	{"x«IAC»", "x", "", io.ErrUnexpectedEOF},                                                             //
	{"x«IAC WILL»", "x", "", io.ErrUnexpectedEOF},                                                        //
	{"x«IAC SB»", "x", "", io.ErrUnexpectedEOF},                                                          //
	{"x«IAC SB NAWS 1 2»", "x", "", io.ErrUnexpectedEOF},                                                 //
	{"x«IAC SB NAWS 1 2 IAC»", "x", "", io.ErrUnexpectedEOF},                                             //
	{"x«IAC SB NAWS»" + strings.Repeat("y", maxParameters+1) + "«IAC SE»", "x", "", access.ErrTooLong},   //
	{"«IAC SB NAWS»" + strings.Repeat("y", maxParameters) + "«IAC SE»x", "x", "", io.EOF},                //
	{strings.Repeat("«IAC DO TTYPE»", 100), "", strings.Repeat("«IAC WONT TTYPE»", maxRefusals), io.EOF}, // a peer that ignores refusals
	{strings.Repeat("«IAC DO TTYPE»", 9) + "«IAC WILL TTYPE IAC DO ECHO»", "", strings.Repeat("«IAC WONT TTYPE»", maxRefusals) + "«IAC DONT TTYPE IAC WONT ECHO»", io.EOF}, // counted for each option and side
	{strings.Repeat("«IAC DONT TTYPE IAC WONT TTYPE»", 20) + "«IAC DO TTYPE IAC WILL TTYPE»", "", "«IAC WONT TTYPE IAC DONT TTYPE»", io.EOF},
	{"«IAC WILL ECHO IAC SB ECHO 1 IAC SE IAC WONT ECHO IAC SB ECHO 2 IAC SE»", "", "«IAC DO ECHO IAC DONT ECHO»[ECHO 1]", io.EOF}, // ignored when inactive
	{"«IAC DO NAWS IAC SB NAWS 1 IAC SB NAWS 2 IAC SE»x", "x", "«IAC WILL NAWS»[NAWS 2]", io.EOF},
	{"«IAC DO NAWS IAC SB NAWS 1 IAC 7 2 IAC SE»x", "\x02x", "«IAC WILL NAWS»", io.EOF},
	{"«IAC DO NAWS IAC SB NAWS 1 IAC NOP 2 IAC SE»x", "\x02x", "«IAC WILL NAWS»", io.EOF},
	{"«IAC DO NAWS IAC SB NAWS SE SB 0 IAC IAC IAC IAC IAC SE»x", "x", "«IAC WILL NAWS»[NAWS 240 250 0 255 255]", io.EOF},
	{"«IAC SB NAWS»" + strings.Repeat("y", maxParameters-1) + "«IAC IAC IAC SE»x", "x", "", io.EOF},
	{"x«IAC SB NAWS»" + strings.Repeat("«IAC IAC»", maxParameters+1) + "«IAC SE»", "x", "", access.ErrTooLong},
	{strings.Repeat("«IAC WILL ECHO IAC WONT ECHO»", 20), "", strings.Repeat("«IAC DO ECHO IAC DONT ECHO»", 20), io.EOF},
}

func TestRead(t *testing.T) {
	for _, test := range exchanges {
		for _, r := range []io.Reader{strings.NewReader(wireBytes(test.received)), iotest.OneByteReader(strings.NewReader(wireBytes(test.received)))} {
			w := &wire{Reader: r}
			var parameters strings.Builder
			c := New(w, Config{Agree: willing, Parameters: func(o Option, p []byte) {
				fmt.Fprintf(&parameters, "[%v", o)
				for _, b := range p {
					fmt.Fprintf(&parameters, " %d", b)
				}
				parameters.WriteString("]")
			}})
			data, err := readAll(c)
			wantSent, wantParameters, ok := strings.Cut(test.sent, "[")
			if ok {
				wantParameters = "[" + wantParameters
			}
			if data != test.data || !errors.Is(err, test.err) {
				t.Errorf("Read of %q = %q, %v, want %q, %v", test.received, data, err, test.data, test.err)
			}
			if got := w.sent.String(); got != wireBytes(wantSent) || parameters.String() != wantParameters {
				t.Errorf("%q is answered with %q, parameters %q, want %q, %q", test.received, got, parameters.String(), wireBytes(wantSent), wantParameters)
			}
			if _, _, again := c.Read(make([]byte, 1)); again != err {
				t.Errorf("after %v, Read of %q gives %v", err, test.received, again)
			}
		}
	}
}

// Want follows the state table of RFC 1143.
func TestWant(t *testing.T) {
	for _, test := range []struct {
		events string // "+" and "-" request NAWS for us on and off; others are received
		sent   string
		on     bool
	}{
		{"+", "«IAC WILL NAWS»", false},
		{"+ DO", "«IAC WILL NAWS»", true},
		{"+ DONT", "«IAC WILL NAWS»", false},
		{"+ + DO +", "«IAC WILL NAWS»", true},
		{"+ - DO", "«IAC WILL NAWS IAC WONT NAWS»", true}, // until DONT
		{"+ - DO DONT", "«IAC WILL NAWS IAC WONT NAWS»", false},
		{"+ - DONT", "«IAC WILL NAWS»", false},
		{"+ - + DO", "«IAC WILL NAWS»", true},
		{"+ DO -", "«IAC WILL NAWS IAC WONT NAWS»", true},
		{"+ DO - DONT", "«IAC WILL NAWS IAC WONT NAWS»", false},
		{"+ DO - DO", "«IAC WILL NAWS IAC WONT NAWS»", false}, // an invalid answer
		{"+ DO - + DONT DO", "«IAC WILL NAWS IAC WONT NAWS IAC WILL NAWS»", true},
		{"+ DO - + DO", "«IAC WILL NAWS IAC WONT NAWS»", true},
		{"+ DO - + - DONT", "«IAC WILL NAWS IAC WONT NAWS»", false},
		{"-", "", false},
		{"DO +", "«IAC WILL NAWS»", true},
		{"DO DONT", "«IAC WILL NAWS IAC WONT NAWS»", false},
	} {
		in := &bytes.Buffer{}
		w := &wire{Reader: in}
		c := New(w, Config{Agree: willing})
		for _, event := range strings.Fields(test.events) {
			switch event {
			case "+", "-":
				if err := c.Want(WindowSize, Us, event == "+"); err != nil {
					t.Fatalf("%q: %v", event, err)
				}
				continue
			}
			in.WriteString(wireBytes("«IAC "+event+" NAWS»") + "x")
			if _, _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatalf("%q: %v", event, err)
			}
		}
		_ = c.flush()
		if got := w.sent.String(); got != wireBytes(test.sent) || c.IsActive(WindowSize, Us) != test.on {
			t.Errorf("%q sends %q, on %v, want %q, %v", test.events, got, c.IsActive(WindowSize, Us), wireBytes(test.sent), test.on)
		}
	}
}

func TestSend(t *testing.T) {
	w := &wire{Reader: strings.NewReader("")}
	c := New(w, Config{})
	long := strings.Repeat("long\xff", 5000)
	for _, err := range []error{
		c.Send([]byte("a\xffb"), 0), c.Send(nil, EOR), c.Send([]byte("c"), GA), c.Send([]byte(long), 0),
		c.Subnegotiate(WindowSize, []byte{0, 255}), c.flush(),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := wireBytes("a«IAC IAC»b«IAC EOR»c«IAC GA»") + strings.ReplaceAll(long, "\xff", "\xff\xff") + wireBytes("«IAC SB NAWS 0 IAC IAC IAC SE»")
	if w.sent.String() != want {
		t.Errorf("sent %.40q…, want %.40q…", w.sent.String(), want)
	}
}

// Two Conns that request every option of each other come to rest, and what one sends then
// arrives. net.Pipe has no buffer, so Read must not wait for its answers to be read.
func TestTwoClients(t *testing.T) {
	a, b := net.Pipe()
	var done sync.WaitGroup
	var got [2]string
	for i, conn := range []net.Conn{a, b} {
		c := New(conn, Config{Agree: willing})
		done.Go(func() { got[i], _ = readAll(c) })
		done.Go(func() {
			for o := range 256 {
				for _, side := range []Side{Us, Them} {
					c.Want(Option(o), side, true)
				}
			}
			c.Send([]byte("end"), 0)
			conn.Close()
		})
	}
	done.Wait()
	if !strings.Contains(got[0]+got[1], "end") { // that of the side that closed first
		t.Errorf("the sides have read %q, want an end", got)
	}
}

// Read returns when an option becomes active, even without data. A refused option
// does not end Read.
func TestReadOptionChange(t *testing.T) {
	client, server := net.Pipe()
	c := New(client, Config{Agree: willing})
	go func() {
		for _, text := range []string{"«IAC WILL ECHO»", "«IAC WILL NAWS»", "a«IAC WONT ECHO»"} {
			_, _ = io.WriteString(server, wireBytes(text))
		}
		server.Close()
	}()
	go func() { _, _ = io.Copy(io.Discard, server) }()
	for _, step := range []struct {
		n   int
		on  bool
		err error
	}{{0, true, nil}, {1, false, nil}, {0, false, io.EOF}} {
		n, command, err := c.Read(make([]byte, 7))
		if n != step.n || command != 0 || err != step.err || c.IsActive(Echo, Them) != step.on {
			t.Errorf("Read = %d, %d, %v with ECHO %v, want %+v", n, command, err, c.IsActive(Echo, Them), step)
		}
	}
}

// The pending answers are limited if the peer does not read. A blocked write does
// not block Read.
func TestAnswersNotTaken(t *testing.T) {
	client, server := net.Pipe()
	c := New(client, Config{Agree: willing})
	var writing sync.WaitGroup
	writing.Go(func() { c.Send([]byte("never taken"), 0) })
	for c.writeMu.TryLock() { // until the write blocks
		c.writeMu.Unlock()
	}
	writing.Go(func() {
		for {
			if _, err := io.WriteString(server, strings.Repeat(wireBytes("«IAC DO TM»"), 1000)); err != nil {
				return
			}
		}
	})
	var err error
	for err == nil {
		_, _, err = c.Read(make([]byte, 7))
	}
	if !errors.Is(err, access.ErrTooLong) {
		t.Errorf("Read = %v, want access.ErrTooLong", err)
	}
	client.Close()
	server.Close()
	writing.Wait()
}

// A broken connection panics on Write. Read blocks after the data until it is
// closed.
type broken struct {
	io.Reader
	closed chan struct{}
}

func (broken) Write([]byte) (int, error) { panic("the wire is broken") }
func (b broken) Close() error            { close(b.closed); return nil }

func (b broken) Read(p []byte) (int, error) {
	if n, err := b.Reader.Read(p); err == nil {
		return n, nil
	}
	<-b.closed
	return 0, io.ErrClosedPipe
}

// A panic in the goroutine that writes becomes a panic of Read.
func TestPanic(t *testing.T) {
	defer func() {
		p, ok := recover().(*Panic)
		if !ok || p.Value != "the wire is broken" || !strings.Contains(p.Error(), "broken.Write") {
			t.Errorf("Read panics with %v, want the panic of Write with its stack", p)
		}
	}()
	c := New(broken{strings.NewReader("\xff\xfd\x01"), make(chan struct{})}, Config{})
	text, err := readAll(c)
	t.Errorf("reading = %q, %v, want a panic", text, err)
}

// Enqueue does not block, and keeps the order.
func TestEnqueue(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	c := New(client, Config{})
	for _, text := range []string{"one ", "", "t\xffwo "} {
		if err := c.Enqueue([]byte(text), 0); err != nil {
			t.Errorf("Enqueue(%q) = %v", text, err)
		}
	}
	if err := c.Enqueue([]byte("end"), EOR); err != nil {
		t.Errorf("Enqueue with EOR = %v", err)
	}
	got := make([]byte, len("one t\xff\xffwo end\xff\xef"))
	if _, err := io.ReadFull(server, got); err != nil || string(got) != "one t\xff\xffwo end\xff\xef" {
		t.Errorf("%q is sent, %v", got, err)
	}
	if err := c.Enqueue(make([]byte, maxPending+1), 0); !errors.Is(err, access.ErrTooLong) {
		t.Errorf("Enqueue of too much = %v, want %v", err, access.ErrTooLong)
	}
}

// The result does not depend on how the input is split. Answers are never longer
// than the input.
func FuzzRead(f *testing.F) {
	for _, test := range exchanges {
		f.Add([]byte(wireBytes(test.received)))
	}
	f.Fuzz(func(t *testing.T, received []byte) {
		whole := &wire{Reader: bytes.NewReader(received)}
		pieces := &wire{Reader: iotest.OneByteReader(bytes.NewReader(received))}
		a, errA := readAll(New(whole, Config{Agree: willing}))
		b, errB := readAll(New(pieces, Config{Agree: willing}))
		if a != b || errA.Error() != errB.Error() || whole.sent.String() != pieces.sent.String() {
			t.Errorf("in one read %q, %v, %q; byte by byte %q, %v, %q", a, errA, whole.sent.String(), b, errB, pieces.sent.String())
		}
		if whole.sent.Len() > len(received) {
			t.Errorf("%d bytes are answered with %d", len(received), whole.sent.Len())
		}
	})
}
