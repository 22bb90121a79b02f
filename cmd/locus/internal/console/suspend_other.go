//go:build !unix

package console

import "os"

// terminalSignals has no signal for a resized window and for suspending the process, because
// package os does not define them on this system.
var terminalSignals = []os.Signal{os.Interrupt}

// handleSignal does nothing. A signal that is handled does not kill the process.
func (c *Console) handleSignal(os.Signal) {}

// suspend tells the user that the process cannot be suspended.
func (c *Console) suspend() { c.note("this system cannot suspend a program") }
