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

// What comes after IAC, octet by octet, when it is no negotiation.
func TestCommands(t *testing.T) {
	for b := range 256 {
		want := "xy" // no command, or one that says nothing
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

// A stream that ends within a command ends too soon, and what came before is
// read and answered.
func TestCut(t *testing.T) {
	const text = "a«IAC IAC»b«IAC DO SGA IAC SB SGA 1 IAC IAC 2 IAC SE IAC GA»c«IAC 7»"
	steps := []struct {
		length     int // from here on
		whole      bool
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
	all := octets(text)
	if last := steps[len(steps)-1].length; len(all) != last {
		t.Fatalf("the text has %d octets, the table %d", len(all), last)
	}
	at := 0
	for length := range len(all) + 1 {
		if at+1 < len(steps) && steps[at+1].length == length {
			at++
		}
		want, wantErr := steps[at], io.ErrUnexpectedEOF
		if want.whole {
			wantErr = io.EOF
		}
		w := &wire{Reader: strings.NewReader(all[:length])}
		parameters := ""
		data, err := readAll(New(w, Config{Agree: willing, Parameters: func(_ Option, p []byte) { parameters += fmt.Sprint(p) }}))
		if data != want.data || !errors.Is(err, wantErr) {
			t.Errorf("%d octets are read as %q, %v, want %q, %v", length, data, err, want.data, wantErr)
		}
		wantSent, _, _ := strings.Cut(want.sent, "[")
		wantParameters := strings.TrimPrefix(want.sent, wantSent)
		if w.sent.String() != octets(wantSent) || parameters != wantParameters {
			t.Errorf("%d octets are answered with %q, parameters %q, want %q", length, w.sent.String(), parameters, want.sent)
		}
	}
}

// A pieces is a wire whose other side sends a piece, and the next one when it is
// read again, which is counted.
type pieces struct {
	bytes.Buffer // what is sent
	left         []string
	reads        int
}

func (w *pieces) Read(p []byte) (int, error) {
	if len(w.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, octets(w.left[0]))
	w.left, w.reads = w.left[1:], w.reads+1
	return n, nil
}

// Read returns with what has arrived, and does not wait for more.
func TestReadPieces(t *testing.T) {
	type result struct {
		reads   int // of the wire, until then
		data    string
		command Command
	}
	for _, tt := range []struct {
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
		{[]string{"«IAC WILL ECHO IAC WILL NAWS»", "c"}, []result{{1, "", 0}, {2, "c", 0}}}, // the last one is refused
		{[]string{"«IAC WILL ECHO»a", "c"}, []result{{1, "a", 0}, {2, "c", 0}}},
		{[]string{"«IAC WILL ECHO IAC WONT ECHO»", "c"}, []result{{1, "", 0}, {2, "c", 0}}},
		{[]string{"«IAC DO TM»", "c"}, []result{{2, "c", 0}}},
		{[]string{"«IAC DO 200»", "«IAC DONT 200»", "c"}, []result{{3, "c", 0}}},
	} {
		w := &pieces{left: slices.Clone(tt.pieces)}
		c := New(w, Config{Agree: willing})
		p := make([]byte, 7)
		for i, want := range tt.want {
			n, command, err := c.Read(p)
			if got := (result{w.reads, string(p[:n]), command}); got != want || err != nil {
				t.Errorf("%q: Read %d gives %+v, %v, want %+v", tt.pieces, i, got, err, want)
			}
		}
		if n, command, err := c.Read(p); n != 0 || command != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%q: the last Read gives %d, %d, %v, want io.EOF", tt.pieces, n, command, err)
		}
	}
}

// A Read of nothing takes nothing.
func TestReadNothing(t *testing.T) {
	w := &pieces{left: []string{"a"}}
	c := New(w, Config{})
	if n, command, err := c.Read(nil); n != 0 || command != 0 || err != nil || w.reads != 0 {
		t.Errorf("Read(nil) = %d, %d, %v after %d reads", n, command, err, w.reads)
	}
}

// A scribe writes down what is written, write by write, until it fails.
type scribe struct {
	io.Reader
	writes []int
	sent   bytes.Buffer
	fails  int // after so many writes; 0 never
}

var errGone = errors.New("the other side is gone")

func (s *scribe) Write(p []byte) (int, error) {
	s.writes = append(s.writes, len(p))
	if s.fails > 0 && len(s.writes) > s.fails {
		return 0, errGone
	}
	return s.sent.Write(p)
}

// What is long is sent in pieces; nothing is not sent.
func TestSendPieces(t *testing.T) {
	for _, tt := range []struct {
		length  int
		command Command
		want    []int
	}{
		{0, 0, nil},
		{0, EOR, []int{2}},
		{1, 0, []int{1}},
		{chunk - 1, EOR, []int{chunk + 1}},
		{chunk, 0, []int{chunk}},
		{chunk, EOR, []int{chunk + 2}},
		{chunk + 1, EOR, []int{chunk, 3}},
		{2 * chunk, 0, []int{chunk, chunk}},
		{2*chunk + 1, 0, []int{chunk, chunk, 1}},
	} {
		s := &scribe{}
		if err := New(s, Config{}).Send(make([]byte, tt.length), tt.command); err != nil || !slices.Equal(s.writes, tt.want) {
			t.Errorf("Send of %d octets and %d writes %v, %v, want %v", tt.length, tt.command, s.writes, err, tt.want)
		}
	}
}

// When the other side is gone nothing more is written, and who sends is told;
// who posts or reads is not.
func TestGone(t *testing.T) {
	s := &scribe{Reader: strings.NewReader(octets("a«IAC DO ECHO»b")), fails: 1}
	c := New(s, Config{})
	if err := c.Send(make([]byte, 4*chunk), 0); !errors.Is(err, errGone) {
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
	if err := c.Post([]byte("more"), 0); err != nil {
		t.Errorf("Post = %v, want none", err)
	}
	if data, err := readAll(c); data != "ab" || !errors.Is(err, io.EOF) {
		t.Errorf("then %q is read, %v, want what came before", data, err)
	}
	if want := []int{chunk, chunk}; !slices.Equal(s.writes, want) {
		t.Errorf("%v octets are written, want %v", s.writes, want)
	}
}

// maxAnswers is how much waits for the other side, and no octet more.
func TestAnswersLimit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		waits   int
		does    func(c *Conn) error
		wants   int // that wait then
		tooLong bool
	}{
		{"Want", maxAnswers - 3, func(c *Conn) error { return c.Want(Echo, Them, true) }, maxAnswers, false},
		{"Want", maxAnswers - 2, func(c *Conn) error { return c.Want(Echo, Them, true) }, maxAnswers - 2, true},
		{"Post", 0, func(c *Conn) error { return c.Post(make([]byte, maxAnswers), 0) }, maxAnswers, false},
		{"Post", 1, func(c *Conn) error { return c.Post(make([]byte, maxAnswers), 0) }, 1, true},
		{"Post of IAC", maxAnswers - 1, func(c *Conn) error { return c.Post([]byte{255}, 0) }, maxAnswers - 1, true},
		{"Post of EOR", maxAnswers - 2, func(c *Conn) error { return c.Post(nil, EOR) }, maxAnswers, false},
		{"Subnegotiate", maxAnswers - 6, func(c *Conn) error { return c.Subnegotiate(WindowSize, []byte{1}) }, maxAnswers, false},
		{"Subnegotiate", maxAnswers - 5, func(c *Conn) error { return c.Subnegotiate(WindowSize, []byte{1}) }, maxAnswers - 5, true},
		{"a timing mark", maxAnswers - 3, func(c *Conn) error { return c.negotiate(DO, TimingMark) }, maxAnswers, false},
		{"a timing mark", maxAnswers - 2, func(c *Conn) error { return c.negotiate(DO, TimingMark) }, maxAnswers - 2, true},
		{"an answer", maxAnswers - 2, func(c *Conn) error { return c.negotiate(WILL, Echo) }, maxAnswers - 2, true},
	} {
		changed := false
		c := New(&scribe{}, Config{Agree: willing, Changed: func(Option, Side, bool) { changed = true }})
		c.writing.Lock() // somebody is sending
		c.pending = make([]byte, tt.waits)
		err := tt.does(c)
		if errors.Is(err, access.ErrTooLong) != tt.tooLong || err != nil != tt.tooLong || len(c.pending) != tt.wants {
			t.Errorf("%s while %d octets wait: %v, %d wait then; want too long %v, %d", tt.name, tt.waits, err, len(c.pending), tt.tooLong, tt.wants)
		}
		if changed {
			t.Errorf("%s while %d octets wait: an option has changed", tt.name, tt.waits)
		}
	}
}

// A slow wire takes what it is sent when it is let.
type slow struct {
	io.Reader
	begun chan string
	let   chan struct{}
}

func (s slow) Write(p []byte) (int, error) {
	s.begun <- string(p)
	<-s.let
	return len(p), nil
}

// What is posted while something is being sent is sent after it, at once; so is
// an answer, though nothing more is read.
func TestSentInTurn(t *testing.T) {
	s := slow{strings.NewReader(octets("a«IAC WILL ECHO»")), make(chan string), make(chan struct{})}
	c := New(s, Config{Agree: willing})
	n, command, err := c.Read(make([]byte, 7))
	if n != 1 || command != 0 || err != nil {
		t.Fatalf("Read = %d, %d, %v", n, command, err)
	}
	if got := <-s.begun; got != octets("«IAC DO ECHO»") {
		t.Errorf("%q is sent first", got)
	}
	for _, text := range []string{"b", "c"} {
		if err := c.Post([]byte(text), 0); err != nil {
			t.Errorf("Post(%q) = %v", text, err)
		}
	}
	s.let <- struct{}{}
	if got := <-s.begun; got != "bc" {
		t.Errorf("%q is sent then, want what waited", got)
	}
	s.let <- struct{}{}
}

// A late wire is one whose other side ends, and takes what it is sent after that.
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
	for range 1000 { // whoever would not wait is done before
		runtime.Gosched()
	}
	return l.sent.Write(p)
}

// Who has sent all can still take answers, which are sent before Read says so.
func TestAnswersAfterTheEnd(t *testing.T) {
	l := &late{Reader: strings.NewReader(octets("«IAC DO TM IAC DO ECHO»")), ended: make(chan struct{})}
	_, _, err := New(l, Config{}).Read(make([]byte, 7))
	if want := octets("«IAC WILL TM IAC WONT ECHO»"); !errors.Is(err, io.EOF) || l.sent.String() != want {
		t.Errorf("Read = %v, with %q sent, want io.EOF, %q", err, l.sent.String(), want)
	}
}

// A wire that panics and cannot be closed is told of, too, and nobody waits for it.
func TestPanicWithoutClose(t *testing.T) {
	c := New(mute{strings.NewReader("")}, Config{})
	if err := c.Post([]byte("a"), 0); err != nil {
		t.Errorf("Post = %v", err)
	}
	_ = c.flush() // when it has panicked
	p, ok := errors.AsType[*Panic](c.Send([]byte("b"), 0))
	if !ok || p.Value != "mute" {
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

type mute struct{ io.Reader }

func (mute) Write([]byte) (int, error) { panic("mute") }

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
