package console

import (
	"bufio"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"locus/internal/ptytest"
)

// onTerminal returns a Console on a terminal, and the other side of the terminal.
func onTerminal(t *testing.T) (*testConsole, *os.File) {
	t.Helper()
	master, tty := ptytest.Open(t)
	return &testConsole{&Console{Stdin: tty, Stdout: tty, Out: bufio.NewWriter(tty), Escape: 0x1d}, master}, tty
}

// waitFor reads from a terminal until it shows text.
func waitFor(t *testing.T, master *os.File, text string) (shown string) {
	t.Helper()
	if err := master.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 1024); !strings.Contains(shown, text); {
		n, err := master.Read(b)
		shown += string(b[:n])
		if err != nil {
			t.Fatalf("the terminal shows %q, want %q: %v", shown, text, err)
		}
	}
	return shown
}

// The terminal sends every key at once while the server echoes. After the session the terminal has
// its old mode, and the modes that programs of the server set are reset.
func TestRunOnTerminal(t *testing.T) {
	c, tty := onTerminal(t)
	before := ptytest.State(t, tty)
	s := newFake()
	s.echoes = true
	s.out <- "\x1b[1;5r\x1b[?25lready"
	done := make(chan error, 1)
	go func() { done <- c.run(t, s, s) }()
	shown := waitFor(t, c.typing, "ready")
	if now := ptytest.State(t, tty); now == before {
		t.Error("the terminal sends whole lines while the server echoes")
	}
	c.typing.WriteString("k\x04\x1dq")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := s.sent(); got != "k\x04" {
		t.Errorf("Run sends %q", got)
	}
	if after := ptytest.State(t, tty); after != before {
		t.Errorf("the terminal had the mode %v, and after Run it has %v", before, after)
	}
	if !strings.Contains(shown, "\x1b[?25h") {
		waitFor(t, c.typing, "\x1b[?25h")
	}
}

// The terminal is restored even if the session breaks.
func TestRunOnTerminalBreaks(t *testing.T) {
	c, tty := onTerminal(t)
	before := ptytest.State(t, tty)
	s := newFake()
	s.echoes = true
	s.out <- ""
	s.Close()
	if err := c.run(t, s, s); err == nil {
		t.Error("Run of a session that breaks = nil, want an error")
	}
	if after := ptytest.State(t, tty); after != before {
		t.Errorf("the terminal had the mode %v, and after Run it has %v", before, after)
	}
}

// If a terminal is still empty after some seconds, a message says that the server has sent no text.
func TestRunSilent(t *testing.T) {
	const note = "the server has sent no text yet"
	start := func(s *fake) (*testConsole, chan error) {
		c, tty := onTerminal(t)
		c.Stderr = tty
		s.echoes = true
		done := make(chan error, 1)
		go func() { done <- c.run(t, s, s) }()
		return c, done
	}
	ready := newFake()
	ready.screen.Lines = []string{"ready"}
	ready.out <- "ready"
	first, firstDone := start(ready)
	silent, silentDone := start(newFake())
	waitFor(t, silent.typing, note)
	for name, c := range map[string]*testConsole{"first": first, "silent": silent} {
		c.typing.WriteString("\x1d?\x1dq")
		if shown := waitFor(t, c.typing, "z suspends it"); strings.Contains(shown, note) {
			t.Errorf("the terminal of the %s session shows %q, although the server has sent text", name, shown)
		}
	}
	for name, done := range map[string]chan error{"first": firstDone, "silent": silentDone} {
		if err := <-done; err != nil {
			t.Errorf("Run of the %s session: %v", name, err)
		}
	}
}

// An upper is a Decoder and an encoder. It converts text to upper case.
type upper struct {
	io.WriteCloser
	isUTF8 bool
}

func (u upper) IsUTF8() bool { return u.isUTF8 }

func (u upper) Write(b []byte) (int, error) {
	return u.WriteCloser.Write([]byte(strings.ToUpper(string(b))))
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// On a terminal the output is converted. The typed text is converted, too, unless the server writes
// UTF-8.
func TestRunConverts(t *testing.T) {
	for _, isUTF8 := range []bool{false, true} {
		c, _ := onTerminal(t)
		c.Decode = func(w io.WriteCloser) Decoder { return upper{w, isUTF8} }
		c.Encode = func(w io.Writer) io.Writer { return upper{nopCloser{w}, false} }
		s := newFake()
		s.echoes = true
		s.out <- "ready"
		done := make(chan error, 1)
		go func() { done <- c.run(t, s, s) }()
		waitFor(t, c.typing, "READY")
		c.typing.WriteString("typed\x1dq")
		if err := <-done; err != nil {
			t.Errorf("Run with UTF-8 %v: %v", isUTF8, err)
		}
		want := "TYPED"
		if isUTF8 {
			want = "typed"
		}
		if got := s.sent(); got != want {
			t.Errorf("with IsUTF8 %v, Run sends %q, want %q", isUTF8, got, want)
		}
	}
}
