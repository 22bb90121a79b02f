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

// drip serves 8 MiB at every path, piece by piece, until the test lets the rest
// flow.
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

// finish waits for the command, and returns how it ended and what it showed last.
func (p *ptyTerminal) finish(cmd *exec.Cmd) (status int, last string) {
	p.t.Helper()
	_ = cmd.Wait()
	if _, err := p.tty.WriteString("THE END"); err != nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), p.waitFor("THE END")
}

// People see a line for each transfer and one for all, in the width that the
// terminal has now, and nothing of it when all is done.
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
	for narrow := 0; narrow < 3; { // boards, from the first that knows
		width := 0
		for line := range strings.SplitSeq(p.waitFor("\x1b[J"), "\n") {
			line = regexp.MustCompile(`\x1b\[\d*[A-Z]|\r`).ReplaceAllString(line, "")
			width = max(width, utf8.RuneCountInString(line))
		}
		switch {
		case width <= 39:
			narrow++
		case narrow > 0:
			t.Fatalf("a line of %d on 40 columns", width)
		}
	}
	flow()
	status, last := p.finish(cmd)
	if status != 0 || !strings.HasSuffix(last, "\x1b[J") || p.state() != before {
		t.Errorf("it ends with %d, showing %q, the terminal as before: %v", status, last, p.state() == before)
	}
	for _, name := range []string{"one.bin", "two.bin"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != 8<<20 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// Ctrl-C leaves a clean terminal and what --continue goes on with, and says so.
func TestBoardInterrupted(t *testing.T) {
	at, _ := drip(t)
	p := newTerminal(t, 30, 5)
	before := p.state()
	dir := t.TempDir()
	cmd := p.locus("get", "--output-dir", dir, at+"/one.bin")
	p.waitFor("KiB of") // something has come
	p.types("\x03")
	_ = cmd.Wait()
	shown := p.waitFor("locus: interrupted")
	if cmd.ProcessState.ExitCode() != 1 || !strings.HasSuffix(shown, "\x1b[J") || p.state() != before {
		t.Errorf("it ends with %d, showing %q, the terminal as before: %v", cmd.ProcessState.ExitCode(), shown, p.state() == before)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signaled() {
		t.Errorf("a signal ended it: %v", cmd.ProcessState)
	}
	if info, err := os.Stat(filepath.Join(dir, "one.bin.part")); err != nil || info.Size() == 0 {
		t.Errorf("the part: %v, %v", info, err)
	}
}

// A copy of a tree ends with one line on a terminal that says what it did.
func TestSummaryOnTerminal(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // what was sent is remembered there
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
	for _, tt := range []struct {
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
		status, shown := p.finish(p.locus(tt.args...))
		if status != 0 || !strings.HasSuffix(shown, tt.want) || tt.want == "" && strings.Contains(shown, "fetched") {
			t.Errorf("%q ends with %d, showing %q, want %q", tt.args, status, shown, tt.want)
		}
	}
}
