package main

import (
	"io"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/ptytest"
)

// runAtTerminal runs the command in this process: terminal locus ARG…. Its stdout is a terminal.
// The output of the terminal becomes the stdout of the script.
//
// The commands ttyin and ttyout of testscript close the terminal when a process ends, so they may
// lose the last output.
func runAtTerminal(ts *testscript.TestScript, neg bool, args []string) {
	var status int
	var ended error
	shown, err := atTerminal(func(tty *os.File) { status, ended = locusIn(ts, args[1:], tty) })
	ts.Check(err)
	ts.Check(ended)
	_, err = ts.Stdout().Write(shown)
	ts.Check(err)
	if neg != (status != 0) {
		ts.Fatalf("locus %q ends with %d", args, status)
	}
}

// atTerminal calls run with a terminal, and returns the text that the terminal has shown at the end.
func atTerminal(run func(tty *os.File)) ([]byte, error) {
	master, tty, err := ptytest.New()
	if err != nil {
		return nil, err
	}
	defer master.Close()
	defer tty.Close()
	shown := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(master) // returns an error when no process has the terminal open
		shown <- text
	}()
	run(tty)
	tty.Close()
	return <-shown, nil
}
