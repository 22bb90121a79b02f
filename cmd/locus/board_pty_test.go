//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// drip serves 8 MiB at every path. It sends them piece by piece until the test calls flow, and then
// the rest at once.
func drip(t *testing.T) (at string, flow func()) {
	t.Helper()
	flowing := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		piece := make([]byte, 4<<10)
		w.Header().Set("Content-Length", "8388608")
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range 8 << 20 / len(piece) {
			select {
			case <-tick.C:
			case <-flowing:
			case <-r.Context().Done():
				return
			}
			_, _ = w.Write(piece)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() { close(flowing) }
}

// finish waits for the command, and returns its exit status and the text that it showed last.
func (p *ptyTerminal) finish(cmd *exec.Cmd) (status int, last string) {
	p.t.Helper()
	_ = cmd.Wait()
	if _, err := p.tty.WriteString("THE END"); err != nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), p.waitFor("THE END")
}

// The board shows a line for each transfer and one for all, in the current width of the terminal.
// It removes the lines at the end.
func TestBoardOnTerminal(t *testing.T) {
	at, flow := drip(t)
	p := newTerminal(t, 80, 24)
	before := p.state()
	dir := t.TempDir()
	cmd := p.locus("get", "-j", "2", "--output-dir", dir, at+"/one.bin", at+"/two.bin")
	row := regexp.MustCompile(`(one|two)\.bin +\d+%  \d+\.\d [KM]iB of 8\.0 MiB  \d.* [KM]?i?B/s  [0-9hms]+ left`)
	for shown := ""; len(row.FindAllString(shown, 2)) < 2; {
		shown = p.waitFor("0 done, ")
	}
	p.resize(40, 24)
	for narrow := 0; narrow < 3; { // from the first board that knows the width
		width := 0
		for line := range strings.SplitSeq(p.waitFor("\x1b[J"), "\n") {
			line = regexp.MustCompile(`\x1b\[\d*[A-Z]|\r`).ReplaceAllString(line, "")
			width = max(width, utf8.RuneCountInString(line))
		}
		switch {
		case width <= 39:
			narrow++
		case narrow > 0:
			t.Fatalf("the board shows a line of %d columns on a terminal of 40", width)
		}
	}
	flow()
	status, last := p.finish(cmd)
	if status != 0 || !strings.HasSuffix(last, "\x1b[J") || p.state() != before {
		t.Errorf("get ends with %d, showing %q, and the terminal has its old state: %v", status, last, p.state() == before)
	}
	for _, name := range []string{"one.bin", "two.bin"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != 8<<20 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// Ctrl-C restores the terminal, keeps the partial file for --continue, and mentions --continue.
func TestBoardInterrupted(t *testing.T) {
	at, _ := drip(t)
	p := newTerminal(t, 30, 5)
	before := p.state()
	dir := t.TempDir()
	cmd := p.locus("get", "--output-dir", dir, at+"/one.bin")
	p.waitFor("KiB of") // some bytes have arrived
	p.types("\x03")
	_ = cmd.Wait()
	shown := p.waitFor("locus: interrupted")
	if !strings.HasSuffix(shown, "\x1b[J") || p.state() != before {
		t.Errorf("get ends with %v, showing %q, and the terminal has its old state: %v", cmd.ProcessState, shown, p.state() == before)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !ws.Signaled() || ws.Signal() != syscall.SIGINT {
		t.Errorf("get ended with %v, want that it dies by the signal", cmd.ProcessState)
	}
	if info, err := os.Stat(filepath.Join(dir, "one.bin.part")); err != nil || info.Size() == 0 {
		t.Errorf("the partial file: %v, %v", info, err)
	}
}

// Copying a tree ends with one line on the terminal that summarizes the copy.
func TestSummaryOnTerminal(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // for the manifest of sent files
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, name := range []string{"a", "b"} {
		if err := os.MkdirAll(from, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"put", "-r", "--dry-run", from, "file://" + to}, "put\ta\r\nput\tb\r\nlocus: 2 to send\r\n"},
		{[]string{"put", "-r", from, "file://" + to}, "locus: 2 sent\r\n"},
		{[]string{"put", "-r", from, "file://" + to}, "locus: 0 sent, 2 unchanged\r\n"},
		{[]string{"mirror", "file://" + to, filepath.Join(dir, "back")}, "locus: 2 fetched\r\n"},
		{[]string{"mirror", "--quiet", "file://" + to, filepath.Join(dir, "back")}, ""},
	} {
		p := newTerminal(t, 80, 24)
		status, shown := p.finish(p.locus(test.args...))
		if status != 0 || !strings.HasSuffix(shown, test.want) || test.want == "" && strings.Contains(shown, "fetched") {
			t.Errorf("%q ends with %d, showing %q, want %q", test.args, status, shown, test.want)
		}
	}
}
