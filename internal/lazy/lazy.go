// Package lazy makes values when they are first needed.
package lazy

import "sync"

// A Value is made by the first call of Get. It is for variables of packages. Unlike a
// variable with [sync.OnceValue], it does not slow down the start of a program, because the
// linker initializes it. Use it by pointer. Goroutines may share it.
type Value[T any] struct {
	Make func() T // makes the value; it is called once, and must not panic

	once  sync.Once
	value T
}

// Get returns the value. The first call makes the value with Make; concurrent calls wait until
// it is made.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.Make() })
	return v.value
}
