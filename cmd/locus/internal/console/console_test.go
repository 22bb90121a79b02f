package console

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/terminal"
	"locus/url"
)

// A fake is a session. Its output is the texts of out, and it records the typed text. It ends when
// out is closed, or with Close.
type fake struct {
	out    chan string
	closed chan struct{}
	once   sync.Once

	mu     sync.Mutex
	typed  bytes.Buffer
	echoes bool
	screen terminal.Screen
	broken error // the error of Write
}

func newFake() *fake { return &fake{out: make(chan string, 16), closed: make(chan struct{})} }

func (f *fake) Read(b []byte) (int, error) {
	select {
	case text, ok := <-f.out:
		if !ok {
			return 0, io.EOF
		}
		return copy(b, text), nil
	case <-f.closed:
		return 0, errors.New("the session is closed")
	}
}

func (f *fake) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return 0, f.broken
	}
	return f.typed.Write(b)
}

func (f *fake) sent() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.typed.String()
}

func (f *fake) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

func (f *fake) Resize(int, int) error { return nil }

func (f *fake) Echoes() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.echoes }

func (f *fake) Screen() terminal.Screen { return f.screen }

// A testConsole is a Console with files, and a pipe to type into.
type testConsole struct {
	*Console
	typing *os.File
}

func newConsole(t *testing.T) *testConsole {
	t.Helper()
	in, typing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files [2]*os.File
	for i, name := range []string{"out", "err"} {
		if files[i], err = os.Create(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, f := range []*os.File{in, typing, files[0], files[1]} {
			f.Close()
		}
	})
	c := &Console{Stdin: in, Stdout: files[0], Stderr: files[1], Out: bufio.NewWriter(files[0]), Escape: ']' & 0x1F, Name: "opener"}
	return &testConsole{c, typing}
}

// run runs a session, and fails the test if the session does not end within a minute.
func (c *testConsole) run(t *testing.T, s terminal.Session, body io.ReadCloser) error {
	t.Helper()
	return c.runIn(t, t.Context(), s, body)
}

func (c *testConsole) runIn(t *testing.T, ctx context.Context, s terminal.Session, body io.ReadCloser) error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		done <- c.Run(ctx, &access.Resource{Entry: access.Entry{URL: url.MustParse("telnet://u:secret@h/")}, Body: body, Session: s})
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("Run did not return within a minute")
		return nil
	}
}

func (c *testConsole) written(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(c.Stdout.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Run writes the output unchanged. If the server ends the session, Run returns nil.
func TestRun(t *testing.T) {
	c, s := newConsole(t), newFake()
	s.out <- "login: \x1b[1m"
	s.out <- "\xe9\x00bye"
	close(s.out)
	if err := c.run(t, s, s); err != nil {
		t.Error(err)
	}
	if got, want := c.written(t), "login: \x1b[1m\xe9\x00bye"; got != want {
		t.Errorf("Run writes %q, want %q", got, want)
	}
	select {
	case <-s.closed:
	default:
		t.Error("Run did not close the session")
	}
}

// Run sends the typed text, with CR for the end of a line. The escape key and q end the session,
// and the text after them is not sent.
func TestRunTyped(t *testing.T) {
	c, s := newConsole(t), newFake()
	if _, err := c.typing.WriteString("ada\nx\x1d\x1dy\x1dq"); err != nil {
		t.Fatal(err)
	}
	if err := c.run(t, s, s); err != nil {
		t.Errorf("Run of a session that the user ends = %v, want nil", err)
	}
	if got, want := s.sent(), "ada\rx\x1dy"; got != want {
		t.Errorf("Run sends %q, want %q", got, want)
	}
}

// After the end of a pipe on stdin the session ends when the server is silent.
func TestRunPipeEnds(t *testing.T) {
	c, s := newConsole(t), newFake()
	if _, err := c.typing.WriteString("ls\n"); err != nil {
		t.Fatal(err)
	}
	c.typing.Close()
	s.out <- "a file"
	start := time.Now()
	if err := c.run(t, s, s); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took < maxSilence {
		t.Errorf("after the end of stdin Run returns after %v, want %v", took, maxSilence)
	}
	if s.sent() != "ls\r" || c.written(t) != "a file" {
		t.Errorf("Run sends %q and writes %q, want the line and the output", s.sent(), c.written(t))
	}
}

// A session that breaks is an error, and so is output that cannot be written. A resource that is
// not a session is refused, without showing the password in its URL.
func TestRunFails(t *testing.T) {
	c, s := newConsole(t), newFake()
	s.Close()
	if err := c.run(t, s, s); err == nil || err.Error() != "the session is closed" {
		t.Errorf("Run of a session that breaks = %v", err)
	}
	c, s = newConsole(t), newFake()
	s.out <- "x"
	c.Stdout.Close()
	if err := c.run(t, s, s); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Run with output that cannot be written = %v", err)
	}
	c, s = newConsole(t), newFake()
	if err := c.run(t, nil, s); err == nil || !strings.Contains(err.Error(), "not a session") || strings.Contains(err.Error(), "secret") {
		t.Errorf("Run of a resource that is not a session = %v", err)
	}
}

// When the context ends, Restored is called.
func TestRunAbandoned(t *testing.T) {
	c, s := newConsole(t), newFake()
	ctx, cancel := context.WithCancel(t.Context())
	c.Restored = func() { close(s.out) }
	cancel()
	if err := c.runIn(t, ctx, s, s); err != nil {
		t.Error(err)
	}
	select {
	case _, ok := <-s.out:
		if ok {
			t.Error("Run has written output before it calls Restored")
		}
	default:
		t.Error("Run did not call Restored after the end of its context")
	}
}

// The help after the escape key goes to Stderr, or to the screen that the session draws.
func TestHelp(t *testing.T) {
	want := []string{"opener: log in as ada", "opener: q ends the session, z suspends it, ^] is sent"}
	c, s := newConsole(t), newFake()
	c.Advice = "log in as ada"
	c.typing.WriteString("\x1d?\x1d.")
	if err := c.run(t, s, s); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(c.Stderr.Name())
	if err != nil || string(text) != "\r\n"+strings.Join(want, "\r\n")+"\r\n" {
		t.Errorf("runCommand('?') writes %q, %v", text, err)
	}
	p := &painter{fake: newFake()}
	drawn := &Console{Name: "opener", Advice: "log in as ada", Escape: 0x1d, screen: &drawing{drawer: p, body: p}}
	drawn.runCommand('?')
	if strings.Join(p.notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("runCommand('?') shows %q on the screen", p.notes)
	}
	(&Console{Escape: NoKey, screen: s}).runCommand('?') // without Stderr the help is dropped
}

func TestKeys(t *testing.T) {
	for _, test := range []struct {
		escape        int
		lines         bool
		typed         []string // the text of each read
		want, command string
	}{
		{0x1d, false, []string{"a\n", "\r"}, "a\n\r", ""},
		{0x1d, true, []string{"a\n", "b\r\n"}, "a\rb\r\r", ""},
		{0x1d, false, []string{"\x1d", "z", "z"}, "z", "z"},
		{0x1d, false, []string{"\x1d\x1d\x1dq"}, "\x1d", "q"},
		{0x1d, true, []string{"\x1d\n", "q"}, "", "q"}, // the escape key is alone on its line
		{'~', true, []string{"~.~~"}, "~", "."},
		{NoKey, false, []string{"\x1dq\xff"}, "\x1dq\xff", ""},
	} {
		commands := ""
		k := keys{escape: test.escape, lines: test.lines}
		sent := ""
		for _, typed := range test.typed {
			for rest := []byte(typed); len(rest) > 0; {
				var text []byte
				var command int
				text, command, rest = k.split(rest)
				sent += string(text)
				if command != NoKey {
					commands += string(rune(command))
				}
			}
		}
		if sent != test.want || commands != test.command {
			t.Errorf("typing %q with the escape key %d sends %q and runs %q, want %q and %q", test.typed, test.escape, sent, commands, test.want, test.command)
		}
	}
}

func TestParseKey(t *testing.T) {
	for text, want := range map[string]int{"^]": 0x1d, "~": '~', "none": NoKey, "^?": 0x7f, "^@": 0, "^c": 3, "^": '^'} {
		key, err := ParseKey(text)
		if err != nil || key != want {
			t.Errorf("ParseKey(%q) = %d, %v, want %d", text, key, err, want)
		}
		if again, err := ParseKey(KeyName(key)); err != nil || again != key {
			t.Errorf("KeyName(%d) = %q, which is %d, %v", key, KeyName(key), again, err)
		}
	}
	for _, text := range []string{"", "^^^", "ab", "^ ", "^1", "é"} {
		if key, err := ParseKey(text); err == nil {
			t.Errorf("ParseKey(%q) = %d", text, key)
		}
	}
}
