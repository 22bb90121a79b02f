package main

import (
	"io"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/ptytest"
)

// runAtTerminal runs the command in this process: terminal locus ARG…. Its stdout is a terminal.
// The output of the terminal becomes the stdout of the script.
//
// The commands ttyin and ttyout of testscript close the terminal when a process ends, so they may
// lose the last output.
func runAtTerminal(ts *testscript.TestScript, neg bool, args []string) {
	master, tty, err := ptytest.New()
	ts.Check(err)
	defer master.Close()
	defer tty.Close()
	shown := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(master) // returns an error when no process has the terminal open
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
