package nvt

import (
	"fmt"
	"runtime/debug"
)

// A Panic is a recovered panic of a background goroutine. The next Read panics
// with it, so that the user of a session can clean up.
type Panic struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine
}

// Recovered converts the result of recover to a Panic. It returns nil for nil.
func Recovered(value any) *Panic {
	if p, ok := value.(*Panic); ok || value == nil {
		return p
	}
	return &Panic{value, debug.Stack()}
}

// Error returns the value and the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }
