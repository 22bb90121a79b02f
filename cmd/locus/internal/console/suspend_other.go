//go:build !unix

package console

import "os"

// terminalSignals has no signal for a resized window and for suspending the process, because
// package os does not define them on this system.
var terminalSignals = []os.Signal{os.Interrupt}

func (c *Console) handle(os.Signal) {}

func (c *Console) suspend() { c.note("this system cannot suspend a program") }
