package readmetest

import (
	"bytes"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A program runs beside the commands.
type program struct {
	t     *testing.T
	line  string
	cmd   *exec.Cmd
	shown *output
}

// start runs a line, and waits until its output contains text. The program is stopped when the test
// ends.
func start(n *newcomer, dir, line, text string) *program {
	n.t.Helper()
	p := &program{t: n.t, line: line, cmd: command(n.t.Context(), dir, n.env, line), shown: newOutput(text)}
	p.cmd.Stdout, p.cmd.Stderr = p.shown, p.shown
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // "go run" starts another process
	if err := p.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(p.kill)
	p.shown.wait(n.t, line)
	return p
}

// output returns the output of the program so far.
func (p *program) output() string { return p.shown.String() }

// stop interrupts the program, as Ctrl-C does, and waits for its end.
func (p *program) stop() {
	p.t.Helper()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT) // Wait returns the error
	_ = p.cmd.Wait()                                     // bash may report the signal
}

// kill kills the program if stop has not ended it.
func (p *program) kill() {
	if p.cmd.ProcessState != nil {
		return // the number may belong to another process now
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Wait()
}

// An output keeps the output of a program.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	until string
	found chan struct{} // closed when text has until
}

func newOutput(until string) *output { return &output{until: until, found: make(chan struct{})} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.hasFound()
	n, err := o.text.Write(p)
	if !before && o.hasFound() {
		close(o.found)
	}
	return n, err
}

func (o *output) hasFound() bool { return bytes.Contains(o.text.Bytes(), []byte(o.until)) }

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// wait waits for the text.
func (o *output) wait(t *testing.T, line string) {
	t.Helper()
	select {
	case <-o.found:
	case <-time.After(3 * time.Minute): // the program may have to be built
		t.Fatalf("the output of %q has no %q:\n%s", line, o.until, o)
	}
}
