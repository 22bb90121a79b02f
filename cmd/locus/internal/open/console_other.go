//go:build !unix

package open

import "os"

// terminalSignals has no signal for a resized window, and none that suspends: package
// os knows none on this system.
var terminalSignals = []os.Signal{os.Interrupt}

func (c *console) handle(os.Signal) {}

func (c *console) suspend() { c.note("this system cannot suspend a program") }
