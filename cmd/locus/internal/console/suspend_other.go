//go:build !unix

package console

import "os"

// terminalSignals has no signal for a resized window, and none that suspends: package
// os knows none on this system.
var terminalSignals = []os.Signal{os.Interrupt}

func (c *Console) handle(os.Signal) {}

func (c *Console) suspend() { c.note("this system cannot suspend a program") }
