package nvt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
)

// Every byte after IAC that is no negotiation.
func TestCommands(t *testing.T) {
	for b := range 256 {
		want := "xy" // no command, or NOP or SE
		switch command := Command(b); command {
		case SB, WILL, WONT, DO, DONT:
			continue
		case IAC:
			want = "x\xffy"
		case EOR, DM, BRK, IP, AO, AYT, EC, EL, GA:
			want = fmt.Sprintf("x«%d»y", b)
		}
		w := &wire{Reader: strings.NewReader("x\xff" + string([]byte{byte(b)}) + "y")}
		if got, err := readAll(New(w, Config{})); got != want || !errors.Is(err, io.EOF) || w.sent.Len() != 0 {
			t.Errorf("IAC %d is read as %q, %v, and answered with %q; want %q", b, got, err, w.sent.String(), want)
		}
	}
}

// A stream that ends within a command is an error. What came before is read and
// answered.
func TestCut(t *testing.T) {
	const text = "a«IAC IAC»b«IAC DO SGA IAC SB SGA 1 IAC IAC 2 IAC SE IAC GA»c«IAC 7»"
	steps := []struct {
		length     int  // the expectation for this length and above
		isWhole    bool // the stream does not end within a command
		data, sent string
	}{
		{0, true, "", ""},
		{1, true, "a", ""},
		{2, false, "a", ""},
		{3, true, "a\xff", ""},
		{4, true, "a\xffb", ""},
		{5, false, "a\xffb", ""},
		{7, true, "a\xffb", "«IAC WILL SGA»"},
		{8, false, "a\xffb", "«IAC WILL SGA»"},
		{16, true, "a\xffb", "«IAC WILL SGA»[1 255 2]"},
		{17, false, "a\xffb", "«IAC WILL SGA»[1 255 2]"},
		{18, true, "a\xffb«249»", "«IAC WILL SGA»[1 255 2]"},
		{19, true, "a\xffb«249»c", "«IAC WILL SGA»[1 255 2]"},
		{20, false, "a\xffb«249»c", "«IAC WILL SGA»[1 255 2]"},
		{21, true, "a\xffb«249»c", "«IAC WILL SGA»[1 255 2]"},
	}
	all := wireBytes(text)
	if last := steps[len(steps)-1].length; len(all) != last {
		t.Fatalf("the text has %d bytes, the table %d", len(all), last)
	}
	at := 0
	for length := range len(all) + 1 {
		if at+1 < len(steps) && steps[at+1].length == length {
			at++
		}
		want, wantErr := steps[at], io.ErrUnexpectedEOF
		if want.isWhole {
			wantErr = io.EOF
		}
		w := &wire{Reader: strings.NewReader(all[:length])}
		parameters := ""
		data, err := readAll(New(w, Config{Agree: willing, Parameters: func(_ Option, p []byte) { parameters += fmt.Sprint(p) }}))
		if data != want.data || !errors.Is(err, wantErr) {
			t.Errorf("%d bytes are read as %q, %v, want %q, %v", length, data, err, want.data, wantErr)
		}
		wantSent, _, _ := strings.Cut(want.sent, "[")
		wantParameters := strings.TrimPrefix(want.sent, wantSent)
		if w.sent.String() != wireBytes(wantSent) || parameters != wantParameters {
			t.Errorf("%d bytes are answered with %q, parameters %q, want %q", length, w.sent.String(), parameters, want.sent)
		}
	}
}

// pieces is a connection where each Read returns the next piece. It counts reads.
type pieces struct {
	bytes.Buffer // what is sent
	remaining    []string
	reads        int
}

func (w *pieces) Read(p []byte) (int, error) {
	if len(w.remaining) == 0 {
		return 0, io.EOF
	}
	n := copy(p, wireBytes(w.remaining[0]))
	w.remaining, w.reads = w.remaining[1:], w.reads+1
	return n, nil
}

// Read returns what has arrived and does not wait for more.
func TestReadPieces(t *testing.T) {
	type result struct {
		reads   int // of the connection, until then
		data    string
		command Command
	}
	for _, test := range []struct {
		pieces []string
		want   []result
	}{
		{[]string{"ab", "c"}, []result{{1, "ab", 0}, {2, "c", 0}}},
		{[]string{"a«IAC IAC»", "c"}, []result{{1, "a\xff", 0}, {2, "c", 0}}},
		{[]string{"a«IAC NOP»", "c"}, []result{{1, "a", 0}, {2, "c", 0}}},
		{[]string{"a«IAC GA»b", "c"}, []result{{1, "a", GA}, {1, "b", 0}, {2, "c", 0}}},
		{[]string{"«IAC GA IAC EOR»", "c"}, []result{{1, "", GA}, {1, "", EOR}, {2, "c", 0}}},
		{[]string{"abcdefghij", "k"}, []result{{1, "abcdefg", 0}, {1, "hij", 0}, {2, "k", 0}}},
		{[]string{"abcdefg«IAC GA»", "k"}, []result{{1, "abcdefg", 0}, {1, "", GA}, {2, "k", 0}}},
		{[]string{"«IAC NOP»", "«IAC 7»", "c"}, []result{{3, "c", 0}}},
		{[]string{"«IAC»", "«WILL»", "«ECHO»", "c"}, []result{{3, "", 0}, {4, "c", 0}}},
		{[]string{"«IAC WILL ECHO IAC WILL NAWS»", "c"}, []result{{1, "", 0}, {2, "c", 0}}}, // NAWS is refused
		{[]string{"«IAC WILL ECHO»a", "c"}, []result{{1, "a", 0}, {2, "c", 0}}},
		{[]string{"«IAC WILL ECHO IAC WONT ECHO»", "c"}, []result{{1, "", 0}, {2, "c", 0}}},
		{[]string{"«IAC DO NAWS IAC SB NAWS 1 IAC SE»", "«IAC SB NAWS 2 IAC SE»", "c"}, []result{{1, "", 0}, {2, "", 0}, {3, "c", 0}}},
		{[]string{"«IAC SB NAWS 1 IAC SE»", "c"}, []result{{2, "c", 0}}}, // not active
		{[]string{"«IAC DO TM»", "c"}, []result{{2, "c", 0}}},
		{[]string{"«IAC DO 200»", "«IAC DONT 200»", "c"}, []result{{3, "c", 0}}},
	} {
		w := &pieces{remaining: slices.Clone(test.pieces)}
		c := New(w, Config{Agree: willing, Parameters: func(Option, []byte) {}})
		p := make([]byte, 7)
		for i, want := range test.want {
			n, command, err := c.Read(p)
			if got := (result{w.reads, string(p[:n]), command}); got != want || err != nil {
				t.Errorf("%q: Read %d gives %+v, %v, want %+v", test.pieces, i, got, err, want)
			}
		}
		if n, command, err := c.Read(p); n != 0 || command != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%q: the last Read gives %d, %d, %v, want io.EOF", test.pieces, n, command, err)
		}
	}
}

// Read with an empty buffer reads nothing.
func TestReadNothing(t *testing.T) {
	w := &pieces{remaining: []string{"a"}}
	c := New(w, Config{})
	if n, command, err := c.Read(nil); n != 0 || command != 0 || err != nil || w.reads != 0 {
		t.Errorf("Read(nil) = %d, %d, %v after %d reads", n, command, err, w.reads)
	}
}

// A recorder records each write, and may fail.
type recorder struct {
	io.Reader
	writes    []int
	sent      bytes.Buffer
	maxWrites int // further writes fail; 0: no limit
}

var errGone = errors.New("the other side is gone")

func (s *recorder) Write(p []byte) (int, error) {
	s.writes = append(s.writes, len(p))
	if s.maxWrites > 0 && len(s.writes) > s.maxWrites {
		return 0, errGone
	}
	return s.sent.Write(p)
}

// Long data is sent in chunks. Empty data is not sent.
func TestSendPieces(t *testing.T) {
	for _, test := range []struct {
		length  int
		command Command
		want    []int
	}{
		{0, 0, nil},
		{0, EOR, []int{2}},
		{1, 0, []int{1}},
		{chunkSize - 1, EOR, []int{chunkSize + 1}},
		{chunkSize, 0, []int{chunkSize}},
		{chunkSize, EOR, []int{chunkSize + 2}},
		{chunkSize + 1, EOR, []int{chunkSize, 3}},
		{2 * chunkSize, 0, []int{chunkSize, chunkSize}},
		{2*chunkSize + 1, 0, []int{chunkSize, chunkSize, 1}},
	} {
		s := &recorder{}
		if err := New(s, Config{}).Send(make([]byte, test.length), test.command); err != nil || !slices.Equal(s.writes, test.want) {
			t.Errorf("Send of %d bytes and %d writes %v, %v, want %v", test.length, test.command, s.writes, err, test.want)
		}
	}
}

// After a write error nothing more is written. Send returns the error. Enqueue and
// Read do not.
func TestGone(t *testing.T) {
	s := &recorder{Reader: strings.NewReader(wireBytes("a«IAC DO ECHO»b")), maxWrites: 1}
	c := New(s, Config{})
	if err := c.Send(make([]byte, 4*chunkSize), 0); !errors.Is(err, errGone) {
		t.Errorf("Send = %v, want %v", err, errGone)
	}
	if err := c.Send([]byte("more"), EOR); !errors.Is(err, errGone) {
		t.Errorf("Send again = %v, want %v", err, errGone)
	}
	if err := c.Want(Echo, Them, true); !errors.Is(err, errGone) {
		t.Errorf("Want = %v, want %v", err, errGone)
	}
	if err := c.Subnegotiate(WindowSize, nil); !errors.Is(err, errGone) {
		t.Errorf("Subnegotiate = %v, want %v", err, errGone)
	}
	if err := c.Enqueue([]byte("more"), 0); err != nil {
		t.Errorf("Enqueue = %v, want none", err)
	}
	if data, err := readAll(c); data != "ab" || !errors.Is(err, io.EOF) {
		t.Errorf("then Read gives %q, %v, want the data that had arrived", data, err)
	}
	if want := []int{chunkSize, chunkSize}; !slices.Equal(s.writes, want) {
		t.Errorf("the writes are %v, want %v", s.writes, want)
	}
}

// At most maxPending bytes are pending.
func TestPendingLimit(t *testing.T) {
	for _, test := range []struct {
		name      string
		pending   int // before
		call      func(c *Conn) error
		want      int // pending after the call
		isTooLong bool
	}{
		{"Want", maxPending - 3, func(c *Conn) error { return c.Want(Echo, Them, true) }, maxPending, false},
		{"Want", maxPending - 2, func(c *Conn) error { return c.Want(Echo, Them, true) }, maxPending - 2, true},
		{"Enqueue", 0, func(c *Conn) error { return c.Enqueue(make([]byte, maxPending), 0) }, maxPending, false},
		{"Enqueue", 1, func(c *Conn) error { return c.Enqueue(make([]byte, maxPending), 0) }, 1, true},
		{"Enqueue of IAC", maxPending - 1, func(c *Conn) error { return c.Enqueue([]byte{255}, 0) }, maxPending - 1, true},
		{"Enqueue of EOR", maxPending - 2, func(c *Conn) error { return c.Enqueue(nil, EOR) }, maxPending, false},
		{"Subnegotiate", maxPending - 6, func(c *Conn) error { return c.Subnegotiate(WindowSize, []byte{1}) }, maxPending, false},
		{"Subnegotiate", maxPending - 5, func(c *Conn) error { return c.Subnegotiate(WindowSize, []byte{1}) }, maxPending - 5, true},
		{"a timing mark", maxPending - 3, func(c *Conn) error { return c.negotiate(DO, TimingMark) }, maxPending, false},
		{"a timing mark", maxPending - 2, func(c *Conn) error { return c.negotiate(DO, TimingMark) }, maxPending - 2, true},
		{"an answer", maxPending - 2, func(c *Conn) error { return c.negotiate(WILL, Echo) }, maxPending - 2, true},
	} {
		changed := false
		c := New(&recorder{}, Config{Agree: willing, Changed: func(Option, Side, bool) { changed = true }})
		c.writeMu.Lock() // as while another goroutine writes
		c.pending = make([]byte, test.pending)
		err := test.call(c)
		if errors.Is(err, access.ErrTooLong) != test.isTooLong || err != nil != test.isTooLong || len(c.pending) != test.want {
			t.Errorf("%s with %d bytes pending: %v, %d pending after it; want too long %v, %d", test.name, test.pending, err, len(c.pending), test.isTooLong, test.want)
		}
		if changed {
			t.Errorf("%s with %d bytes pending: an option has changed", test.name, test.pending)
		}
	}
}

// A slow connection blocks each write until the test lets it continue.
type slow struct {
	io.Reader
	begun  chan string
	resume chan struct{}
}

func (s slow) Write(p []byte) (int, error) {
	s.begun <- string(p)
	<-s.resume
	return len(p), nil
}

// What is enqueued during a write is written right after it. An answer is written
// even if Read is not called again.
func TestSentInTurn(t *testing.T) {
	s := slow{strings.NewReader(wireBytes("a«IAC WILL ECHO»")), make(chan string), make(chan struct{})}
	c := New(s, Config{Agree: willing})
	n, command, err := c.Read(make([]byte, 7))
	if n != 1 || command != 0 || err != nil {
		t.Fatalf("Read = %d, %d, %v", n, command, err)
	}
	if got := <-s.begun; got != wireBytes("«IAC DO ECHO»") {
		t.Errorf("%q is written first", got)
	}
	for _, text := range []string{"b", "c"} {
		if err := c.Enqueue([]byte(text), 0); err != nil {
			t.Errorf("Enqueue(%q) = %v", text, err)
		}
	}
	s.resume <- struct{}{}
	if got := <-s.begun; got != "bc" {
		t.Errorf("%q is written then, want everything pending", got)
	}
	s.resume <- struct{}{}
}

// A late connection blocks writes until the peer has ended its data.
type late struct {
	io.Reader
	ended chan struct{}
	sent  bytes.Buffer
}

func (l *late) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		close(l.ended)
	}
	return n, err
}

func (l *late) Write(p []byte) (int, error) {
	<-l.ended
	for range 1000 { // gives a Read that does not wait time to return
		runtime.Gosched()
	}
	return l.sent.Write(p)
}

// At the end of the peer's data, answers are sent before Read returns io.EOF.
func TestAnswersAfterTheEnd(t *testing.T) {
	l := &late{Reader: strings.NewReader(wireBytes("«IAC DO TM IAC DO ECHO»")), ended: make(chan struct{})}
	_, _, err := New(l, Config{}).Read(make([]byte, 7))
	if want := wireBytes("«IAC WILL TM IAC WONT ECHO»"); !errors.Is(err, io.EOF) || l.sent.String() != want {
		t.Errorf("Read = %v, with %q sent, want io.EOF, %q", err, l.sent.String(), want)
	}
}

// A write panics and the connection cannot be closed: Send and Read do not hang.
func TestPanicWithoutClose(t *testing.T) {
	c := New(panicking{strings.NewReader("")}, Config{})
	if err := c.Enqueue([]byte("a"), 0); err != nil {
		t.Errorf("Enqueue = %v", err)
	}
	_ = c.flush() // waits for the panic
	p, ok := errors.AsType[*Panic](c.Send([]byte("b"), 0))
	if !ok || p.Value != "panicking" {
		t.Errorf("Send = %v, want the panic", p)
	}
	defer func() {
		if got := recover(); got != p {
			t.Errorf("Read panics with %v, want %v", got, p)
		}
	}()
	_, _, err := c.Read(make([]byte, 1))
	t.Errorf("Read = %v, want a panic", err)
}

type panicking struct{ io.Reader }

func (panicking) Write([]byte) (int, error) { panic("panicking") }

func TestRecovered(t *testing.T) {
	if p := Recovered(nil); p != nil {
		t.Errorf("Recovered(nil) = %v", p)
	}
	p := Recovered("why")
	if p == nil || p.Value != "why" || !bytes.Contains(p.Stack, []byte("TestRecovered")) || p.Error() != "why\n\n"+string(p.Stack) {
		t.Errorf("Recovered(why) = %v", p)
	}
	if again := Recovered(p); again != p {
		t.Errorf("Recovered of a Panic = %v, want the same one", again)
	}
}
