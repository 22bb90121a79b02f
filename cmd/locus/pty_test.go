//go:build linux

package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"locus/internal/peers"
	"locus/internal/ptytest"
)

// A ptyTerminal is a terminal on which a test reads and types. The command runs in a session of its
// own on it, as under a terminal emulator.
type ptyTerminal struct {
	t      *testing.T
	master *os.File
	tty    *os.File // kept open, so that the test can read its state
	shown  chan string
	seen   string // the text that was shown after the last waitFor
}

func newTerminal(t *testing.T, columns, rows int) *ptyTerminal {
	t.Helper()
	master, tty := ptytest.Open(t)
	p := &ptyTerminal{t: t, master: master, tty: tty, shown: make(chan string, 1000)}
	p.resize(columns, rows)
	go func() {
		defer close(p.shown)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			if err != nil {
				return
			}
			p.shown <- string(b[:n])
		}
	}()
	return p
}

func (p *ptyTerminal) resize(columns, rows int) {
	p.t.Helper()
	size := &unix.Winsize{Col: uint16(columns), Row: uint16(rows)}
	if err := unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		p.t.Fatal(err)
	}
}

// state returns the modes of the terminal, as stty reads them.
func (p *ptyTerminal) state() unix.Termios {
	p.t.Helper()
	return ptytest.State(p.t, p.tty)
}

func (p *ptyTerminal) types(text string) {
	p.t.Helper()
	if _, err := p.master.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// waitFor waits until the terminal shows text. It returns everything that the terminal has shown up
// to the end of text.
func (p *ptyTerminal) waitFor(text string) string {
	p.t.Helper()
	patience := time.After(time.Minute)
	for {
		if before, after, ok := strings.Cut(p.seen, text); ok {
			p.seen = after
			return before
		}
		select {
		case more, ok := <-p.shown:
			if !ok {
				p.t.Fatalf("the terminal was closed while waiting for %q; it showed %q", text, p.seen)
			}
			p.seen += more
		case <-patience:
			p.t.Fatalf("waiting for %q, the terminal showed %q", text, p.seen)
		}
	}
}

// locus runs the command at the terminal.
func (p *ptyTerminal) locus(args ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "locus" // testscript.Main runs the command under this name
	cmd.Env = append(os.Environ(), "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.tty, p.tty, p.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// host is the program of telnetd: it asks for a name and a password, and then runs a shell without
// a greeting.
const host = `printf 'login: '; read user
stty -echo; printf 'password: '; read password; stty echo
echo; echo "welcome $user, $password"
PS1='rea''dy '; export PS1; cd /; exec sh -i`

// fullScreen is a full-screen program. It shows the size of the screen on the alternate screen,
// again after each change of the size, until q is pressed.
const fullScreen = `stty -icanon -echo min 0 time 1; printf '\033[?1049h'
while [ "$(dd bs=1 count=1 2>/dev/null)" != q ]; do
	now=$(stty size)
	[ "$now" = "$shown" ] || printf '\033[H\033[2J\033[7msize %s\033[0m' "$now"
	shown=$now
done
printf '\033[?1049l'; stty icanon echo`

// req: 1738-3.8-1, 1738-3.8-2
func TestOpenTelnet(t *testing.T) {
	server := peers.Telnetd(t, host)
	terminal := newTerminal(t, 90, 30)
	before := terminal.state()
	cmd := terminal.locus("open", "telnet://ada:lovelace@"+server.Addr+"/")

	terminal.waitFor(`as "ada" with the password "lovelace"`)
	terminal.waitFor("the escape key is ^]")
	terminal.waitFor("login: ")
	terminal.types("guest\r")
	terminal.waitFor("password: ")
	terminal.types("xyzzy\r")
	if shown := terminal.waitFor("welcome guest, xyzzy"); strings.Contains(shown, "xyzzy") {
		t.Errorf("the terminal shows the password: %q", shown)
	}
	terminal.waitFor("ready ")
	terminal.types("echo $TERM; stty size\r")
	terminal.waitFor("xterm\r\n30 90\r\n")
	if raw := terminal.state(); raw == before {
		t.Error("the terminal is not raw while the server echoes")
	}

	terminal.types("cat >/tmp/$$.sh <<'END'\r" + strings.ReplaceAll(fullScreen, "\n", "\r") + "\rEND\r")
	terminal.types("sh /tmp/$$.sh; rm /tmp/$$.sh\r")
	terminal.waitFor("\x1b[?1049h")
	terminal.waitFor("size 30 90")
	terminal.resize(100, 40)
	terminal.waitFor("size 40 100")
	terminal.types("q")
	terminal.waitFor("\x1b[?1049l")
	terminal.waitFor("ready ")

	terminal.types("exit\r")
	terminal.waitFor("the session has ended")
	if err := cmd.Wait(); err != nil {
		t.Errorf("locus open telnet = %v", err)
	}
	if after := terminal.state(); after != before {
		t.Errorf("the terminal had the state %v, and after open it has %v", before, after)
	}
}

// A URL with a password causes one warning on a terminal, unless --quiet is given.
func TestPasswordOnTerminal(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"get", "http://u:secret@127.0.0.1:25/", "ftp://u:secret@127.0.0.1:25/"}, 1},
		{[]string{"get", "--quiet", "http://u:secret@127.0.0.1:25/"}, 0},
	} {
		terminal := newTerminal(t, 200, 30)
		_ = terminal.locus(test.args...).Wait() // the server refuses the connection
		shown := terminal.waitFor("hint: ")
		if strings.Count(shown, "locus: warning: ") != test.want || strings.Contains(shown, "secret") {
			t.Errorf("locus %q shows %q, want %d warnings", test.args, shown, test.want)
		}
	}
}

// On a terminal the command offers the URL that a person probably meant.
func TestInsteadOnTerminal(t *testing.T) {
	for _, test := range []struct {
		args          []string
		answer, shows string
		works         bool
	}{
		{[]string{"get", "data:,two cups"}, "y\r", "two cups", true},
		{[]string{"stat", "data:,é"}, "Yes\r", " 2  -", true},
		{[]string{"get", "data:,two cups"}, "\r", "hint: write it as data:,two%20cups", false},
		{[]string{"get", "data:,two cups"}, "n\r", "hint: write it as data:,two%20cups", false},
	} {
		terminal := newTerminal(t, 200, 30)
		cmd := terminal.locus(test.args...)
		terminal.waitFor(" instead? (y or n): ")
		terminal.types(test.answer)
		terminal.waitFor(test.shows)
		if err := cmd.Wait(); (err == nil) != test.works {
			t.Errorf("locus %q with the answer %q = %v, want success: %v", test.args, test.answer, err, test.works)
		}
	}
	terminal := newTerminal(t, 200, 30)
	if err := terminal.locus("get", "--quiet", "data:,two cups").Wait(); err == nil {
		t.Error("locus get --quiet asks nothing, and succeeds")
	}
	if shown := terminal.waitFor("locus: "); strings.Contains(shown, "instead?") {
		t.Errorf("locus get --quiet shows %q", shown)
	}
}

// A session to which a link of another program leads opens only after the user has typed yes. The word makes it
// unlikely that keys for the window of the other program confirm it.
func TestAttackHandledSessions(t *testing.T) {
	// attack: A link to a session is clicked in a mail, a chat or another program, and the desktop opens it with locus | the
	// terminal asks, and connects only after "yes"
	// attack: A page makes the user type "yes" and opens a link to a session just before the end of the line | the terminal
	// ignores an answer within the first second
	server := peers.Telnetd(t, host)
	for _, test := range []struct {
		answer, shows string
		works         bool
	}{
		{"\r", "the session was not confirmed", false},
		{"y\r", "the session was not confirmed", false},
		{"\x04", "the session was not confirmed", false},
		{"Yes\r", "login: ", true},
		{"yes\rYES\ryes\r", "login: ", true}, // three answers before the user could read the question, and one after it
	} {
		terminal := newTerminal(t, 200, 30)
		cmd := terminal.locus("open", "--link", "--", "telnet://"+server.Addr)
		if shown := terminal.waitFor(" Open it? (yes or no): "); !strings.Contains(shown, "telnet://"+server.Addr) || strings.Contains(shown, "login") {
			t.Errorf("before the answer, the terminal shows %q", shown)
		}
		if early := strings.Count(test.answer, "\r") - 1; early > 0 {
			terminal.types(test.answer)
			for range early + 1 {
				if shown := terminal.waitFor(" Open it? (yes or no): "); strings.Contains(shown, "login: ") {
					t.Errorf("after the early answers %q, the terminal shows %q", test.answer, shown)
				}
			}
			test.answer = "yes\r"
		}
		time.Sleep(time.Second) // as a user who reads the question
		terminal.types(test.answer)
		if shown := terminal.waitFor(test.shows); !test.works && strings.Contains(shown, "login: ") {
			t.Errorf("after the answer %q, the terminal shows %q", test.answer, shown)
		}
		if test.works {
			terminal.types("\x1dq")
		}
		if err := cmd.Wait(); (err == nil) != test.works {
			t.Errorf("open --link with the answer %q = %v, want success: %v", test.answer, err, test.works)
		}
	}
}

// req: 1738-3.8-1, 1738-3.8-2
func TestOpenRlogin(t *testing.T) {
	server := peers.Rlogind(t)
	if err := os.WriteFile(filepath.Join(server.Root, "full.sh"), []byte(fullScreen), 0o644); err != nil { //nolint:gosec // the server's user reads it
		t.Fatal(err)
	}
	terminal := newTerminal(t, 90, 30)
	before := terminal.state()
	cmd := terminal.locus("open", "rlogin://rltest:advice@"+server.Addr+"/")

	terminal.waitFor(`with the password "advice"`)
	terminal.waitFor("Password:") // .rhosts names another user
	terminal.types("secret\r")
	if shown := terminal.waitFor("$ "); strings.Contains(shown, "secret") { // by then the server has asked for the size
		t.Errorf("the terminal shows the password: %q", shown)
	}
	terminal.types("PS1='rea''dy '; id -un; echo $TERM; stty size\r")
	terminal.waitFor("rltest\r\nxterm\r\n30 90\r\nready ")
	if raw := terminal.state(); raw == before {
		t.Error("the terminal is not raw while the server echoes")
	}

	terminal.types("sh full.sh\r")
	terminal.waitFor("\x1b[?1049h")
	terminal.waitFor("size 30 90")
	terminal.resize(100, 40)
	terminal.waitFor("size 40 100")
	terminal.types("q")
	terminal.waitFor("\x1b[?1049l")
	terminal.waitFor("ready ")

	terminal.types("exit\r")
	terminal.waitFor("the session has ended")
	if err := cmd.Wait(); err != nil {
		t.Errorf("locus open rlogin = %v", err)
	}
	if after := terminal.state(); after != before {
		t.Errorf("the terminal had the state %v, and after open it has %v", before, after)
	}
}

// At every kind of end of a session, the terminal gets its old state.
func TestOpenEnds(t *testing.T) {
	server := peers.Telnetd(t, host)
	for _, test := range []struct {
		name string
		end  func(*ptyTerminal, *exec.Cmd)
		exit int
		says string
	}{
		{"escape", func(p *ptyTerminal, _ *exec.Cmd) { p.types("\x1dq") }, 0, "the session has ended"},
		{"help", func(p *ptyTerminal, _ *exec.Cmd) {
			p.types("\x1d?")
			p.waitFor("z suspends it")
			p.types("\x1dq")
		}, 0, "the session has ended"},
		{"terminate", signalled(syscall.SIGTERM), 1, "interrupted"},
		{"hang up", signalled(syscall.SIGHUP), 1, "interrupted"},
		{"interrupt", signalled(syscall.SIGINT), 1, "interrupted"},
		{"quit", signalled(syscall.SIGQUIT), 1, "interrupted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			terminal := newTerminal(t, 80, 24)
			before := terminal.state()
			cmd := terminal.locus("open", "telnet://"+server.Addr)
			terminal.waitFor("login: ")
			test.end(terminal, cmd)
			terminal.waitFor(test.says)
			_ = cmd.Wait()
			if exit := cmd.ProcessState.ExitCode(); exit != test.exit {
				t.Errorf("open ends with the status %d, want %d", exit, test.exit)
			}
			if after := terminal.state(); after != before {
				t.Errorf("the terminal had the state %v, and after open it has %v", before, after)
			}
		})
	}
}

// The terminal also gets its old state if --max-time ends the session.
func TestOpenTimeout(t *testing.T) {
	server := peers.Telnetd(t, host)
	for timeout := 2 * time.Second; ; timeout *= 4 { // until even a slow machine has begun the session in time
		terminal := newTerminal(t, 80, 24)
		before := terminal.state()
		cmd := terminal.locus("open", "--max-time", timeout.String(), "telnet://"+server.Addr)
		shown := terminal.waitFor("timed out after " + timeout.String())
		_ = cmd.Wait()
		if exit := cmd.ProcessState.ExitCode(); exit != 1 {
			t.Errorf("open --max-time %v ends with the status %d, want 1", timeout, exit)
		}
		if after := terminal.state(); after != before {
			t.Errorf("the terminal had the state %v, and after open --max-time %v it has %v", before, timeout, after)
		}
		if strings.Contains(shown, "login: ") {
			return
		}
	}
}

func signalled(s os.Signal) func(*ptyTerminal, *exec.Cmd) {
	return func(_ *ptyTerminal, cmd *exec.Cmd) { _ = cmd.Process.Signal(s) }
}

// While the command is suspended, the terminal has its old state. Then the session continues.
func TestOpenSuspend(t *testing.T) {
	server := peers.Telnetd(t, host)
	terminal := newTerminal(t, 80, 24)
	before := terminal.state()
	cmd := terminal.locus("open", "telnet://"+server.Addr)
	terminal.waitFor("login: ")
	terminal.types("\x1dz")
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("^]z does not stop the command: %v, %v", status, err)
	}
	if got := terminal.state(); got != before {
		t.Errorf("the terminal had the state %v, and while open is suspended it has %v", before, got)
	}
	_ = cmd.Process.Signal(syscall.SIGCONT)
	terminal.types("guest\r")
	terminal.waitFor("password: ")
	terminal.types("\x1dq")
	terminal.waitFor("the session has ended")
	_ = cmd.Wait()
	if after := terminal.state(); after != before {
		t.Errorf("the terminal had the state %v, and after open it has %v", before, after)
	}
}

// ordinary is the sequence that resets a terminal.
const ordinary = "\x1b7\x1b[r\x1b8" + "\x1b[0m\x1b(B\x0f" + "\x1b[4l\x1b[?7h" + "\x1b[?1l\x1b>" +
	"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l" + "\x1b[?2004l" + "\x1b[?25h"

// The changes that a full-screen program makes to the terminal end with the session.
func TestOpenTidies(t *testing.T) {
	addr, accept := playedServer(t)
	for _, test := range []struct{ shows, tidied string }{
		{"\x1b[?1049h\x1b[?1000h\x1b[?2004h\x1b[?25l\x1b[1;31mfull", "\x1b[?1049l" + ordinary + "locus: the session has ended"},
		{"\x1b[31mcoloured", ordinary + "\r\nlocus: the session has ended"},
		{"\x1b[31mcoloured\r\n", ordinary + "locus: the session has ended"},
		{"plain", "plain\r\nlocus: the session has ended"},
	} {
		terminal := newTerminal(t, 80, 24)
		cmd := terminal.locus("open", "telnet://"+addr)
		server := accept()
		if _, err := io.WriteString(server, "\xff\xfb\x01"+test.shows+"\xff\xfd\x06"); err != nil {
			t.Fatalf("%q: %v", test.shows, err)
		}
		receives(t, server, "\xff\xfd\x01")
		for !strings.Contains(terminal.seen, strings.TrimRight(test.shows, "\r\n")) {
			terminal.seen += <-terminal.shown
		}
		terminal.types("\x1dq")
		terminal.waitFor(test.tidied)
		if err := cmd.Wait(); err != nil {
			t.Errorf("locus open of a session that shows %q = %v", test.shows, err)
		}
	}
}

// The terminal gets its old state even if it accepts no more output, and a second signal ends the
// command.
func TestOpenStuck(t *testing.T) {
	addr, accept := playedServer(t)
	terminal := newTerminal(t, 80, 24)
	before := terminal.state()
	cmd := terminal.locus("open", "telnet://"+addr)
	server := accept()
	if _, err := io.WriteString(server, "\xff\xfb\x01ready"); err != nil {
		t.Fatal(err)
	}
	terminal.waitFor("ready")
	if err := unix.IoctlSetInt(int(terminal.tty.Fd()), unix.TCXONC, unix.TCOOFF); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(server, strings.NewReader(strings.Repeat("more\r\n", 1<<17))) }()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	for patience := time.Now().Add(time.Minute); terminal.state() != before; runtime.Gosched() {
		if time.Now().After(patience) {
			t.Fatal("the terminal does not get its old state after a signal")
		}
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for patience := time.After(time.Minute); ; {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
			if after := terminal.state(); after != before {
				t.Errorf("the terminal had the state %v, and after the signal it has %v", before, after)
			}
			return
		case <-patience:
			t.Fatal("the second signal does not end open")
		default:
			runtime.Gosched()
		}
	}
}

// playedServer listens for one connection, and gives the test the server's end of it.
func playedServer(t *testing.T) (addr string, accept func() net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), func() net.Conn {
		t.Helper()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		return c
	}
}

func receives(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("the server received %q, %v, want %q", got[:n], err, want)
	}
}

// On a terminal ^D is a key like any other, although the terminal sends lines. Text that is typed
// after it arrives, and so does the escape key.
func TestOpenControlD(t *testing.T) {
	addr, accept := playedServer(t)
	terminal := newTerminal(t, 80, 24)
	cmd := terminal.locus("open", "telnet://"+addr)
	server := accept()
	terminal.types("\x04")
	receives(t, server, "\x04")
	terminal.types("still here\n")
	receives(t, server, "still here\r\n")
	terminal.types("\x1dq\n")
	terminal.waitFor("the session has ended")
	if err := cmd.Wait(); err != nil {
		t.Errorf("locus open after ^D = %v", err)
	}
}

// If a server begins to echo, the terminal becomes raw at once, even if the server sends no text
// with it, because the next typed line may be a password.
func TestOpenEchoAlone(t *testing.T) {
	addr, accept := playedServer(t)
	terminal := newTerminal(t, 80, 24)
	before := terminal.state()
	terminal.locus("open", "telnet://"+addr)
	server := accept()
	for _, step := range []struct {
		sends string
		raw   bool
	}{{"\xff\xfb\x01", true}, {"\xff\xfc\x01", false}} {
		if _, err := io.WriteString(server, step.sends); err != nil {
			t.Fatalf("the server sends %q: %v", step.sends, err)
		}
		for patience := time.Now().Add(time.Minute); (terminal.state() != before) != step.raw; {
			if time.Now().After(patience) {
				t.Fatalf("after the server sent %q, the terminal is raw: %v, want %v", step.sends, !step.raw, step.raw)
			}
			runtime.Gosched()
		}
	}
}

// If a server turns the echo off before its prompt, the terminal does not show text that is typed
// after the prompt.
func TestOpenPrompt(t *testing.T) {
	addr, accept := playedServer(t)
	for range 5 {
		terminal := newTerminal(t, 80, 24)
		before := terminal.state()
		cmd := terminal.locus("open", "telnet://"+addr)
		server := accept()
		if _, err := io.WriteString(server, "\xff\xfb\x01password: "); err != nil {
			t.Fatal(err)
		}
		terminal.waitFor("password: ")
		if terminal.state() == before {
			t.Error("at the prompt the terminal still echoes")
		}
		terminal.types("\x1dq")
		terminal.waitFor("the session has ended")
		if err := cmd.Wait(); err != nil {
			t.Errorf("locus open of a server with a prompt = %v", err)
		}
	}
}
