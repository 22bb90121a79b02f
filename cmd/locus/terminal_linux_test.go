package main

import (
	"io"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/ptytest"
)

// runAtTerminal runs the command in this process: terminal locus ARG…. Its stdout is a
// terminal, and what that shows is the stdout that the script finds.
//
// The commands ttyin and ttyout of testscript close the terminal when a process ends, and may
// lose what was written last.
func runAtTerminal(ts *testscript.TestScript, neg bool, args []string) {
	master, tty, err := ptytest.New()
	ts.Check(err)
	defer master.Close()
	defer tty.Close()
	shown := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(master) // it ends with an error when no process has the terminal
		shown <- text
	}()
	status, err := locusIn(ts, args[1:], tty)
	tty.Close()
	_, writeErr := ts.Stdout().Write(<-shown)
	ts.Check(err)
	ts.Check(writeErr)
	if neg != (status != 0) {
		ts.Fatalf("locus %q ends with %d", args, status)
	}
}
