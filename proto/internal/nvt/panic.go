package nvt

import (
	"fmt"
	"runtime/debug"
)

// A Panic is one of a goroutine of our own, which would end the program before
// whoever uses a session could tidy up. It is kept, and is a panic of the next
// Read instead.
type Panic struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine
}

// Recovered returns what recover returned as a Panic; nil if that is nil.
func Recovered(value any) *Panic {
	if p, ok := value.(*Panic); ok || value == nil {
		return p
	}
	return &Panic{value, debug.Stack()}
}

// Error returns the value and the stack.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }
