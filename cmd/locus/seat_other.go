//go:build !unix

package main

import "os"

// terminalSignals are none: package os knows of no signal when a console changes
// its size, nor of one that suspends.
var terminalSignals = []os.Signal{os.Interrupt}

func (d *desk) signalled(os.Signal) {}

func (d *desk) suspend() { d.note("this system suspends nothing") }
