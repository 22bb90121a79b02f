package access

import "fmt"

// A PanicError is the error of a request whose engine panicked. Error does not show Stack,
// because Stack is for a log.
type PanicError struct {
	Value any    // the value of the panic
	Stack []byte // of the goroutine that panicked
}

// Error returns "internal error: " and the value.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }
